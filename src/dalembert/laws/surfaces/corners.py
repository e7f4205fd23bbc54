"""Corners: points of a body, as of a polyhedron, or balls about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import ModelError
from dalembert.laws.checks import check_not_negative
from dalembert.laws.surfaces.surface import SupportBall, Surface
from dalembert.parts.fields import BodyName, Points, RestLength
from dalembert.parts.forces.points import Point
from dalembert.parts.numbers import numbers
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class SurfaceCorners(Surface):
    """Corners of a body, as of a polyhedron: its points in body axes, or balls of a radius about them. On a plane they are the
    whole body; of anything else they are all that is touched."""

    body: BodyName
    """Name of the body."""
    points: Points
    """Rows of x, y, z in the body's axes, m."""
    radius: RestLength = 0.0
    """Radius of the balls about the points, m."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative(f'corners of "{self.body}"', radius=self.radius)
        given = np.array(self.points, dtype=object)
        if given.ndim != 2 or not len(given):
            raise ModelError(f'corners of "{self.body}": points must be rows of three numbers, not {self.points!r}')
        object.__setattr__(self, "points", numbers(given, (len(given), 3), f'corners of "{self.body}"'))

    @property
    def place(self) -> Point:
        return Point(self.body)

    def balls(self, s: State) -> Sequence[SupportBall]:
        return [SupportBall(s.position(Point(self.body, x)), self.radius) for x in self.points]

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        return self.balls(s)
