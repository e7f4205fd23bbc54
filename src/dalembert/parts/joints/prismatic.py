"""Prismatic: one slide along an axis fixed in both bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from dalembert.parts.joints.axis import Z_AXIS, Axis, opposite, to_z, unit_axis
from dalembert.parts.joints.bearing import Bearing, LoadTerm, guide
from dalembert.parts.joints.joint import Joint, columns
from dalembert.trace import Expr
from dalembert.vectors import Matrix, Vector, aside, twist


@dataclass(frozen=True)
class Prismatic(Joint):
    """A slider: the distance in metres along `axis`, without turning: `da.Prismatic((1, 0, 0))`."""

    axis: Axis = (1.0, 0.0, 0.0)
    """Unit vector, the same in both joint frames."""
    coordinates: ClassVar[tuple[str, ...]] = ("",)
    speeds: ClassVar[tuple[str, ...]] = ("",)

    def __post_init__(self) -> None:
        unit_axis(self, "axis")

    def translation(self, q: Vector) -> Vector:
        return q[0] * np.array(self.axis)

    def sliding(self, q: Vector) -> np.ndarray:
        return columns(self.axis)

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return np.concatenate([aside(self.axis, p), twist(R)])

    def coordinates_at(self, R: Matrix, p: Vector) -> Vector:
        return np.array([np.array(self.axis) @ p])

    def speeds_at(self, w: Vector, v: Vector) -> Vector:
        return np.array([np.array(self.axis) @ v])

    def bearing(self, sizes: Bearing, freedom: int | None) -> list[LoadTerm]:
        return guide(np.array(self.axis), sizes)

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        return R[0, 0] + R[1, 1] + R[2, 2] - 1.0

    def reversed(self) -> Prismatic:
        return replace(self, axis=opposite(self.axis))

    def aligned(self) -> tuple[Self, Matrix]:
        return super().aligned() if self.axis == Z_AXIS else (replace(self, axis=Z_AXIS), to_z(self.axis))
