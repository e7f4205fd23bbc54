"""Events that act, in a page: laws switched, parameters set, blows, as a run by time stepping takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.runtime.straight import KERNEL, NAMES, block, known_symbols
from dalembert.kinematics.in_variables import on_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.parts.actions import Action, Impulse, JointImpulse, SetParameter, Switch
from dalembert.parts.events import Event
from dalembert.parts.forces.freedom import chosen
from dalembert.simulation.time_stepping.stepping_program import SteppingProgram
from dalembert.trace import tracing
from dalembert.trace.native import Module, Output
from dalembert.trace.native.module import Prefixed


def refused_action(m: Mechanism, events: Sequence[Event]) -> str:
    """Why a page cannot do what events do, in a sentence; nothing where it can."""
    for event in events:
        try:
            with tracing():
                acted(m.symbolic_state(), [event])
        except Exception as problem:  # whatever a user's function does with traced values
            return f'Event "{event.name}" acts by a plain Python function, which cannot run in a page ({problem}).'
    return ""


def acted(s: State, events: Sequence[Event]) -> list[Any]:
    """Values that parameters are set to, and generalized impulses, of all actions one behind the other."""
    return [x for e in events for a in e.actions if not isinstance(a, Switch) for x in _numbers(s, a)]


def _numbers(s: State, action: Action) -> list[Any]:
    if isinstance(action, SetParameter):
        return [_value(s, action.value).item()]
    if isinstance(action, Impulse):
        W, V = s.jacobian(action.at)
        return list(V.T @ _value(s, action.impulse) + W.T @ _value(s, action.angular))
    assert isinstance(action, JointImpulse)
    m, joints = s.mechanism, s.mechanism.in_joint_variables
    j = joints.joints[m.joint_number[action.joint] - 1]
    column = j.own_u[chosen(j.joint.inner, action.joint, action.coordinate, "JointImpulse")]
    if column is None:
        raise ValueError(f'joint "{action.joint}" is not free to move')
    return list(on_speeds(s, _value(s, action.value).item() * np.eye(joints.n_u)[column]))


def _value(s: State, given: Any) -> np.ndarray:
    return np.asarray(s.settled(np.asarray(given(s))) if callable(given) else given)


def emit_acting(module: Module, catalogue: Catalogue, events: Sequence[Event]) -> int:
    """Add `acted(t, q, u, x, P, y, work)`, and `mass_matrix` of the same arguments, by which blows change speeds; returns the working
    memory that they need."""
    m = catalogue.mechanism
    with tracing():
        outputs = [Output(x, "y", i) for i, x in enumerate(acted(m.symbolic_state(), events))]
        code = module.block(block("acted_values", known_symbols(m), outputs))
    inertia, work = catalogue.mass_matrix.emit(Prefixed(module, "mass_matrix_"), 1)
    for name, called in (("acted", code), ("mass_matrix", inertia)):
        with module.function(name, **KERNEL) as f:
            f.call(called, *(getattr(f, argument) for argument in NAMES))
    return int(work)


def acting_data(program: SteppingProgram, events: Sequence[Event], least: dict[int, float]) -> dict[str, Any]:
    """For the page: what every event does, and where states of laws' elements lie among the inputs. `least` are gaps at which nothing
    has gone through, by the number of their row."""
    m, table, size = program.mechanism, program.table, 0
    names, actions = list(m.parameters), []
    for event in events:
        own: list[dict[str, Any]] = []
        for a in event.actions:
            if isinstance(a, Switch):
                own.append({"elements": list(table.of_law(a.law)), "on": bool(a.on)})
            elif isinstance(a, SetParameter):
                state = m.states.index(a.parameter) if a.parameter in m.states else -1
                own.append({"set": names.index(a.parameter), "state": state, "at": size})
                size += 1
            else:
                own.append({"blow": size})
                size += m.n_u
        actions.append(own)
    states = program.rhs.mode.parts["state"]
    gaps = [
        {"law": table.title(i), "normal": e.normal, "least": least[e.normal]}
        if e.normal is not None and e.has_gap
        else None
        for i, e in enumerate(table.elements)
    ]
    gap_at = program.rhs.places["gap"] if len(table) else 0
    return {
        "actions": actions,
        "size": size,
        "states": program.mode_at.start + states.start,
        "elements": gaps,
        "gap": gap_at,
    }
