"""Closed curves in a plane, as contacts need them: places with two derivatives, pieces, and a grid that tells where to begin.

An outline is followed by a parameter p from 0 to `period`, once around. Where a point is nearest to it is found from a grid of cells,
each of which knows the parameter nearest to its middle, by Newton's method; the grid is a table, so that the search is the same in
every state and knows nothing of the last one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dalembert.cached import cached_property
from dalembert.trace import Expr, Scalar, cos, directional, floor, maximum, minimum, select, sin, substitute, symbol
from dalembert.trace.expr import node
from dalembert.trace.spline import periodic
from dalembert.trace.table import Table, table_op
from dalembert.vectors import Vector

P = symbol("#outline.p")
"""The parameter of every outline that is given by functions."""
CELLS = 96
"""Cells of the grid along each way."""
BORDER = 0.5
"""How far the grid reaches beyond the curve, by its size."""
OUTLINE_POINTS = 1440
"""Points at which a curve is sampled when it is made."""
GRID_POINTS = 3
"""One of so many of these points is compared from the cells of the grid."""
QUARTER = 0.5 * math.pi
"""Largest turn of the tangent within a piece of a curve that is not convex."""
STRAIGHT = 1e-7
"""Curvature, by the curve's size, that counts as none."""
SAMPLES_OF_TURN = 12
"""Points of a whole turn of the tangent at which the search of a piece may begin; a piece has 3 of them at least."""


class CurvePoint(NamedTuple):
    """c, c′ and c″ at a parameter, in the plane of the curve."""

    c: Vector
    tangent: Vector
    bend: Vector


class CurvePiece(NamedTuple):
    """Part of an outline from a parameter to another; all of it where it has no ends."""

    begin: float
    end: float
    side: float
    """1 where it bends to the left, −1 to the right, 0 where it is straight."""
    closed: bool = False

    def kept(self, p: Scalar) -> Scalar:
        return p if self.closed else minimum(maximum(p, self.begin), self.end)


class CornerArc(NamedTuple):
    """An arc of a corner, to the left, 1, or to the right, −1, of the way along the curve."""

    centre: np.ndarray
    radius: float
    side: float


