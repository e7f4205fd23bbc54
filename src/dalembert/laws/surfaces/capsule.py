"""Capsule: a bar with round ends, and how two of them touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import ModelError
from dalembert.laws.checks import check_not_negative
from dalembert.laws.surfaces.surface import NearestPoint, Segment, SupportBall, Surface, away
from dalembert.parts.fields import Numbers3, PointLike, RestLength
from dalembert.parts.forces.points import Point
from dalembert.trace import Expr, maximum, minimum, select
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

PARALLEL = 1e-12
"""Squared sine of the angle between bars below which they touch by their ends alone: nothing between is nearer but by rounding."""


@dataclass(frozen=True, eq=False)
class SurfaceCapsule(Surface):
    """A bar with round ends from a point of a body to another, `to`, in the same body's axes; a wall where the radius is 0."""

    at: PointLike
    """Centre of one end."""
    to: Numbers3
    """Centre of the other end."""
    radius: RestLength = 0.0
    """In metres."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative(f'capsule of "{self.at.body}"', radius=self.radius)
        if self.at.node is not None:
            raise ModelError(f'capsule of "{self.at.body}": a capsule does not bend; put a sphere at each node')
        along = [x for x in self.to - self.at.at]
        if not any(type(x) is Expr or x != 0.0 for x in along):
            raise ModelError(f'capsule of "{self.at.body}": both its ends are at one place; give a sphere instead')

    @property
    def place(self) -> Point:
        return self.at

    @property
    def _end(self) -> Point:
        return Point(self.at.body, self.to)

    def segment(self, s: State) -> Segment:
        return Segment(s.position(self.at), s.position(self._end), self.radius)

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        bar = self.segment(s)
        return [SupportBall(bar.a, bar.radius), SupportBall(bar.b, bar.radius)]

    def distance(self, s: State, x: Vector) -> NearestPoint:
        bar = self.segment(s)
        far = away(x - foot(bar, x).point)
        return NearestPoint(far.distance - bar.radius, far.normal)


class Foot(NamedTuple):
    """The point of a segment that is nearest to a point, and by what length the foot of its perpendicular lies beyond an end."""

    point: Vector
    beyond: Any


def foot(bar: Segment, x: Vector) -> Foot:
    along = bar.b - bar.a
    share = ((x - bar.a) @ along) / (along @ along)
    kept = minimum(maximum(share, 0.0), 1.0)
    return Foot(bar.a + kept * along, (share - kept) * (share - kept) * (along @ along))


class Near(NamedTuple):
    """Points of two bars that may touch, x on the first one's axis and y on the second one's, and what is added to their distance."""

    x: Vector
    y: Vector
    besides: Any


def near_points(first: Segment, second: Segment) -> list[Near]:
    """Pairs of points by which two bars touch: ends of the first on the second, ends of the second along the first, and the crossing.

    Every touch is one of these. Where the crossing, or an end of the second, has its foot beyond an end of the first bar, ends of the
    first see it already: there the square of the length beyond, by the bars' reach, is added to the distance, so that one touch is not
    counted twice.
    """
    reach = first.radius + second.radius
    found = [Near(x, foot(second, x).point, 0.0) for x in (first.a, first.b)]
    for y in (second.a, second.b):
        at = foot(first, y)
        found.append(Near(at.point, y, at.beyond / reach))
    return [*found, _crossing(first, second, reach)]


def _crossing(first: Segment, second: Segment, reach: Any) -> Near:
    u, v, w = first.b - first.a, second.b - second.a, first.a - second.a
    uu, vv, uv, uw, vw = u @ u, v @ v, u @ v, u @ w, v @ w
    squared_sine = uu * vv - uv * uv
    crosses = squared_sine > PARALLEL * uu * vv
    safe = select(crosses, squared_sine, uu * vv)
    at, on = (uv * vw - vv * uw) / safe, (uu * vw - uv * uw) / safe
    kept, kept_on = (minimum(maximum(x, 0.0), 1.0) for x in (at, on))
    beyond = (at - kept) * (at - kept) * uu + (on - kept_on) * (on - kept_on) * vv
    return Near(first.a + kept * u, second.a + kept_on * v, select(crosses, beyond / reach, reach))
