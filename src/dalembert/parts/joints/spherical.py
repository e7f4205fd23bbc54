"""Spherical: any rotation about a common point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.joints.bearing import Bearing, LoadTerm, on_force
from dalembert.parts.joints.joint import Joint
from dalembert.parts.joints.orientation import OrientationName, orientation_named
from dalembert.vectors import IDENTITY, Matrix, Vector, cross


@dataclass(frozen=True)
class Spherical(Joint):
    """A ball and socket; speeds are the angular velocity of child in parent, in child axes.

    `orientation` is "euler_parameters" (four coordinates, no singular pose), "angles" (three, 1-2-3), or another of the twelve
    sequences of Euler angles: "313".
    """

    orientation: OrientationName = "euler_parameters"
    """The word "euler_parameters", "angles" (body-fixed 1-2-3), or the name of one of the twelve Euler sequences, such as "313"."""
    speeds: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz")
    rates_are_speeds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        orientation_named(self.orientation, "Spherical")

    @property
    def _turn(self) -> Any:
        return orientation_named(self.orientation, "Spherical")

    @property
    def coordinates(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._turn.coordinates)

    @property
    def reference(self) -> np.ndarray:
        return np.array(self._turn.reference)

    def rotation(self, q: Vector) -> Matrix:
        return np.asarray(self._turn.rotation(q))

    def turning(self, q: Vector) -> np.ndarray:
        return IDENTITY

    def rates(self, q: Vector, u: Vector) -> Vector:
        return self._turn.rates(q, u)

    def speeds_from_rates(self, q: Vector, rates: Vector) -> Vector:
        return self._turn.angular_velocity(q, rates)

    def turned_momenta(self, q: Vector, u: Vector, pi: Vector) -> Vector:
        return cross(u, pi)

    def admissible(self, q: Vector) -> Vector:
        return self._turn.admissible(q)

    def condition(self, q: Vector) -> np.ndarray:
        return np.asarray(self._turn.condition(q))

    def singularity(self, q: Vector) -> str | None:
        return self._turn.singularity(q)

    def speeds_at(self, w: Vector, v: Vector) -> Vector:
        return w

    def bearing(self, sizes: Bearing, freedom: int | None) -> list[LoadTerm]:
        if sizes.radius is None:
            raise ModelError("friction of a Spherical joint needs the radius of its ball; give radius=")
        return [LoadTerm(sizes.radius, on_force(*IDENTITY))]

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return p
