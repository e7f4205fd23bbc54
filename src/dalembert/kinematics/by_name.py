"""Values of a state by name, as users' functions ask for them: `s.q["A"]`, `s.u["A.slide"]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dalembert.parts.names import text, unknown
from dalembert.vectors import Vector, cross

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.constraints import JointClosure
    from dalembert.parts.joints import Joint


class OnRequest:
    """Values that are computed when one is asked for."""

    def __init__(self, values: Callable[[], Vector], count: int):
        self._values, self._count = values, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        return self._values()[k]


def closing_joint(s: State, c: JointClosure) -> tuple[Joint, Any, Any]:
    """A joint that closes a loop with what its frames show; each only when it is asked for."""
    return (
        c.joint,
        OnRequest(lambda: _shown_coordinates(s, c), c.joint.n_q),
        OnRequest(lambda: _shown_speeds(s, c), c.joint.n_u),
    )


def _shown_coordinates(s: State, c: JointClosure) -> Vector:
    (R_C, R_P), (p_C, p_P) = c.axes(s), c.acts_at(s)
    return c.joint.coordinates_at(R_P.T @ R_C, R_P.T @ (p_C - p_P))


def _shown_speeds(s: State, c: JointClosure) -> Vector:
    (R_C, R_P), (p_C, p_P), (child, parent) = c.axes(s), c.acts_at(s), c.ends
    w_C, w_P = s.angular_velocity(child), s.angular_velocity(parent)
    moved = s.velocity(child) - s.velocity(parent) - cross(w_P, p_C - p_P)
    return c.joint.speeds_at(R_C.T @ (w_C - w_P), R_P.T @ moved)


class StateByName:
    """Values by the name of a joint, of an elastic body or of one freedom of either: a scalar where there is one, else an array.

    The rate of a place is known by the place as well: `s.u["fly.y"]` is `s.u["fly.vy"]`. Coordinates and speeds that were chosen are
    known by their own names; a joint's name always means its own.
    """

    def __init__(self, state: State, part: int):
        self._state, self._part = state, part

    def __getitem__(self, name: str) -> Any:
        m = self._state.mechanism
        own = self._state.own_variable("qu"[self._part], text(name, "state"))
        if own is not None:
            return own
        owner, _, freedom = str(name).rpartition(".")
        if name in m.joint_number or not (owner in m.joint_number or owner in m.number_of):
            values: Any = self._state.freedoms(name)[2 + self._part]
            return values[0] if len(values) == 1 else values
        freedoms: Any = self._state.freedoms(owner)
        if self._part and freedom in freedoms[0] and freedom not in freedoms[1] and f"v{freedom}" in freedoms[1]:
            freedom = f"v{freedom}"  # the rate of a place along an axis
        if freedom not in freedoms[self._part]:
            known = [f"{owner}.{each}" for each in freedoms[self._part]]
            raise unknown(name, ("coordinate", "speed")[self._part], known, "state")
        return freedoms[2 + self._part][freedoms[self._part].index(freedom)]