class Outline:
    """A closed curve; a subclass says where it is by `at`."""

    period = 2.0 * math.pi

    def at(self, p: Any) -> CurvePoint:
        """At a parameter within one turn from 0 on."""
        raise NotImplementedError

    def wrapped(self, p: Any) -> CurvePoint:
        """At any parameter."""
        return self.at(p - self.period * floor(p / self.period))

    @cached_property
    def looked(self) -> tuple[np.ndarray, ...]:
        """Parameters, points, tangents and curvatures all around."""
        p = np.linspace(0.0, self.period, OUTLINE_POINTS, endpoint=False)
        every = [self.at(float(x)) for x in p]
        c, t, b = (np.array([x[k] for x in every], dtype=float) for k in range(3))
        speed = np.linalg.norm(t, axis=1)
        with np.errstate(all="ignore"):  # what stands still or is not finite is refused by those who look
            return p, c, t, (t[:, 0] * b[:, 1] - t[:, 1] * b[:, 0]) / speed**3

    @cached_property
    def size(self) -> float:
        c = self.looked[1]
        return float(np.ptp(c, axis=0).max())

    @cached_property
    def left_handed(self) -> bool:
        """Whether it goes round clockwise."""
        _, c, _, _ = self.looked
        x, y = c.T
        return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) < 0.0

    @cached_property
    def turns(self) -> float:
        """How many times its tangent turns round: ±1 where it does not cross itself."""
        t = self.looked[2]
        return float(np.ptp(_unwrapped(t)[[0, -1]])) / (2.0 * math.pi)

    @cached_property
    def convex(self) -> bool:
        bent = self.looked[3] * (-1.0 if self.left_handed else 1.0)
        return bool((bent > STRAIGHT / self.size).all())

    @cached_property
    def pieces(self) -> list[CurvePiece]:
        """Parts in which the curve bends to one side, by a quarter turn at most."""
        p, _, t, bent = self.looked
        side = np.where(np.abs(bent) * self.size < STRAIGHT, 0.0, np.sign(bent))
        turned = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(np.unwrap(np.arctan2(t[:, 1], t[:, 0])))))])
        cuts = [0]
        for k in range(1, len(p)):
            if side[k] != side[cuts[-1]] or turned[k] - turned[cuts[-1]] > QUARTER:
                cuts.append(k)
        ends = [*(float(p[k]) for k in cuts), self.period]
        return [CurvePiece(a, b, float(side[k])) for k, a, b in zip(cuts, ends, ends[1:])]

    @cached_property
    def arcs(self) -> list[CornerArc]:
        """Arcs that round corners, where it consists of lines and arcs."""
        return []

    def off_corners(self, p: Scalar, side: float) -> Scalar:
        """How far p lies within an arc that bends to a side, 0 elsewhere."""
        return 0.0

    def turn_of(self, piece: CurvePiece) -> float:
        """Angle through which the tangent turns within a piece."""
        p, _, t, _ = self.looked
        inside = (p >= piece.begin) & (p <= piece.end)
        return float(np.ptp(np.unwrap(np.arctan2(t[:, 1], t[:, 0]))[inside])) if inside.any() else 0.0

    @cached_property
    def whole(self) -> list[CurvePiece]:
        return [CurvePiece(0.0, self.period, -1.0 if self.left_handed else 1.0, closed=True)]

    def starts(self, piece: CurvePiece) -> list[tuple[float, np.ndarray]]:
        """Parameters and points of a piece at which a search may begin."""
        count = (
            SAMPLES_OF_TURN
            if piece.closed
            else max(3, math.ceil(SAMPLES_OF_TURN * self.turn_of(piece) / (2 * math.pi)))
        )
        p = piece.begin + (piece.end - piece.begin) * (np.arange(count) + 0.5) / count
        return [(float(x), np.array(self.at(float(x)).c, dtype=float)) for x in p]

    # -- where a search begins -----------------------------------------------------------------------------------------
    @cached_property
    def _box(self) -> tuple[np.ndarray, float]:
        """Lower corner of the grid, and the size of its cells."""
        c = self.looked[1]
        low, high = c.min(axis=0), c.max(axis=0)
        middle, half = 0.5 * (low + high), (0.5 + BORDER) * self.size
        return middle - half, 2.0 * half / CELLS

    @cached_property
    def _tables(self) -> tuple[Table, Table]:
        """Nearest parameter and distance, outwards above zero, of the middle of every cell."""
        p, c, t = (x[::GRID_POINTS] for x in self.looked[:3])
        low, cell = self._box
        middles = low + cell * (np.stack(np.meshgrid(np.arange(CELLS), np.arange(CELLS), indexing="ij"), axis=-1) + 0.5)
        flat = middles.reshape(-1, 2)
        squared = (flat**2).sum(axis=1)[:, None] - 2.0 * flat @ c.T + (c**2).sum(axis=1)
        near = squared.argmin(axis=1)
        sense = -1.0 if self.left_handed else 1.0
        out = sense * np.stack([t[near, 1], -t[near, 0]], axis=-1)
        away = np.sqrt(np.maximum(squared[np.arange(len(near)), near], 0.0))
        side = np.sign(((flat - c[near]) * out).sum(axis=1))
        numbers = np.arange(len(flat), dtype=float)
        return tuple(Table(numbers, x, kind="previous", outside="hold") for x in (p[near], side * away))  # type: ignore[return-value]

    def _cell(self, x: Vector) -> Any:
        low, cell = self._box
        i, j = (minimum(maximum(floor((x[k] - low[k]) / cell), 0.0), CELLS - 1.0) for k in (0, 1))
        return CELLS * i + j

    def nearest_parameter(self, x: Vector) -> Scalar:
        """A parameter near the one of the point that is nearest to x."""
        return self._tables[0](self._cell(x))

    def rough_distance(self, x: Vector) -> Scalar:
        """How far x is outside, to the size of a cell."""
        return self._tables[1](self._cell(x))


def _unwrapped(t: np.ndarray) -> np.ndarray:
    """Angles of tangents all around, the first one again at the end."""
    return np.asarray(np.unwrap(np.arctan2(*np.vstack([t, t[:1]]).T[::-1])))


@dataclass(frozen=True, eq=False)
class FunctionOutline(Outline):
    """Given by functions of p from 0 to 2π."""

    x: Any
    y: Any

    @cached_property
    def _derivatives(self) -> list[Any]:
        first = [self.x, self.y]
        second = [_rate(e) for e in first]
        return [*first, *second, *(_rate(e) for e in second)]

    def at(self, p: Any) -> CurvePoint:
        values = [substitute([e], {P: p})[0] if isinstance(e, Expr) else e for e in self._derivatives]
        return CurvePoint(*(np.array(values[k : k + 2]) for k in (0, 2, 4)))


def smooth_through(points: np.ndarray) -> list[Expr]:
    """x and y as functions of p: the closed cubic spline through points, p going with the lengths between them."""
    around = np.vstack([points, points[:1]])
    p = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(around, axis=0), axis=1))])
    p *= 2.0 * math.pi / p[-1]
    c = periodic(p, around)
    c = np.concatenate([c[:, -1:], c, c[:, :1]], axis=1)  # a piece beyond either end: rounding may lead there
    breaks = np.concatenate([[p[-2] - p[-1]], p, [p[-1] + p[1]]])
    return [node(table_op(breaks, c[:, :, k]), P) for k in range(2)]


