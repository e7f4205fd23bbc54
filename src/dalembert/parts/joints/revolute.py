"""Revolute: one turn about an axis fixed in both bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from dalembert.parts.joints.axis import Z_AXIS, Axis, opposite, to_z, unit_axis
from dalembert.parts.joints.bearing import Bearing, LoadTerm, pin
from dalembert.parts.joints.joint import Joint, columns
from dalembert.trace import Expr
from dalembert.vectors import Matrix, Vector, along, angle_about, tilt, turn


@dataclass(frozen=True)
class Revolute(Joint):
    """A hinge (pin): the angle in radians about `axis`, which is fixed in both bodies: `da.Revolute((0, 0, 1))`."""

    axis: Axis = (0.0, 0.0, 1.0)
    """Unit vector, the same in both joint frames."""
    coordinates: ClassVar[tuple[str, ...]] = ("",)
    speeds: ClassVar[tuple[str, ...]] = ("",)

    @property
    def spins_about_z(self) -> bool:  # type: ignore[override]
        return self.axis == Z_AXIS

    def __post_init__(self) -> None:
        unit_axis(self, "axis")

    def rotation(self, q: Vector) -> Matrix:
        return turn(np.array(self.axis), q[0])

    def turning(self, q: Vector) -> np.ndarray:
        return columns(self.axis)

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return np.concatenate([p, tilt(self.axis, R)])

    def coordinates_at(self, R: Matrix, p: Vector) -> Vector:
        return np.array([angle_about(self.axis, R)])

    def speeds_at(self, w: Vector, v: Vector) -> Vector:
        return np.array([np.array(self.axis) @ w])

    def bearing(self, sizes: Bearing, freedom: int | None) -> list[LoadTerm]:
        return pin(np.array(self.axis), sizes)

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        return along(self.axis, R)

    def reversed(self) -> Revolute:
        return replace(self, axis=opposite(self.axis))

    def aligned(self) -> tuple[Self, Matrix]:
        return super().aligned() if self.axis == Z_AXIS else (replace(self, axis=Z_AXIS), to_z(self.axis))
