"""Wing: lift and drag of a surface in air or water.

With the air coming at an angle α to the chord: lift ½ ρ A v² c_L across the flow, c_L = a sin α cos α, and drag ½ ρ A v² c_D along it,
c_D = c₀ + k c_L². Prandtl's lifting line for an elliptic wing of aspect ratio Λ: a = 2π/(1 + 2/Λ), k = 1/(πΛ). Anderson, *Fundamentals
of Aerodynamics* (2011), section 5.3. Flow along the span makes no force.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.elements.element import output
from dalembert.elements.passive.in_moving_air import STILL, InMovingAir
from dalembert.parts.fields import Number, PointLike
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, atan2, sqrt
from dalembert.vectors import Vector, cross

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class Wing(InMovingAir):
    """Lift and drag at a point of a body: `chord` points ahead and `up` away from the pressed side, in the body's axes.

    `lift` is the slope of c_L for each radian, `drag` that without lift, `induced` what c_L² adds to it. Inputs `wind_x`, `wind_y` and
    `wind_z`, in world axes, are the velocity of the air; what is not connected is zero.
    """

    at: PointLike
    area: Number
    chord: Axis = (1.0, 0.0, 0.0)
    up: Axis = (0.0, 0.0, 1.0)
    lift: Number = 5.0
    drag: Number = 0.02
    induced: Number = 0.05
    density: Number = 1.225

    def _flow(self, x: ElementAt) -> tuple[Any, Any, Any, Any]:
        """Speed across the span, direction of motion through the air, direction of lift, angle."""
        R = x.s.rotation(self.at)
        chord, up = R @ np.asarray(self.chord), R @ np.asarray(self.up)
        v = self.velocity_in_air(x)
        ahead, sinking = chord @ v, -(up @ v)
        speed = sqrt(ahead * ahead + sinking * sinking + STILL * STILL)
        along = (ahead * chord - sinking * up) / speed
        return speed, along, cross(along, cross(chord, up)) * -1.0, atan2(sinking, ahead)

    @output("rad")
    def angle(self, x: ElementAt) -> Scalar:
        """α, at which the air comes from below the chord."""
        return self._flow(x)[3]

    def air_force(self, x: ElementAt) -> Vector:
        speed, along, across, _ = self._flow(x)
        R = x.s.rotation(self.at)
        # sin α and cos α without the angle itself, which jumps where the air comes from behind
        c, s = along @ (R @ np.asarray(self.chord)), -(along @ (R @ np.asarray(self.up)))
        lift = self.lift * s * c
        return 0.5 * self.density * self.area * speed * speed * (
            lift * across - (self.drag + self.induced * lift * lift) * along
        )  # fmt: skip

    @output("N")
    def force(self, x: ElementAt) -> Scalar:
        """Size of the whole force."""
        f = self.air_force(x)
        return sqrt(f @ f)
