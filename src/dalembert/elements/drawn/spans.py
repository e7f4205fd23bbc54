"""Straight spans of a belt between pulleys: where they touch, which way they go, how far pulleys are wrapped.

Between pulleys of centres c and radii r, on whose sides the belt runs (1: counter-clockwise about the axis n, −1: clockwise), with
δ = s₂r₂ − s₁r₁, D = c₂ − c₁ and d its length, a span is l = √(d² − δ²) long and goes along t = (l D − δ n × D)/d²; it touches each
pulley at c + s r t × n. All that lies across n: pulleys stand in one plane. Between two points, pulleys of radius 0, a span is their
connection in space, whatever n is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.trace import Expr, Scalar, atan2, select, sqrt
from dalembert.vectors import Vector, cross

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt
    from dalembert.parts.forces.points import Point


ASIDE = 1e-6
"""Part of their distance and radii by which two pulleys may be out of one plane."""


@dataclass(frozen=True, eq=False)
class Span:
    """A straight piece from pulley `a` to pulley `b`, by number: direction, length, and the places where it touches them."""

    a: int
    b: int
    t: Vector
    length: Any
    leaves: Vector
    arrives: Vector


@dataclass(frozen=True, eq=False)
class Pulleys:
    """A belt's pulleys in the order in which it runs over them, its ends being pulleys of radius 0 where it is not closed."""

    centres: tuple[Point, ...]
    radii: tuple[Any, ...]
    sides: tuple[Any, ...]
    axis: Any
    closed: bool

    def check(self, where: str) -> None:
        """Raise a ModelError where lists do not fit or an end is no point."""
        n = len(self.centres)
        if n < 2:
            raise ModelError(f"{where}: it runs over two pulleys at least, not {n}")
        for name, values in (("radii", self.radii), ("sides", self.sides)):
            if len(values) != n:
                raise ModelError(f"{where}: {name} must have a value for each of its {n} pulleys, not {len(values)}")
        if any(isinstance(r, float) and r < 0.0 for r in self.radii):
            raise ModelError(f"{where}: radii must not be below zero; sides=-1 says that it runs clockwise")
        if any(s not in (1.0, -1.0) for s in self.sides):
            raise ModelError(f"{where}: sides must be 1 (counter-clockwise about the axis) or -1, not {self.sides!r}")
        ends = (self.radii[0], self.radii[-1])
        if not self.closed and any(type(r) is not float or r != 0.0 for r in ends):
            raise ModelError(f"{where}: the ends of a belt that is not closed are points: give them radius 0")

    @property
    def count(self) -> int:
        """How many spans there are."""
        return len(self.centres) - (0 if self.closed else 1)

    def spans(self, x: ElementAt) -> list[Span]:
        """In the state of the mechanism."""
        s, n = x.s, len(self.centres)
        axis = s.rotation(self.centres[0]) @ np.asarray(self.axis)
        places = [s.position(c) for c in self.centres]
        return [self._span(i, (i + 1) % n, axis, places) for i in range(self.count)]

    def _span(self, a: int, b: int, axis: Vector, places: Sequence[Vector]) -> Span:
        D = places[b] - places[a]
        if self._is_point(a) and self._is_point(b):
            length = sqrt(D @ D)
            return Span(a, b, D / length, length, places[a], places[b])
        aside = axis @ D
        self._check_in_plane(a, b, aside, D)
        D = D - aside * axis
        d2, (r, R) = D @ D, (self.sides[k] * self.radii[k] for k in (a, b))
        across = R - r
        if type(d2) is not Expr and type(across) is not Expr and not d2 > across * across:
            raise ModelError(
                f"pulleys {a + 1} and {b + 1} lie in each other, so that no span goes from one to the other"
            )
        length = sqrt(d2 - across * across)
        t = (length * D - across * cross(axis, D)) / d2
        out = cross(t, axis)
        return Span(a, b, t, length, places[a] + r * out, places[b] + R * out)

    def _is_point(self, k: int) -> bool:
        return type(self.radii[k]) is not Expr and self.radii[k] == 0.0

    def _check_in_plane(self, a: int, b: int, aside: Scalar, D: Vector) -> None:
        """Where it is known in numbers."""
        sizes = [abs(x) for x in (*D, self.radii[a], self.radii[b]) if type(x) is not Expr]
        if type(aside) is not Expr and abs(aside) > ASIDE * sum(sizes):
            raise ModelError(
                f"pulleys {a + 1} and {b + 1} do not stand in one plane: their centres are {abs(aside):.3g} m apart along the axis. "
                "Move one of them, or the point of its body; only between points, of radius 0, does a span go through space"
            )

    def wrap(self, x: ElementAt, before: Span, after: Span) -> Scalar:
        """Angle, from 0 to 2π, over which the belt lies on the pulley between two spans."""
        axis = x.s.rotation(self.centres[0]) @ np.asarray(self.axis)
        angle = atan2(self.sides[before.b] * (axis @ cross(before.t, after.t)), before.t @ after.t)
        return select(angle < 0.0, angle + 2.0 * np.pi, angle)

    def passing(self, x: ElementAt, k: int, at: Vector) -> Vector:
        """Velocity of the material of pulley k at a place."""
        s, c = x.s, self.centres[k]
        return s.velocity(c) + cross(s.angular_velocity(c), at - s.position(c))
