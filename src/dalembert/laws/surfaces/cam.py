"""Cam: a closed curve in a plane of a body, r(angle), against rollers and flat followers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.laws.surfaces.closed_curve import SurfaceCurve
from dalembert.laws.surfaces.surface import NearestPoint, SupportBall, Surface, length_of
from dalembert.parts.fields import Function, PointLike
from dalembert.parts.forces.points import Point
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Expr, atan2, cos, directional, floor, free_symbols, maximum, select, sin, substitute, symbol
from dalembert.vectors import Vector, across

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

ANGLE = symbol("#angle")
"""The variable of every cam."""
NEWTON_STEPS = 10
"""Steps to the point that touches."""
LEAST_CURVATURE = 0.1
"""Part of |c′|² that a step divides by at least, far from the curve."""
ACROSS = 1e-9
"""Cosine below which two axes are across each other."""
OUTLINE = 360
"""Angles at which a cam's radius is checked."""

OfAngle = Annotated[Any, Function(("angle",))]


@dataclass(frozen=True, eq=False)
class SurfaceCam(Surface):
    """A cam: a closed curve around a point of a body, in the plane across `axis`; `radius` is a function of the angle, from `zero` on.

    A ball, in a plane a roller or a point, touches it where it is nearest: the curve must not be hollowed more sharply than the ball is
    round. A flat follower touches it where it reaches furthest: the curve must not be hollow there.
    """

    at: PointLike
    radius: OfAngle
    axis: Axis = (0.0, 0.0, 1.0)
    zero: Axis | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f'cam of "{self.at.body}"'
        if self.zero is not None and abs(float(np.dot(self.zero, self.axis))) > ACROSS:
            raise ModelError(f"{where}: zero={self.zero!r} must lie across its axis, {self.axis!r}")
        if isinstance(self._radius, float) and not self._radius > 0.0:
            raise ModelError(f"{where}: its radius must be above 0, not {self._radius:g}")
        if isinstance(self._radius, Expr) and set(free_symbols([self._radius])) == {ANGLE}:
            found = np.array(
                [self._at(self._radius, x) for x in np.linspace(0.0, 2.0 * math.pi, OUTLINE, endpoint=False)]
            )
            if not (found > 0.0).all():
                raise ModelError(f"{where}: its radius must be above 0 at every angle; it is {found.min():g} somewhere")

    @property
    def sharp(self) -> bool:
        return False

    @property
    def place(self) -> Point:
        return self.at

    @property
    def _axes(self) -> tuple[Vector, Vector]:
        """Where the angle is zero, and a quarter turn on."""
        axis = np.array(self.axis)
        if self.zero is None:
            return across(axis)
        first = np.array(self.zero)
        return first, np.cross(axis, first)

    @cached_property
    def _radius(self) -> Any:
        given = self.radius
        return given(ANGLE) if callable(given) else given

    @cached_property
    def _rates(self) -> tuple[Any, Any]:
        """r′ and r″."""
        first = directional([self._radius], {ANGLE: 1.0})[0] if isinstance(self._radius, Expr) else 0.0
        return first, directional([first], {ANGLE: 1.0})[0] if isinstance(first, Expr) else 0.0

    @staticmethod
    def _at(what: Any, angle: Any) -> Any:
        """At an angle within one turn from 0 on, as a table has it."""
        turned = angle - 2.0 * math.pi * floor(angle / (2.0 * math.pi))
        return substitute([what], {ANGLE: turned})[0] if isinstance(what, Expr) else what

    def _curve(self, angle: Any) -> tuple[Vector, Vector, Vector]:
        """c, c′ and c″ in the plane of the cam."""
        r, (first, second) = self._at(self._radius, angle), (self._at(x, angle) for x in self._rates)
        out, on = np.array([cos(angle), sin(angle)]), np.array([-sin(angle), cos(angle)])
        return r * out, first * out + r * on, (second - r) * out + 2.0 * first * on

    def _found(self, angle: Any, slope: Callable[[Vector, Vector, Vector], tuple[Any, Any, Any]]) -> Any:
        """The angle at which a slope is zero, from one near it; `slope` gives it with its rate, and what that must not fall below."""
        for _ in range(NEWTON_STEPS):
            value, rate, least = slope(*self._curve(angle))
            angle = angle - value / maximum(rate, least)
        return angle

    def _in_plane(self, s: State, v: Vector) -> Vector:
        R = s.rotation(self.at)
        return np.array([(R @ axis) @ v for axis in self._axes])

    def _in_world(self, s: State, v: Vector) -> Vector:
        R, (first, second) = s.rotation(self.at), self._axes
        return R @ (v[0] * first + v[1] * second)

    def curve(self) -> SurfaceCurve:
        x, y, z = (float(part) for part in self._axes[0])
        return SurfaceCurve(self.at, self._radius_of(cos), self._radius_of(sin), axis=self.axis, zero=(x, y, z))

    def _radius_of(self, part: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda p: self._at(self._radius, p) * part(p)

    def distance(self, s: State, x: Vector) -> NearestPoint:
        p = self._in_plane(s, x - s.position(self.at))

        def slope(c: Vector, tangent: Vector, bend: Vector) -> tuple[Any, Any, Any]:
            squared = tangent @ tangent
            return (c - p) @ tangent, squared + (c - p) @ bend, LEAST_CURVATURE * squared

        start = atan2(p[1], select(p @ p > 0.0, p[0], 1.0))
        c, tangent, _ = self._curve(self._found(start, slope))
        out = np.array([tangent[1], -tangent[0]]) / length_of(tangent)
        return NearestPoint((p - c) @ out, self._in_world(s, out))

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        down = -self._in_plane(s, n)

        def slope(c: Vector, tangent: Vector, bend: Vector) -> tuple[Any, Any, Any]:
            return -(down @ tangent), -(down @ bend), LEAST_CURVATURE * length_of(c)

        start = atan2(down[1], select(down @ down > 0.0, down[0], 1.0))
        c = self._curve(self._found(start, slope))[0]
        return [SupportBall(s.position(self.at) + self._in_world(s, c), 0.0)]
