"""Plane: a half-space of a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.laws.surfaces.surface import NearestPoint, Surface
from dalembert.parts.fields import PointLike
from dalembert.parts.forces.points import Point
from dalembert.parts.joints.axis import Axis
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class SurfacePlane(Surface):
    """A plane through a point of a body; everything below it, against its normal, is solid."""

    at: PointLike = "ground"
    """A point of the plane."""
    normal: Axis = (0.0, 0.0, 1.0)
    """Unit vector out of the solid, in the body's axes."""

    @property
    def sharp(self) -> bool:
        return False

    @property
    def place(self) -> Point:
        return self.at

    @property
    def flat(self) -> bool:
        return True

    def distance(self, s: State, x: Vector) -> NearestPoint:
        n = s.rotation(self.at) @ np.array(self.normal)
        return NearestPoint(n @ (x - s.position(self.at)), n)
