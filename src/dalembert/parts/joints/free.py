"""Free: any rotation and any translation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dalembert.parts.joints.joint import Joint
from dalembert.parts.joints.orientation import OrientationName, orientation_named
from dalembert.vectors import IDENTITY, Matrix, Vector, cross

_NONE = np.zeros((3, 3))


@dataclass(frozen=True)
class Free(Joint):
    """Six freedoms: orientation first, then the child's origin in parent axes.

    Speeds are the angular velocity in child axes and the rate of the origin in parent axes. `orientation` is as of `Spherical`.
    """

    orientation: OrientationName = "euler_parameters"
    """The word "euler_parameters", "angles" (body-fixed 1-2-3), or the name of one of the twelve Euler sequences, such as "313"."""
    speeds: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz", "vx", "vy", "vz")
    rates_are_speeds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        orientation_named(self.orientation, "Free")

    @property
    def _turn(self) -> Any:
        return orientation_named(self.orientation, "Free")

    @property
    def coordinates(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self._turn.coordinates, "x", "y", "z")

    @property
    def reference(self) -> np.ndarray:
        return np.array([*self._turn.reference, 0.0, 0.0, 0.0])

    def rotation(self, q: Vector) -> Matrix:
        return np.asarray(self._turn.rotation(q[:-3]))

    def translation(self, q: Vector) -> Vector:
        return np.array([*q[-3:]])

    def turning(self, q: Vector) -> np.ndarray:
        return np.hstack([IDENTITY, _NONE])

    def sliding(self, q: Vector) -> np.ndarray:
        return np.hstack([_NONE, IDENTITY])

    def rates(self, q: Vector, u: Vector) -> Vector:
        return np.concatenate([self._turn.rates(q[:-3], u[:3]), u[3:]])

    def speeds_from_rates(self, q: Vector, rates: Vector) -> Vector:
        return np.concatenate([self._turn.angular_velocity(q[:-3], rates[:-3]), rates[-3:]])

    def turned_momenta(self, q: Vector, u: Vector, pi: Vector) -> Vector:
        return np.concatenate([cross(u[:3], pi[:3]), np.zeros(3)])

    def admissible(self, q: Vector) -> Vector:
        return np.concatenate([self._turn.admissible(q[:-3]), q[-3:]])

    def condition(self, q: Vector) -> np.ndarray:
        return np.asarray(self._turn.condition(q[:-3]))

    def singularity(self, q: Vector) -> str | None:
        return self._turn.singularity(q[:-3])

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return np.zeros(0)


def General() -> Free:
    """Source E's general joint: three body-fixed 1-2-3 angles and three translations in the parent's axes."""
    return Free(orientation="angles")
