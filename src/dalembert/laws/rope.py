"""Rope: two points that cannot go further apart than its length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.laws.checks import check_restitution
from dalembert.laws.law import Law
from dalembert.parts.fields import Length, Number, PointLike
from dalembert.trace import Expr

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class Rope(Law):
    """A rope that goes slack: `da.Rope("ground", ("ball", (0, 0, 0.1)), length=2.0)`. Its force is the tension.

    The points stay at most `length` apart, and at least `shortest`, if that is given (a telescope). Gaps are
    (length² − |ab|²) / (2 length), smooth even where the points meet.
    """

    of_differences = True
    a: PointLike
    b: PointLike
    length: Length
    shortest: Length = None
    restitution: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_restitution(self.restitution, "Rope")
        numbers = [x for x in (self.shortest, self.length) if x is not None and type(x) is not Expr]
        if len(numbers) == 2 and not self.shortest < self.length:
            raise ModelError(
                f"Rope: shortest={self.shortest!r} must be below length={self.length!r}; for a rod, use da.Distance"
            )

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.a.body, self.b.body)

    def gap(self, s: State) -> np.ndarray:
        d = s.position(self.b) - s.position(self.a)
        gaps = [(self.length * self.length - d @ d) / (2.0 * self.length)]
        if self.shortest is not None:
            gaps.append((d @ d - self.shortest * self.shortest) / (2.0 * self.shortest))
        return np.array(gaps)

    def acts_at(self, s: State) -> tuple[Any, Any]:
        return s.position(self.a), s.position(self.b)
