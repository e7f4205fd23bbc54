"""Values of a state by name, as users' functions ask for them: `s.q["A"]`, `s.u["A.slide"]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dalembert.parts.names import unknown
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


class OnRequest:
    """Values that are computed when one is asked for."""

    def __init__(self, values: Callable[[], Vector], count: int):
        self._values, self._count = values, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        return self._values()[k]


class StateByName:
    """Values by the name of a joint, of an elastic body or of one freedom of either: a scalar where there is one, else an array.

    Coordinates and speeds that were chosen are known by their own names; a joint's name always means its own.
    """

    def __init__(self, state: State, part: int):
        self._state, self._part = state, part

    def __getitem__(self, name: str) -> Any:
        m = self._state.mechanism
        own = self._state.own_variable("qu"[self._part], name)
        if own is not None:
            return own
        owner, _, freedom = str(name).rpartition(".")
        if name in m.joint_number or not (owner in m.joint_number or owner in m.number_of):
            values: Any = self._state.freedoms(name)[2 + self._part]
            return values[0] if len(values) == 1 else values
        freedoms: Any = self._state.freedoms(owner)
        if freedom not in freedoms[self._part]:
            known = [f"{owner}.{each}" for each in freedoms[self._part]]
            raise unknown(name, ("coordinate", "speed")[self._part], known, "state")
        return freedoms[2 + self._part][freedoms[self._part].index(freedom)]
