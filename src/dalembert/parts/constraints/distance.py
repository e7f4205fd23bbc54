"""Distance: two points stay a given length apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.fields import Length, PointLike

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class Distance(Constraint):
    """Two points stay `length` apart, as by a massless rod with ball joints: `da.Distance("ground", ("rod", (1, 0, 0)), 0.5)`.

    Its row is (|ab|² − length²) / (2 length) = 0, smooth even where the points meet.
    """

    of_differences = True
    a: PointLike
    b: PointLike
    length: Length

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.a.body, self.b.body)

    def acts_at(self, s: State) -> tuple[Any, Any]:
        return s.position(self.a), s.position(self.b)

    def residual(self, s: State) -> np.ndarray:
        d = s.position(self.b) - s.position(self.a)
        return np.array([(d @ d - self.length * self.length) / (2.0 * self.length)])
