"""AirDrag: the drag of air, or water, on a body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dalembert.elements.element import Element, output
from dalembert.parts.fields import Number, PointLike
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.trace import Scalar, sqrt

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

STILL = 1e-9
"""Speed beside which that of the air is smooth, m/s: its length has no slope at zero."""


@dataclass(frozen=True, eq=False)
class AirDrag(Element):
    """½ `density` · `coefficient` · `area` |v| v against the velocity v of a point relative to the air.

    Inputs `wind_x`, `wind_y` and `wind_z`, in world axes, are the velocity of the air; what is not connected is zero.
    """

    at: PointLike
    area: Number
    coefficient: Number = 1.0
    density: Number = 1.225

    takes: ClassVar[Mapping[str, str]] = {"wind_x": "m/s", "wind_y": "m/s", "wind_z": "m/s"}
    optional: ClassVar[Mapping[str, float]] = {"wind_x": 0.0, "wind_y": 0.0, "wind_z": 0.0}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body,)

    def _wind(self, x: ElementAt) -> Scalar:
        return np.array([x["wind_x"], x["wind_y"], x["wind_z"]])

    def _drag(self, x: ElementAt) -> Scalar:
        v = x.s.velocity(self.at) - self._wind(x)
        return -0.5 * self.density * self.coefficient * self.area * sqrt(v @ v + STILL * STILL) * v

    @output("N")
    def drag(self, x: ElementAt) -> Scalar:
        """Size of the force."""
        f = self._drag(x)
        return sqrt(f @ f)

    def loads(self, x: ElementAt) -> Iterable[Load]:
        yield BodyLoad(self.at, self._drag(x), at=x.s.position(self.at))

    def dissipated(self, x: ElementAt) -> Scalar:
        return -(self._drag(x) @ (x.s.velocity(self.at) - self._wind(x)))

    def supplied(self, x: ElementAt) -> Scalar:
        return self._drag(x) @ self._wind(x)
