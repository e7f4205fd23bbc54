"""Events that act, in a page: laws switched, parameters set, blows, as a run by time stepping takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.constraints.nonsmooth.bearing_contacts import independent_rows
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.masked.law_blocks import every_row
from dalembert.kernels.runtime.straight import KERNEL, NAMES, block, known_symbols
from dalembert.kinematics.in_variables import on_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.parts.actions import Action, Impulse, JointImpulse, SetParameter, Switch
from dalembert.parts.events import Event
from dalembert.parts.forces.freedom import chosen
from dalembert.simulation.time_stepping.stepping_program import SteppingProgram
from dalembert.trace import tracing
from dalembert.trace.native import Module, Output
from dalembert.trace.native.module import Prefixed

POSES = 20
"""Poses of a motion at which it is looked what a law that holds has to solve for."""


def refused_action(m: Mechanism, events: Sequence[Event]) -> str:
    """Why a page cannot do what events do, in a sentence; nothing where it can."""
    for event in events:
        try:
            with tracing():
                acted(m.symbolic_state(), [event])
        except Exception as problem:  # whatever a user's function does with traced values
            return f'Event "{event.name}" acts by a plain Python function, which cannot run in a page ({problem}).'
    return ""


def enforced_rows(motion: Motion) -> dict[int, list[int]] | None:
    """Rows of laws that are solved for while an element holds, by its number; None where that differs from pose to pose."""
    m = motion.mechanism
    assert m is not None
    holding = {i: list(e.holds) for i, e in enumerate(m.law_table.elements) if e.holds} if m.laws else {}
    found: dict[int, list[int]] = {}
    for k in np.unique(np.linspace(0, len(motion) - 1, POSES).astype(int)) if holding else ():
        s = m.numeric.state(motion.q[k], np.zeros(m.n_u), float(motion.t[k]))
        A, B = m.mass_matrix(motion.q[k], float(motion.t[k])), np.asarray(every_row(s).B, dtype=float)
        here = {i: independent_rows(A, B, len(m.rows), rows) for i, rows in holding.items()}
        together = independent_rows(A, B, len(m.rows), [r for rows in holding.values() for r in rows])
        if (found and found != here) or together != [r for rows in here.values() for r in rows]:
            return None
        found = here
    return found


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


def acting_data(
    program: SteppingProgram, events: Sequence[Event], least: dict[int, float], solved: dict[int, list[int]]
) -> dict[str, Any]:
    """For the page: what every event does, and where states of laws' elements lie among the inputs. `least` are gaps at which nothing
    has gone through, by the number of their row; `solved` are rows that are solved for while an element holds."""
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
    first, parts = program.mode_at.start, program.rhs.mode.parts
    mode = {
        name: [first + parts[name].start, first + parts[name].stop]
        for name in ("state", "active", "enforced", "anchor")
    }
    holds = [
        {"element": i, "rows": list(e.holds), "placed": [bool(table.placed[r]) for r in e.holds], "solved": solved[i]}
        for i, e in enumerate(table.elements)
        if e.holds
    ]
    gaps = [
        {"law": table.title(i), "normal": e.normal, "least": least[e.normal]}
        if e.normal is not None and e.has_gap
        else None
        for i, e in enumerate(table.elements)
    ]
    gap_at = program.rhs.places["gap"] if len(table) else 0
    return {"actions": actions, "size": size, "mode": mode, "elements": gaps, "gap": gap_at, "holds": holds}
