"""Cylindrical: a turn about and a slide along one axis, independent of each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from dalembert.parts.joints.axis import Z_AXIS, Axis, opposite, to_z, unit_axis
from dalembert.parts.joints.bearing import Bearing, LoadTerm, guide, pin
from dalembert.parts.joints.joint import Joint, columns
from dalembert.trace import Expr
from dalembert.vectors import ZERO, Matrix, Vector, along, angle_about, aside, tilt, turn


@dataclass(frozen=True)
class Cylindrical(Joint):
    """A sleeve on a shaft: the angle about and the distance along `axis`. Joint "J" has coordinates "J.angle" and "J.slide"."""

    axis: Axis = (0.0, 0.0, 1.0)
    """Unit vector, the same in both joint frames."""
    coordinates: ClassVar[tuple[str, ...]] = ("angle", "slide")
    speeds: ClassVar[tuple[str, ...]] = ("angle", "slide")

    @property
    def spins_about_z(self) -> bool:  # type: ignore[override]
        return self.axis == Z_AXIS

    def __post_init__(self) -> None:
        unit_axis(self, "axis")

    def rotation(self, q: Vector) -> Matrix:
        return turn(np.array(self.axis), q[0])

    def translation(self, q: Vector) -> Vector:
        return q[1] * np.array(self.axis)

    def turning(self, q: Vector) -> np.ndarray:
        return columns(self.axis, ZERO)

    def sliding(self, q: Vector) -> np.ndarray:
        return columns(ZERO, self.axis)

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return np.concatenate([aside(self.axis, p), tilt(self.axis, R)])

    def coordinates_at(self, R: Matrix, p: Vector) -> Vector:
        return np.array([angle_about(self.axis, R), np.array(self.axis) @ p])

    def speeds_at(self, w: Vector, v: Vector) -> Vector:
        axis = np.array(self.axis)
        return np.array([axis @ w, axis @ v])

    def bearing(self, sizes: Bearing, freedom: int | None) -> list[LoadTerm]:
        axis = np.array(self.axis)
        return guide(axis, sizes) if freedom == 1 else pin(axis, sizes)

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        return along(self.axis, R)

    def reversed(self) -> Cylindrical:
        return replace(self, axis=opposite(self.axis))

    def aligned(self) -> tuple[Self, Matrix]:
        return super().aligned() if self.axis == Z_AXIS else (replace(self, axis=Z_AXIS), to_z(self.axis))
