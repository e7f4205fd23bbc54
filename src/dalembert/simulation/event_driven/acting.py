"""What events do: laws switched, parameters set, impulses. Several at one instant act in the order of the events, then of their
actions; impulses are felt together, after everything that was switched and set."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.kinematics.in_variables import on_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.missing import missing
from dalembert.parts.actions import Action, Impulse, JointImpulse, SetParameter, Switch, names_of
from dalembert.parts.events import Event
from dalembert.parts.forces.freedom import chosen
from dalembert.parts.names import unknown

if TYPE_CHECKING:
    from dalembert.simulation.march.run_with_laws import RunWithLaws


def check_actions(m: Mechanism, event: Event) -> None:
    """Refuse names that nothing has."""
    where = f'event "{event.name}": action'
    known: dict[str, Any] = {"law": m.laws, "parameter": m.parameters, "body": m.number_of, "joint": m.joint_number}
    for action in event.actions:
        for kind, name in names_of(action).items():
            if name not in known[kind]:
                raise SimulationError(str(unknown(name, kind, known[kind], where)))
        if isinstance(action, JointImpulse):
            chosen(m.joints[m.joint_number[action.joint] - 1].joint.inner, action.joint, action.coordinate, where)


def recorded(actions: tuple[Action, ...]) -> list[Any]:
    """Actions in a form by which runs are distinguished; functions by their names."""

    def plain(x: Any) -> Any:
        if callable(x):
            return getattr(x, "__qualname__", type(x).__name__)
        if isinstance(x, np.ndarray):
            return x.tolist()
        return vars(x) if dataclasses.is_dataclass(x) else x

    return [(type(a).__name__, [repr(plain(getattr(a, f.name))) for f in dataclasses.fields(a)]) for a in actions]  # type: ignore[arg-type]


def act(run: RunWithLaws, actions: list[Action], t: float, y: np.ndarray) -> np.ndarray:
    """Switch and set in the order given; the generalized impulse of all impulses together is returned."""
    m = run.model
    q, u = m.admissible(y[: m.n_q]), y[m.n_q : m.n_q + m.n_u].copy()
    total = np.zeros(m.n_u)
    for action in actions:
        s = run.model_now.state(q, u, t)
        match action:
            case Switch(law, on):
                run.switch(law, on, t, y)
            case SetParameter(parameter, value):
                run.set_parameter(parameter, _number(value, s, f'parameter "{parameter}"'))
            case _:
                total += np.asarray(impulse_of(s, m, [action]), dtype=float)
    return total


def impulse_of(s: State, m: Mechanism, actions: Sequence[Action]) -> np.ndarray:
    """The generalized impulse of all impulses among the actions in a state, of numbers or of symbols."""
    total = np.zeros(m.n_u)
    for action in actions:
        match action:
            case Impulse(at, impulse, angular):
                W, V = s.jacobian(at)
                total = total + V.T @ _vector(impulse, s) + W.T @ _vector(angular, s)
            case JointImpulse(joint, value, coordinate):
                joints = m.in_joint_variables
                j = joints.joints[m.joint_number[joint] - 1]
                column = j.own_u[chosen(j.joint.inner, joint, coordinate, "JointImpulse")]
                if column is None:
                    raise missing(m, joint, "joint that is free to move", m.speeds, "JointImpulse")
                total = total + on_speeds(
                    s, _number(value, s, f'impulse on joint "{joint}"') * np.eye(joints.n_u)[column]
                )
    return total


def _number(value: Any, s: State, what: str) -> Any:
    found = s.settled(value(s)) if callable(value) else value
    if s.traced:
        return found
    try:
        number = float(found)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number):
        raise SimulationError(f"{what}: an event's action gives {found!r}, which is no finite number")
    return number


def _vector(value: Any, s: State) -> np.ndarray:
    found = np.asarray(s.settled(np.asarray(value(s))) if callable(value) else value)
    if s.traced:
        return found
    found = found.astype(float)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise SimulationError(f"an event's impulse must be three finite numbers, not {found!r}")
    return found
