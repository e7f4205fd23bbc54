"""Curve: a closed curve in a plane of a body, against curves, cams, balls and planes; hollow where it is a hole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.laws.surfaces.outline import (
    ArcOutline,
    CornerArc,
    CurvePiece,
    CurvePoint,
    FunctionOutline,
    Outline,
    P,
    rounds_too_much,
    smooth_through,
)
from dalembert.laws.surfaces.surface import NearestPoint, SupportBall, Surface, length_of
from dalembert.parts.fields import Function, Holds, PointLike
from dalembert.parts.forces.points import Point
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Expr, Scalar, floor, free_symbols, maximum, minimum, select
from dalembert.vectors import Vector, across

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

ACROSS = 1e-9
"""Cosine below which two axes are across each other."""
ONCE = 0.01
"""Part of a turn by which the tangent of a curve that is sampled in points may fail to go round once."""
NEWTON_STEPS = 7
"""Steps from where a search begins to the place that touches; one more is made with its derivatives."""
LEAST_BEND = 0.05
"""Part of its size in the flat that a slope is taken to have at least where a search is far from its end."""
LONGEST_STEP = 0.1
"""Part of the curve that a step of a search may take."""
FINE = 2.0**34
"""Parts of the parameter to which a search ends before its last step, which makes it exact and has the derivatives."""

FEWEST_POINTS = 4
"""Points that a curve goes through, at least."""

OfParameter = Annotated[Any, Function(("p",), constant=False)]
Rounded = Annotated[Any, Holds("rows")]
"""Rows of plain numbers."""


def detached(p: Scalar) -> Scalar:
    """p to `FINE` parts, without a slope: how a search came to it does not matter."""
    return floor(p * FINE + 0.5) / FINE


@dataclass(frozen=True, eq=False)
class SurfaceCurve(Surface):
    """A closed curve through (`x`, `y`), functions of p from 0 to 2π, in the plane across `axis` about a point of a body, x along
    `zero`; or smoothly through `points`, rows of x and y; or along `corners`, rows of x, y and the radius by which each is rounded.
    `hole` makes it the wall of a hole."""

    at: PointLike
    x: OfParameter = None
    y: OfParameter = None
    corners: Rounded | None = None
    points: Rounded | None = None
    hole: bool = False
    axis: Axis = (0.0, 0.0, 1.0)
    zero: Axis | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f'curve of "{self.at.body}"'
        given = [x is not None for x in (self.x, self.points, self.corners)]
        if (self.x is None) != (self.y is None) or sum(given) != 1:
            raise ModelError(
                f"{where}: give x and y, functions of p, or points, rows of x and y, or corners, rows of x, y and a radius"
            )
        if self.zero is not None and abs(float(np.dot(self.zero, self.axis))) > ACROSS:
            raise ModelError(f"{where}: zero={self.zero!r} must lie across its axis, {self.axis!r}")
        self._check_outline(where)
        if abs(self.outline.turns - 1.0) > ONCE:
            raise ModelError(f"{where}: it crosses itself; a curve goes round once and bounds a solid, or a hole")

    def _check_outline(self, where: str) -> None:
        if self.corners is not None:
            _check_corners(self.corners, where)
            return
        if self.points is not None:
            _check_points(self.points, where)
        made = self.outline
        assert isinstance(made, FunctionOutline)
        others = {str(x) for x in free_symbols([e for e in (made.x, made.y) if isinstance(e, Expr)])} - {str(P)}
        if others:
            raise ModelError(f"{where}: x and y must be functions of p alone, not of {', '.join(sorted(others))}")
        ends = [np.array(made.at(x).c, dtype=float) for x in (0.0, made.period)]
        c, tangents = made.looked[1], made.looked[2]
        if not np.isfinite(c).all() or not np.isfinite(tangents).all():
            raise ModelError(f"{where}: x and y must be finite, with their slopes, from p = 0 to 2π")
        if np.linalg.norm(ends[1] - ends[0]) > ACROSS * made.size:
            raise ModelError(f"{where}: it is not closed: it begins at {tuple(ends[0])} and ends at {tuple(ends[1])}")
        speeds = np.linalg.norm(tangents, axis=1)
        if speeds.min() <= ACROSS * speeds.max():
            raise ModelError(
                f"{where}: it stands still, or has a corner, near p = {made.looked[0][speeds.argmin()]:.4g}"
            )

    @property
    def sharp(self) -> bool:
        return False

    @property
    def place(self) -> Point:
        return self.at

    @cached_property
    def outline(self) -> Outline:
        if self.corners is not None:
            return ArcOutline(self.corners)
        if self.points is not None:
            return FunctionOutline(*smooth_through(np.array(self.points, dtype=float)))
        return FunctionOutline(*(f(P) if callable(f) else f for f in (self.x, self.y)))

    @property
    def outwards(self) -> float:
        """1 where the solid lies to the left as the curve is followed, −1 where it lies to the right."""
        return -1.0 if self.outline.left_handed != self.hole else 1.0

    @property
    def round(self) -> bool:
        """Whether it bulges everywhere."""
        return self.outline.convex and not self.hole

    @property
    def pieces(self) -> list[CurvePiece]:
        """Pieces of which each may touch once; what consists of lines and arcs touches by the circles of these instead."""
        return self.outline.whole if self.round else self.outline.pieces

    @cached_property
    def _balls(self) -> list[CornerArc]:
        """Arcs of corners that stand out: all of each one's circle lies within the solid."""
        return [x for x in self.outline.arcs if x.side == self.outwards]

    # -- where it is ---------------------------------------------------------------------------------------------------
    @property
    def axes(self) -> tuple[Vector, Vector]:
        axis = np.array(self.axis)
        if self.zero is None:
            return across(axis)
        first = np.array(self.zero)
        return first, np.cross(axis, first)

    def in_plane(self, s: State, v: Vector) -> Vector:
        R = s.rotation(self.at)
        return np.array([(R @ axis) @ v for axis in self.axes])

    def in_world(self, s: State, v: Vector) -> Vector:
        R, (first, second) = s.rotation(self.at), self.axes
        return R @ (v[0] * first + v[1] * second)

    def normal(self, at: CurvePoint) -> Vector:
        """The unit normal out of the solid, in the plane of the curve."""
        return self.outwards * np.array([at.tangent[1], -at.tangent[0]]) / length_of(at.tangent)

    def curve(self) -> SurfaceCurve:
        return self

    # -- what touches it -----------------------------------------------------------------------------------------------
    def distance(self, s: State, x: Vector) -> NearestPoint:
        p = self.in_plane(s, x - s.position(self.at))
        near = self.outline.wrapped(self.foot(p, self.outline.nearest_parameter(p)))
        n = self.normal(near)
        return NearestPoint((p - near.c) @ n, self.in_world(s, n))

    def foot(self, x: Vector, begin: Scalar) -> Scalar:
        """The parameter of the point nearest to x, from one near it."""

        def step(p: Scalar) -> Scalar:
            c, tangent, bend = self.outline.wrapped(p)
            squared = tangent @ tangent
            return -((c - x) @ tangent) / maximum(squared + (c - x) @ bend, LEAST_BEND * squared)

        return searched(begin, step, self.outline.period)

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        up = self.in_plane(s, n)
        found = [SupportBall(s.position(self.at) + self.in_world(s, x.centre), x.radius) for x in self._balls]
        for piece in (x for x in self.pieces if x.side == self.outwards):
            best: Any = None
            for p, c in self.outline.starts(piece):
                height = up @ c
                best = (height, p) if best is None else _lower(best, (height, p))

            def step(p: Scalar) -> Scalar:
                _, tangent, bend = self.outline.wrapped(p)
                return -(up @ tangent) / maximum(up @ bend, LEAST_BEND * (tangent @ tangent) / self.outline.size)

            lowest = searched(best[1], step, self.outline.period, piece.kept)
            found.append(SupportBall(s.position(self.at) + self.in_world(s, self.outline.wrapped(lowest).c), 0.0))
        return found


