"""Disc: the rim of a wheel or a coin, on planes; a cylinder has two of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.laws.surfaces.surface import SupportBall, Surface
from dalembert.parts.fields import Length, PointLike
from dalembert.parts.forces.points import Point
from dalembert.parts.joints.axis import Axis
from dalembert.trace import sqrt
from dalembert.vectors import Vector, across, cross

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

FLAT = 1e-6
"""Tilt, in radians, from which on a rim that lies on a plane differs from one that lies flat: its lowest point is off by a third
of that times the radius at most."""
CORNERS = 3
"""Points of a rim that bear a disc which lies flat; all of the rim bears it as soon as it tilts by more than `FLAT`."""


@dataclass(frozen=True, eq=False)
class SurfaceDisc(Surface):
    """A thin disc, or a wheel: a circle about an axis of a body. It rolls on its lowest point, and can lie flat."""

    at: PointLike
    """Centre."""
    radius: Length
    """In metres."""
    axis: Axis = (0.0, 0.0, 1.0)
    """Unit vector across the disc, in the body's axes."""

    @property
    def place(self) -> Point:
        return self.at

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        R = s.rotation(self.at)
        return rim(s.position(self.at), R, np.array(self.axis), self.radius, n)


def rim(centre: Vector, R: Any, axis: Vector, radius: Any, n: Vector) -> list[SupportBall]:
    """The lowest point of a circle along n; and points of it that bear it where it lies flat, and has no lowest point.

    Those stand back by radius · sin² of the tilt, so that they touch nothing while it rolls.
    """
    a = R @ axis
    level = cross(
        a, n
    )  # along the horizontal of the disc, as long as the sine: differences like n − (n·a) a would lose its digits
    aside, squared_sine = cross(level, a), level @ level
    lowest = centre - (radius / sqrt(squared_sine + FLAT * FLAT)) * aside
    found = [SupportBall(lowest, 0.0)]
    first, second = across(axis)
    for k in range(CORNERS):
        angle = 2.0 * math.pi * k / CORNERS
        corner = centre + R @ (radius * (math.cos(angle) * first + math.sin(angle) * second))
        found.append(SupportBall(corner, -radius * squared_sine))
    return found
