"""Distance: two points stay a given length apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.system.constraints.constraint import Constraint
from dalembert.system.fields import Number, PointLike
from dalembert.system.forces.points import point
from dalembert.system.numbers import positive


@dataclass(frozen=True, eq=False)
class Distance(Constraint):
    """A massless rod with ball joints: (|ab|² − length²) / (2 length) = 0, smooth even where the points meet."""

    a: PointLike
    b: PointLike
    length: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", point(self.a, "Distance: a"))
        object.__setattr__(self, "b", point(self.b, "Distance: b"))
        object.__setattr__(self, "length", positive(self.length, "Distance: length"))

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.a.body, self.b.body)

    def acts_at(self, s: Any) -> tuple[Any, Any]:
        return s.position(self.a), s.position(self.b)

    def residual(self, s: Any) -> np.ndarray:
        d = s.position(self.b) - s.position(self.a)
        return np.array([(d @ d - self.length * self.length) / (2.0 * self.length)])