def _rate(e: Any) -> Any:
    return directional([e], {P: 1.0})[0] if isinstance(e, Expr) else 0.0


class ArcOutline(Outline):
    """Straight lines and arcs: a polygon whose corners (x, y, radius) are rounded."""

    def __init__(self, corners: Sequence[Sequence[float]]):
        rows = _segments(np.asarray(corners, dtype=float))
        lengths = np.array([r[0] for r in rows])
        self.ends = np.concatenate([[0.0], np.cumsum(lengths)])
        self.period = float(self.ends[-1])
        columns = [self.ends[:-1], *(np.array([r[k] for r in rows]) for k in range(1, 5))]
        self._kept = [Table(self.ends[:-1], column, kind="previous", outside="hold") for column in columns]
        self._lengths = Table(self.ends[:-1], lengths, kind="previous", outside="hold")

    def at(self, p: Any) -> CurvePoint:
        start, x, y, heading, bent = (table(p) for table in self._kept)
        way = p - start
        turn = bent * way
        curved = abs(turn) > STRAIGHT
        safe = select(curved, turn, 1.0)
        along, aside = select(curved, sin(safe) / safe, 1.0), select(curved, (1.0 - cos(safe)) / safe, 0.5 * turn)
        a, b = cos(heading), sin(heading)
        c = np.array([x + way * (a * along - b * aside), y + way * (b * along + a * aside)])
        tangent = np.array([cos(heading + turn), sin(heading + turn)])
        return CurvePoint(c, tangent, bent * np.array([-tangent[1], tangent[0]]))

    @cached_property
    def pieces(self) -> list[CurvePiece]:
        return []

    @cached_property
    def arcs(self) -> list[CornerArc]:
        found = []
        for begin, bent in zip(self.ends, self._kept[4].values):
            if bent:
                c, tangent, _ = self.at(float(begin))
                centre = np.array(c, dtype=float) + np.array([-tangent[1], tangent[0]], dtype=float) / bent
                found.append(CornerArc(centre, 1.0 / abs(float(bent)), float(np.sign(bent))))
        return found

    def off_corners(self, p: Scalar, side: float) -> Scalar:
        p = p - self.period * floor(p / self.period)
        begin, bent = self._kept[0](p), self._kept[4](p)
        end = begin + self._lengths(p)
        return select(side * bent > 0.0, (p - begin) * (end - p) / (end - begin), 0.0)

    @cached_property
    def convex(self) -> bool:
        return False  # lines do not bend: contacts may be in two places


def _segments(corners: np.ndarray) -> list[tuple[float, float, float, float, float]]:
    """Length, start, heading and curvature of every line and arc."""
    points, radii, rows = corners[:, :2], corners[:, 2], []
    ways = [b - a for a, b in zip(points, np.roll(points, -1, axis=0))]
    headings = [math.atan2(w[1], w[0]) for w in ways]
    turns = [math.remainder(headings[k] - headings[k - 1], 2.0 * math.pi) for k in range(len(points))]
    cut = [r * abs(math.tan(0.5 * turn)) for r, turn in zip(radii, turns)]
    for k, (way, heading) in enumerate(zip(ways, headings)):
        after = (k + 1) % len(points)
        unit = way / np.linalg.norm(way)
        begin = points[k] + cut[k] * unit
        left = float(np.linalg.norm(way)) - cut[k] - cut[after]
        if left > STRAIGHT * float(np.ptp(points)):
            rows.append((left, float(begin[0]), float(begin[1]), heading, 0.0))
        end = points[after] - cut[after] * unit
        if abs(turns[after]) > STRAIGHT:
            bent = math.copysign(1.0 / radii[after], turns[after])
            rows.append((radii[after] * abs(turns[after]), float(end[0]), float(end[1]), heading, bent))
    return rows


def rounds_too_much(corners: np.ndarray) -> int | None:
    """The number of a corner whose rounding its sides have no room for; None where all have."""
    points, radii = corners[:, :2], corners[:, 2]
    ways = [b - a for a, b in zip(points, np.roll(points, -1, axis=0))]
    headings = [math.atan2(w[1], w[0]) for w in ways]
    turns = [math.remainder(headings[k] - headings[k - 1], 2.0 * math.pi) for k in range(len(points))]
    cut = [r * abs(math.tan(0.5 * turn)) for r, turn in zip(radii, turns)]
    for k, way in enumerate(ways):
        if cut[k] + cut[(k + 1) % len(points)] > float(np.linalg.norm(way)):
            return k
    return None
