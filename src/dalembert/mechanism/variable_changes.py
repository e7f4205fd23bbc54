"""Coordinates and speeds of a mechanism other than its joints': linear combinations of coordinates, some of them dropped; speeds that a
user chooses [C 64, 134, 262].

Changes stand on each other: each is said in the variables of the one before it, the first in those of the joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import DalembertError
from dalembert.parts.speeds import SpeedChoice

Places = tuple[tuple[int | None, ...], tuple[int | None, ...]]
"""Where a joint's coordinates and speeds stand among those of all joints."""


class Hidden:
    """Stands where a joint's places in q and u would be, in a mechanism whose variables are not its joints'."""

    def _refuse(self, *_: Any) -> Any:
        raise DalembertError(
            "this call needs the joints' own coordinates and speeds, and others were chosen for this mechanism: "
            "use m.in_joint_variables, the same mechanism in the joints' variables"
        )

    __iter__ = __len__ = __getitem__ = __contains__ = __add__ = __bool__ = _refuse


HIDDEN: Any = Hidden()


@dataclass(frozen=True, eq=False)
class VariableChange:
    """Names of coordinates and speeds, said in those of `before`, or of the joints; `places` are the joints' own."""

    before: VariableChange | None
    places: tuple[Places, ...]
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]

    def base_coordinates(self, q: Any) -> np.ndarray:
        """Coordinates before, of one state (n,) or of many (K, n)."""
        return np.asarray(q)

    def base_rates(self, rates: Any) -> np.ndarray:
        """Rates of the coordinates before."""
        return np.asarray(rates)

    def from_base(self, q: Any) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates kept, and those dropped, from those before."""
        every = np.asarray(q)
        return every, every[..., :0]


@dataclass(frozen=True, eq=False)
class LinearCoordinates(VariableChange):
    """Coordinates c = K (those before) + k, of which some are dropped, that is zero; their rates are speeds."""

    L: np.ndarray
    """Coordinates before, per unit of those kept."""
    shift: np.ndarray
    """Coordinates before, where all kept ones are zero."""
    K: np.ndarray
    """Coordinates kept and then those dropped, per unit of those before; without the constants."""
    direct: tuple[int | None, ...]
    """For every coordinate kept, its place before; None for new ones."""
    per_speed: np.ndarray
    """Speeds before, per unit of those kept."""
    direct_speeds: tuple[int | None, ...]
    """For every speed kept, its place before; None for new ones."""
    dropped: tuple[str, ...] = ()

    def base_coordinates(self, q: Any) -> np.ndarray:
        return _combined(self.L, np.asarray(q), self.shift)

    def base_rates(self, rates: Any) -> np.ndarray:
        return _combined(self.L, np.asarray(rates), np.zeros(len(self.shift)))

    def from_base(self, q: Any) -> tuple[np.ndarray, np.ndarray]:
        every = _combined(self.K, np.asarray(q), -self.K @ self.shift)
        n = len(self.coordinates)
        return every[..., :n], every[..., n:]


@dataclass(frozen=True, eq=False)
class GeneralizedSpeeds(VariableChange):
    """Speeds of which some are chosen."""

    choices: tuple[SpeedChoice, ...]

    @property
    def chosen(self) -> tuple[int, ...]:
        """Places of the chosen speeds, which are those of the ones they replace."""
        return tuple(sorted(at for choice in self.choices for at in choice.instead_of))

    def coordinate_rates(self) -> dict[int, int]:
        """Places of coordinates whose rates are chosen speeds, with the places of these; where coordinates are the joints'."""
        if self.before is not None:
            return {}
        return {at: place for choice in self.choices for at, place in choice.coordinate_rates(self.places).items()}


def _combined(L: np.ndarray, q: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """L q + shift, of numbers, one or many, or of expressions."""
    if q.dtype != object:
        return np.asarray(q @ L.T + shift)
    return np.array([_sum(row, q, c) for row, c in zip(L, shift)], dtype=object)


def _sum(row: np.ndarray, q: Any, constant: float) -> Any:
    """Σ row·q + constant, without what is zero and without a factor of 1."""
    total: Any = constant
    for c, x in zip(row, q):
        if c:
            total = total + (x if c == 1.0 else c * x)
    return total
