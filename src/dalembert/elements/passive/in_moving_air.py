"""What forces of air, or water, at a point of a body have in common: wind, and the powers it supplies and they dissipate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dalembert.elements.element import Element
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.forces.points import Point
from dalembert.trace import Scalar
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

STILL = 1e-9
"""Speed beside which that of the air is smooth, m/s: its length has no slope at zero."""


class InMovingAir(Element):
    """A base of elements with a field `at`, the point on which air acts. Without connections the air stands still."""

    at: Point

    takes: ClassVar[Mapping[str, str]] = {"wind_x": "m/s", "wind_y": "m/s", "wind_z": "m/s"}
    optional: ClassVar[Mapping[str, float]] = {"wind_x": 0.0, "wind_y": 0.0, "wind_z": 0.0}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body,)

    def air_force(self, x: ElementAt) -> Vector:
        """The force on the body, world axes."""
        raise NotImplementedError

    def wind(self, x: ElementAt) -> Vector:
        """Velocity of the air."""
        return np.array([x["wind_x"], x["wind_y"], x["wind_z"]])

    def velocity_in_air(self, x: ElementAt) -> Vector:
        """Velocity of the point relative to the air."""
        return x.s.velocity(self.at) - self.wind(x)

    def loads(self, x: ElementAt) -> Iterable[Load]:
        yield BodyLoad(self.at, self.air_force(x), at=x.s.position(self.at))

    def dissipated(self, x: ElementAt) -> Scalar:
        return -(self.air_force(x) @ self.velocity_in_air(x))

    def supplied(self, x: ElementAt) -> Scalar:
        return self.air_force(x) @ self.wind(x)
