"""Cylindrical: a turn about and a slide along one axis, independent of each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dalembert.system.joints.axis import Axis, unit_axis
from dalembert.system.joints.joint import Joint, columns
from dalembert.vectors import ZERO, Matrix, Vector, turn


@dataclass(frozen=True)
class Cylindrical(Joint):
    """A sleeve on a shaft: the angle about and the distance along `axis`."""

    axis: Axis = (0.0, 0.0, 1.0)
    coordinates: ClassVar[tuple[str, ...]] = ("angle", "slide")
    speeds: ClassVar[tuple[str, ...]] = ("angle", "slide")

    def __post_init__(self) -> None:
        unit_axis(self, "axis")

    def rotation(self, q: Any) -> Matrix:
        return turn(np.array(self.axis), q[0])

    def translation(self, q: Any) -> Vector:
        return q[1] * np.array(self.axis)

    def turning(self, q: Any) -> np.ndarray:
        return columns(self.axis, ZERO)

    def sliding(self, q: Any) -> np.ndarray:
        return columns(ZERO, self.axis)