def searched(
    begin: Scalar, step: Callable[[Scalar], Scalar], period: float, kept: Callable[[Scalar], Scalar] = lambda p: p
) -> Scalar:
    """Where steps end that begin near it: to rounding, with the slope of the last one."""
    p, most = begin, LONGEST_STEP * period
    for _ in range(NEWTON_STEPS):
        p = kept(p + minimum(maximum(step(p), -most), most))
    p = detached(p)
    return kept(p + step(p))


def _lower(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    first = one[0] <= other[0]
    return select(first, one[0], other[0]), select(first, one[1], other[1])


def _check_points(points: Any, where: str) -> None:
    try:
        rows = np.array(points, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{where}: points must be rows of x and y, not {points!r}") from None
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < FEWEST_POINTS or not np.isfinite(rows).all():
        raise ModelError(f"{where}: points must be {FEWEST_POINTS} rows or more of x and y, once around")
    same = ~(np.roll(rows, -1, axis=0) - rows).any(axis=1)
    if same.any():
        k = int(np.argmax(same))
        raise ModelError(
            f"{where}: point {k} and the one after it are the same; the curve closes by itself, the first is not repeated"
        )


def _check_corners(corners: Any, where: str) -> None:
    try:
        rows = np.array(corners, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{where}: corners must be rows of x, y and a radius, not {corners!r}") from None
    if rows.ndim != 2 or rows.shape[1] != 3 or len(rows) < 3 or not np.isfinite(rows).all():
        raise ModelError(f"{where}: corners must be three rows or more of x, y and a radius")
    if not (rows[:, 2] > 0.0).all():
        raise ModelError(f"{where}: every corner must be rounded: its radius must be above 0")
    for k, (before, here, after) in enumerate(zip(np.roll(rows, 1, axis=0), rows, np.roll(rows, -1, axis=0))):
        ways = here[:2] - before[:2], after[:2] - here[:2]
        if not all(w.any() for w in ways):
            raise ModelError(f"{where}: corner {k} lies where its neighbour does")
    said = rounds_too_much(rows)
    if said is not None:
        raise ModelError(f"{where}: corner {said} is rounded by more than its sides are long; make its radius smaller")


def curve_places(a: SurfaceCurve, b: SurfaceCurve, s: State) -> list[tuple[Any, Vector, Vector]]:
    """Gap, normal from b to a and place, in the world, wherever they may touch: for every piece of a, or every corner of a that stands
    out, where it is nearest to b; and for the corners of b, where no corner of a that stands out is nearest to them."""
    if a.corners is None or b.corners is None:
        turned = a.corners is not None or (b.corners is None and len(b.pieces) < len(a.pieces))
        found = _pieces_on(b, a, s) if turned else _pieces_on(a, b, s)
        return [(gap, -n, at) for gap, n, at in found] if turned else found
    found = [touch[:3] for touch in _corners_on(a, b, s)]
    for gap, n, at, p in _corners_on(b, a, s):
        off = a.outline.off_corners(p, a.outwards)
        found.append((gap + off * off / a.outline.size, -n, at))
    return found


def _corners_on(a: SurfaceCurve, b: SurfaceCurve, s: State) -> list[tuple[Any, Vector, Vector, Any]]:
    """Gap, normal of b, place and parameter of b for every corner of a that stands out."""
    found = []
    for arc in a._balls:
        centre = s.position(a.at) + a.in_world(s, arc.centre)
        x = b.in_plane(s, centre - s.position(b.at))
        r = b.foot(x, b.outline.nearest_parameter(x))
        on = b.outline.wrapped(r)
        n = b.normal(on)
        world = b.in_world(s, n)
        found.append(((x - on.c) @ n - arc.radius, world, centre - arc.radius * world, r))
    return found


def _pieces_on(a: SurfaceCurve, b: SurfaceCurve, s: State) -> list[tuple[Any, Vector, Vector]]:
    """Gap, normal of b and place for every piece of a; a has no corners."""
    R = np.array([[(s.rotation(b.at) @ e) @ (s.rotation(a.at) @ f) for f in a.axes] for e in b.axes])
    offset = b.in_plane(s, s.position(a.at) - s.position(b.at))
    found = []
    for piece in a.pieces if a.round and b.round else a.outline.pieces:
        p, r = _near(a, b, piece, R, offset)
        own, on = a.outline.wrapped(p).c, b.outline.wrapped(r)
        n = b.normal(on)
        gap = (offset + R @ own - on.c) @ n
        found.append((gap, b.in_world(s, n), s.position(a.at) + a.in_world(s, own)))
    return found


def _near(a: SurfaceCurve, b: SurfaceCurve, piece: CurvePiece, R: Any, offset: Vector) -> tuple[Any, Any]:
    """Parameters of a and b where a piece of a is nearest to b: a's tangent is across b's normal, and b's point a's foot.

    With F = A′·n and G = (A − B)·t the slope of F along a, with b's point following, is that of the distance: it is above zero where
    the distance is least. At an end of the piece b's point is the foot of the end.
    """
    start: Any = None
    for p, c in a.outline.starts(piece):
        rough = (-1.0 if b.hole else 1.0) * b.outline.rough_distance(offset + R @ c)
        start = (rough, p) if start is None else _lower(start, (rough, p))
    p = start[1]
    r = b.outline.nearest_parameter(offset + R @ a.outline.wrapped(p).c)

    def step(p: Any, r: Any, most: float, wide: float) -> tuple[Any, Any]:
        own, on = a.outline.wrapped(p), b.outline.wrapped(r)
        A, dA, ddA = offset + R @ own.c, R @ own.tangent, R @ own.bend
        speed = length_of(on.tangent)
        t, n = on.tangent / speed, b.normal(on)
        bent = (on.tangent[0] * on.bend[1] - on.tangent[1] * on.bend[0]) / (speed * speed * speed)
        left = np.array([-t[1], t[0]])
        apart = A - on.c
        F, G = dA @ n, apart @ t
        G_r = -maximum(speed * (1.0 - bent * (apart @ left)), LEAST_BEND * speed)
        F_r = speed * bent * b.outwards * (dA @ t)
        slope = ddA @ n - F_r * (dA @ t) / G_r
        square = dA @ dA
        d = -(F - F_r * G / G_r) / maximum(slope, LEAST_BEND * square / a.outline.size)
        moved = piece.kept(p + minimum(maximum(d, -most), most))
        e = -(G + (dA @ t) * (moved - p)) / G_r
        return moved, r + minimum(maximum(e, -wide), wide)

    most, wide = LONGEST_STEP * (piece.end - piece.begin), LONGEST_STEP * b.outline.period
    for _ in range(NEWTON_STEPS):
        p, r = step(p, r, most, wide)
    return step(detached(p), detached(r), most, wide)
