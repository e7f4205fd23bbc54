"""Sphere: a ball about a point of a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.laws.checks import check_not_negative
from dalembert.laws.surfaces.surface import NearestPoint, SupportBall, Surface, away
from dalembert.parts.fields import PointLike, RestLength
from dalembert.parts.forces.points import Point
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class SurfaceSphere(Surface):
    """A ball about a point of a body; the point itself where its radius is 0. In a plane, a roller or a pin."""

    at: PointLike
    """Centre."""
    radius: RestLength = 0.0
    """In metres."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative(f'sphere of "{self.at.body}"', radius=self.radius)

    @property
    def place(self) -> Point:
        return self.at

    def balls(self, s: State) -> Sequence[SupportBall]:
        return [SupportBall(s.position(self.at), self.radius)]

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        return self.balls(s)

    def distance(self, s: State, x: Vector) -> NearestPoint:
        far = away(x - s.position(self.at))
        return NearestPoint(far.distance - self.radius, far.normal)
