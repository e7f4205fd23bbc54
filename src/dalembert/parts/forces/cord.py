"""Cord: a spring and damper along a way over points, and round balls and cylinders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.fields import Number, OfElongation, PointLike, Points, RestLength
from dalembert.parts.forces.force import BodyLoad, Force, Load
from dalembert.parts.forces.wrapping import wrapped
from dalembert.trace import select, sqrt
from dalembert.vectors import Vector, cross

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.parts.forces.points import Point

Pull = tuple["Point", Any, Any]
"""Where unit tension pulls: a point of a body, the force in world axes, and its torque about the point."""


@dataclass(frozen=True, eq=False)
class Cord(Force):
    """A cord along straight lines over `points` of bodies, pulled with stiffness · (length − rest) + damping · rate.

    Points with one of `radii` above zero are the middles of balls, or of cylinders along one of the `axes` (rows of three numbers in
    body axes; zeros for balls): the cord lies on them where it would cut through them, on the shorter way, or on the side to which one
    of `sides` shows (from the middle, in body axes; zeros for either). They stand between two points that it goes through. `shares`,
    one for each piece between points that it goes through, are parts with which the pieces count in the length: ½ below a pulley
    that moves, 0 where there is none. `tension(x, v)`, a function of elongation and its rate, adds to the linear law.
    """

    points: tuple[PointLike, ...]
    stiffness: Number = 0.0
    damping: Number = 0.0
    rest: RestLength = 0.0
    tension: OfElongation = None
    radii: tuple[Number, ...] | None = None
    axes: Points | None = None
    sides: Points | None = None
    shares: tuple[Number, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        n = len(self.points)
        for name, given in (("radii", self.radii), ("axes", self.axes), ("sides", self.sides)):
            if given is not None and len(given) != n:
                raise ModelError(f"Cord: {name} must be one for each of the {n} points, not {len(given)}")
        through = [k for k in range(n) if not self._round(k)]
        if len(through) < 2 or through[0] != 0 or through[-1] != n - 1 or any(b - a > 2 for a, b in pairwise(through)):
            raise ModelError("Cord: it begins and ends at points, and has no more than one radius between two of them")
        if self.shares is not None and len(self.shares) != len(through) - 1:
            raise ModelError(f"Cord: shares must be one for each of the {len(through) - 1} pieces")

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(p.body for p in self.points)

    def _round(self, k: int) -> bool:
        radius = 0.0 if self.radii is None else self.radii[k]
        return not isinstance(radius, (int, float)) or radius > 0.0

    def _row(self, rows: Any, k: int, s: State) -> Vector | None:
        """One of the rows in world axes, None for zeros."""
        if rows is None or not np.any(rows[k]):
            return None
        return s.rotation(self.points[k].body) @ np.asarray(rows[k], dtype=float)

    def _way(self, s: State) -> tuple[Any, list[Pull]]:
        """Length, and where a cord under unit tension pulls."""
        through = [k for k in range(len(self.points)) if not self._round(k)]
        length: Any = 0.0
        pulls: list[Pull] = []
        for i, (a, b) in enumerate(pairwise(through)):
            share = 1.0 if self.shares is None else self.shares[i]
            if isinstance(share, float) and share == 0.0:
                continue
            piece, along = self._piece(s, a, b)
            length = length + share * piece
            pulls += [(self.points[k], share * force, share * torque) for k, force, torque in along]
        return length, pulls

    def _piece(self, s: State, a: int, b: int) -> tuple[Any, list[tuple[int, Any, Any]]]:
        ends = s.position(self.points[a]), s.position(self.points[b])
        if b - a == 1:
            length, (first, last, _) = piece(*ends)
            return length, [(a, first, 0.0 * first), (b, last, 0.0 * last)]
        k = a + 1
        assert self.radii is not None
        middle, axis, side = s.position(self.points[k]), self._row(self.axes, k, s), self._row(self.sides, k, s)
        length, (first, last, torque) = piece(*ends, middle, self.radii[k], axis, side)
        return length, [(a, first, 0.0 * first), (b, last, 0.0 * last), (k, -first - last, torque)]

    def loads(self, s: State) -> Iterable[Load]:
        length, pulls = self._way(s)
        rate: Any = 0.0
        for place, force, torque in pulls:
            rate = rate - force @ s.velocity(place) - torque @ s.angular_velocity(place.body)
        pull = self.stiffness * (length - self.rest) + self.damping * rate
        if self.tension is not None:
            pull = pull + self.tension(length - self.rest, rate)
        for place, force, torque in pulls:
            yield BodyLoad(place, pull * force, pull * torque, s.position(place))

    def potential(self, s: State) -> Scalar:
        length, _ = self._way(s)
        return 0.5 * self.stiffness * (length - self.rest) * (length - self.rest)


def piece(
    start: Vector, end: Vector, middle: Vector | None = None, radius: Any = 0.0, axis: Any = None, side: Any = None
) -> tuple[Any, tuple[Vector, Vector, Vector]]:
    """Length of a cord between two points, round a body or not; the forces of unit tension on its ends, and the torque on the body
    about its middle."""
    straight = sqrt((end - start) @ (end - start))
    along = (end - start) / straight
    if middle is None:
        return straight, (along, -along, 0.0 * along)
    on = wrapped(start - middle, end - middle, radius, axis, side)

    def chosen(lying: Vector, direct: Vector) -> Vector:
        return np.array([select(on.touches, x, y) for x, y in zip(lying, direct)])

    torque = chosen(-cross(on.first, on.first_pull) - cross(on.last, on.last_pull), 0.0 * along)
    pulls = chosen(on.first_pull, along), chosen(on.last_pull, -along), torque
    return select(on.touches, on.length, straight), pulls
