"""The rows of a mechanism's closed loops and constraints: whose they are, of what kind, and what they are called.

`kinematics/constraint_rows.py` computes them. A mechanism without loops and constraints has an empty table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import overload

import numpy as np

from dalembert.cached import cached_property


class RowKind(Enum):
    """What a row restricts."""

    HOLONOMIC = "holonomic"
    """Coordinates: it has a residual g(t, q) = 0."""
    NONHOLONOMIC = "nonholonomic"
    """Speeds alone."""
    UNILATERAL = "unilateral"
    """A gap that cannot become negative, or a speed that cannot: obeyed while it is closed."""
    FRICTION = "friction"
    """A direction of slip: obeyed while it sticks."""
    RESISTED = "resisted"
    """A direction of turning that the force of a gap resists: obeyed while it sticks."""
    SWITCHED = "switched"
    """What a latch or the like holds: obeyed while it is on."""


@dataclass(frozen=True)
class ConstraintRow:
    """One row: the cut joint, constraint or law that owns it, its place among the owner's rows, its kind, and whether it is always
    obeyed; rows of laws are where the mode of a run says so."""

    owner: str
    place: int
    kind: RowKind
    active: bool = True


class RowTable(Sequence[ConstraintRow]):
    """All rows, in the order of the mechanism's cut joints and constraints."""

    def __init__(self, rows: Iterable[ConstraintRow]):
        self._rows = tuple(rows)

    @staticmethod
    def of(kinds: Mapping[str, Iterable[RowKind]]) -> RowTable:
        """Table from the kinds of each owner's rows."""
        always = (RowKind.HOLONOMIC, RowKind.NONHOLONOMIC)
        return RowTable(
            ConstraintRow(owner, i, kind, kind in always)
            for owner, every in kinds.items()
            for i, kind in enumerate(every)
        )

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ConstraintRow]:
        return iter(self._rows)

    @overload
    def __getitem__(self, k: int) -> ConstraintRow: ...

    @overload
    def __getitem__(self, k: slice) -> tuple[ConstraintRow, ...]: ...

    def __getitem__(self, k: int | slice) -> ConstraintRow | tuple[ConstraintRow, ...]:
        return self._rows[k]

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """The owner of each row."""
        return tuple(row.owner for row in self._rows)

    @cached_property
    def holonomic(self) -> np.ndarray:
        """Which rows have a residual; the others speak of speeds alone."""
        return np.array([row.kind is RowKind.HOLONOMIC for row in self._rows], dtype=bool)

    @cached_property
    def active(self) -> np.ndarray:
        """Which rows are always obeyed."""
        return np.array([row.active for row in self._rows], dtype=bool)

    def of_owner(self, owner: str) -> range:
        """The rows of a cut joint or constraint, which stand together; none, where it has none or there is no such."""
        places = [k for k, name in enumerate(self.owners) if name == owner]
        return range(places[0], places[-1] + 1) if places else range(0)

    def condition(self, k: int) -> str:
        """Row k in words, said of its owner: "its condition", numbered where there are several."""
        row = self._rows[k]
        return "its condition" if len(self.of_owner(row.owner)) == 1 else f"its condition {row.place + 1}"
