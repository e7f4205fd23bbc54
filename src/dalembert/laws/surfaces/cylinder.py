"""Cylinder: on planes by the rims of both ends, on balls by its side, its ends and its edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.laws.surfaces.disc import rim
from dalembert.laws.surfaces.surface import NearestPoint, SupportBall, Surface, away, length_of
from dalembert.parts.fields import Length, PointLike
from dalembert.parts.forces.points import Point
from dalembert.parts.joints.axis import Axis
from dalembert.trace import maximum, minimum
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class SurfaceCylinder(Surface):
    """A cylinder about an axis of a body, centred on a point of it."""

    at: PointLike
    """Centre."""
    radius: Length
    """In metres."""
    length: Length
    """In metres."""
    axis: Axis = (0.0, 0.0, 1.0)
    """Unit vector in the body's axes."""

    @property
    def place(self) -> Point:
        return self.at

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        R, axis = s.rotation(self.at), np.array(self.axis)
        ends = [s.position(self.at) + (sign * 0.5 * self.length) * (R @ axis) for sign in (-1.0, 1.0)]
        return [ball for end in ends for ball in rim(end, R, axis, self.radius, n)]

    def distance(self, s: State, x: Vector) -> NearestPoint:
        axis = s.rotation(self.at) @ np.array(self.axis)
        p = x - s.position(self.at)
        height = p @ axis
        aside = p - height * axis
        kept = minimum(maximum(height, -0.5 * self.length), 0.5 * self.length)
        share = minimum(self.radius / length_of(aside), 1.0)
        return away((height - kept) * axis + (1.0 - share) * aside)
