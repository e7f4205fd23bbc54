"""Box: a block of a body, by its corners on planes, by its faces, edges and corners on balls."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dalembert.laws.surfaces.surface import NearestPoint, SupportBall, Surface, away
from dalembert.parts.fields import BodyName, Numbers3, Place
from dalembert.parts.forces.points import Point
from dalembert.parts.frames import Frame
from dalembert.parts.numbers import positive
from dalembert.trace import maximum, minimum
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class SurfaceBox(Surface):
    """A block of a body with edges `size` along the axes of its place, about which it is centred."""

    body: BodyName
    """Name of the body."""
    size: Numbers3
    """Edges along x, y and z of `frame`, m."""
    frame: Place = field(default_factory=Frame)
    """Centre and axes of the box on the body."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for edge in self.size:
            positive(edge, f'box of "{self.body}": size')

    @property
    def place(self) -> Point:
        return Point(self.body, self.frame.position)

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        R, o = s.rotation(self.body) @ self.frame.rotation, s.position(self.place)
        half = [0.5 * x for x in self.size]
        corners = [np.array([a * h for a, h in zip(signs, half)]) for signs in itertools.product((-1.0, 1.0), repeat=3)]
        return [SupportBall(o + R @ corner, 0.0) for corner in corners]

    def distance(self, s: State, x: Vector) -> NearestPoint:
        R = s.rotation(self.body) @ self.frame.rotation
        local = R.T @ (x - s.position(self.place))
        inside = np.array([minimum(maximum(p, -0.5 * edge), 0.5 * edge) for p, edge in zip(local, self.size)])
        far = away(local - inside)
        return NearestPoint(far.distance, R @ far.normal)
