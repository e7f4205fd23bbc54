"""Planar: two slides in a plane and a turn about its normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dalembert.parts.joints.axis import Axis, unit_axis
from dalembert.parts.joints.joint import Joint, columns
from dalembert.trace import Expr
from dalembert.vectors import ZERO, Matrix, Vector, across, along, tilt, turn


@dataclass(frozen=True)
class Planar(Joint):
    """A block on a table: x and y in the plane across `normal` (parent axes), then the angle about it."""

    normal: Axis = (0.0, 0.0, 1.0)
    """Unit vector across the plane, in the joint frame on the parent."""
    coordinates: ClassVar[tuple[str, ...]] = ("x", "y", "angle")
    speeds: ClassVar[tuple[str, ...]] = ("x", "y", "angle")

    def __post_init__(self) -> None:
        unit_axis(self, "normal")

    def rotation(self, q: Vector) -> Matrix:
        return turn(np.array(self.normal), q[2])

    def translation(self, q: Vector) -> Vector:
        x, y = across(np.array(self.normal))
        return q[0] * x + q[1] * y

    def turning(self, q: Vector) -> np.ndarray:
        return columns(ZERO, ZERO, self.normal)

    def sliding(self, q: Vector) -> np.ndarray:
        return columns(*across(np.array(self.normal)), ZERO)

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return np.concatenate([[p @ np.array(self.normal)], tilt(self.normal, R)])

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        return along(self.normal, R)
