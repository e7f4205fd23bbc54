"""AirDrag: the drag of air, or water, on a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.elements.element import output
from dalembert.elements.passive.in_moving_air import STILL, InMovingAir
from dalembert.parts.fields import Number, PointLike
from dalembert.trace import Scalar, sqrt
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class AirDrag(InMovingAir):
    """½ `density` · `coefficient` · `area` |v| v against the velocity v of a point relative to the air.

    Inputs `wind_x`, `wind_y` and `wind_z`, in world axes, are the velocity of the air; what is not connected is zero.
    """

    at: PointLike
    area: Number
    coefficient: Number = 1.0
    density: Number = 1.225

    def air_force(self, x: ElementAt) -> Vector:
        v = self.velocity_in_air(x)
        return -0.5 * self.density * self.coefficient * self.area * sqrt(v @ v + STILL * STILL) * v

    @output("N")
    def drag(self, x: ElementAt) -> Scalar:
        """Size of the force."""
        f = self.air_force(x)
        return sqrt(f @ f)
