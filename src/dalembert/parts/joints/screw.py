"""Screw: one turn about an axis that slides along it in proportion."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.fields import Number
from dalembert.parts.joints.axis import Z_AXIS, Axis, opposite, to_z, unit_axis
from dalembert.parts.joints.bearing import Bearing, LoadTerm
from dalembert.parts.joints.joint import Joint, columns
from dalembert.parts.numbers import number
from dalembert.trace import Expr, atan2, cos, minimum, sin
from dalembert.vectors import Matrix, Vector, across, along, aside, tilt, turn


@dataclass(frozen=True)
class Screw(Joint):
    """A thread: the angle in radians about `axis`; `pitch` is the advance in metres per full turn."""

    axis: Axis = (0.0, 0.0, 1.0)
    """Unit vector, the same in both joint frames."""
    pitch: Number = 0.01
    """Advance in metres per full turn."""
    coordinates: ClassVar[tuple[str, ...]] = ("",)
    speeds: ClassVar[tuple[str, ...]] = ("",)

    @property
    def spins_about_z(self) -> bool:  # type: ignore[override]
        return self.axis == Z_AXIS

    def __post_init__(self) -> None:
        unit_axis(self, "axis")
        object.__setattr__(self, "pitch", number(self.pitch, "Screw: pitch"))
        if isinstance(self.pitch, float) and self.pitch == 0.0:
            raise ModelError("Screw: a pitch of zero does not slide; use a Revolute")

    @property
    def _advance(self) -> Vector:
        return self.pitch / (2.0 * math.pi) * np.array(self.axis)

    def rotation(self, q: Vector) -> Matrix:
        return turn(np.array(self.axis), q[0])

    def translation(self, q: Vector) -> Vector:
        return q[0] * self._advance

    def turning(self, q: Vector) -> np.ndarray:
        return columns(self.axis)

    def sliding(self, q: Vector) -> np.ndarray:
        return columns(self._advance)

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        first, second = across(np.array(self.axis))
        turned = R @ first
        per_metre = 2.0 * math.pi / self.pitch
        slid = per_metre * (p @ np.array(self.axis))
        # sin(advance − angle) / per_metre: the same after any number of turns
        thread = (sin(slid) * (first @ turned) - cos(slid) * (second @ turned)) / per_metre
        return np.concatenate([aside(self.axis, p), [thread], tilt(self.axis, R)])

    def coordinates_at(self, R: Matrix, p: Vector) -> Vector:
        return np.array([2.0 * math.pi / self.pitch * (np.array(self.axis) @ p)])

    def speeds_at(self, w: Vector, v: Vector) -> Vector:
        return np.array([np.array(self.axis) @ w])

    def bearing(self, sizes: Bearing, freedom: int | None) -> list[LoadTerm]:
        """A thread of this radius: r F − h/r M along the axis is its normal force times the slip per turn, the motor's torque being
        none of the thread's."""
        if sizes.radius is None or (isinstance(sizes.radius, float) and sizes.radius <= 0.0):
            raise ModelError("friction of a Screw needs the mean radius of its thread, greater than 0; give radius=")
        axis, h = np.array(self.axis), self.pitch / (2.0 * math.pi)
        lever = h / sizes.radius
        return [LoadTerm(1.0, np.array([[*(-lever * axis), *(sizes.radius * axis), lever]]))]

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        first, second = across(np.array(self.axis))
        angle = atan2(second @ R @ first, first @ R @ first)
        return minimum(along(self.axis, R), cos(2.0 * math.pi / self.pitch * (p @ np.array(self.axis)) - angle))

    def reversed(self) -> Screw:
        return replace(self, axis=opposite(self.axis))

    def aligned(self) -> tuple[Self, Matrix]:
        return super().aligned() if self.axis == Z_AXIS else (replace(self, axis=Z_AXIS), to_z(self.axis))
