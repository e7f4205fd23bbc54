"""The way of a cord round a ball or a cylinder, and where it leaves them.

In the plane through both ends and the ball's middle, or across the cylinder's axis, the cord is a tangent, an arc and a tangent; there
are two such ways. Along a cylinder it climbs evenly. It lies on the body where the straight way cuts through it, or passes on the other
side than is wanted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.trace import atan2, maximum, minimum, select, sqrt
from dalembert.vectors import Vector, cross

NO_AREA = 1e-30
"""Square of a length that is none."""
CROSSED = -1e9
"""Merit of a way whose tangents cross."""


@dataclass(frozen=True)
class Wrapped:
    """Places are seen from the middle, in world axes; forces are those of unit tension on the ends."""

    touches: Any
    """Whether the cord lies on the body."""
    length: Any
    first: Vector
    """Where it comes to the body."""
    last: Vector
    first_pull: Vector
    last_pull: Vector


@dataclass(frozen=True)
class _Way:
    """In the plane: both points of contact, the arc between them, and how good the way is."""

    first: Vector
    last: Vector
    arc: Any
    merit: Any


def wrapped(a: Vector, b: Vector, radius: Any, axis: Vector | None, side: Vector | None) -> Wrapped:
    """The way from a to b."""
    if axis is None:
        x = a / sqrt(maximum(a @ a, NO_AREA))
        normal = cross(a, b)
        normal = normal / sqrt(maximum(normal @ normal, NO_AREA))
        y, z = cross(normal, x), normal
    else:
        z = axis / sqrt(axis @ axis)
        across = a - (a @ z) * z
        x = across / sqrt(maximum(across @ across, NO_AREA))
        y = cross(z, x)
    p, q = np.array([a @ x, a @ y]), np.array([b @ x, b @ y])
    wanted = None if side is None else _of_length(np.array([side @ x, side @ y]), radius)
    one, two = (_way(p, q, radius, wanted, turn) for turn in (1.0, -1.0))
    better = one.merit > two.merit
    way = _Way(*(_select(better, getattr(one, n), getattr(two, n)) for n in ("first", "last", "arc", "merit")))
    before, after = (sqrt(maximum(d @ d, NO_AREA)) for d in (p - way.first, q - way.last))
    flat = before + way.arc + after
    climb = (b - a) @ z if axis is not None else 0.0
    heights = (
        (a @ z + climb * before / flat, a @ z + climb * (before + way.arc) / flat) if axis is not None else (0.0, 0.0)
    )
    first = way.first[0] * x + way.first[1] * y + heights[0] * z
    last = way.last[0] * x + way.last[1] * y + heights[1] * z
    length = sqrt(flat * flat + climb * climb)
    pulls = [
        (end - start) / sqrt(maximum((end - start) @ (end - start), NO_AREA)) for start, end in ((a, first), (b, last))
    ]
    return Wrapped(_touches(p, q, radius, wanted, way), length, first, last, *pulls)


def _of_length(v: Vector, length: Any) -> Vector:
    return v * (length / sqrt(maximum(v @ v, NO_AREA)))


def _select(condition: Any, one: Any, other: Any) -> Any:
    if isinstance(one, np.ndarray):
        return np.array([select(condition, x, y) for x, y in zip(one, other)])
    return select(condition, one, other)


def _way(p: Vector, q: Vector, r: Any, wanted: Vector | None, turn: float) -> _Way:
    """Tangents from p and q to the circle, one to the left and one to the right."""
    contacts = []
    for point, hand in ((p, turn), (q, -turn)):
        square = maximum(point @ point, NO_AREA)
        along = sqrt(maximum(square - r * r, NO_AREA))
        across = np.array([point[1], -point[0]])
        contacts.append((r * r * point + hand * r * along * across) / square)
    first, last = contacts
    angle = atan2(turn * (first[1] * last[0] - first[0] * last[1]), first @ last)
    arc = r * select(angle < 0.0, angle + 2.0 * math.pi, angle)
    merit = -((first - last) @ (first - last)) if wanted is None else _of_length(first + last, 1.0) @ wanted
    return _Way(first, last, arc, select(_crossing(p, first, q, last) > 0.0, CROSSED, merit))


def _crossing(a: Vector, b: Vector, c: Vector, d: Vector) -> Any:
    """Above zero where the pieces from a to b and from c to d cross."""
    ab, cd, ca = b - a, d - c, a - c
    det = cd[1] * ab[0] - cd[0] * ab[1]
    safe = select(det * det < NO_AREA, 1.0, det)
    one, other = (cd[0] * ca[1] - cd[1] * ca[0]) / safe, (ab[0] * ca[1] - ab[1] * ca[0]) / safe
    inside = minimum(minimum(one, 1.0 - one), minimum(other, 1.0 - other))
    return select(det * det < NO_AREA, -1.0, select(inside < 0.0, -1.0, 1.0))


def _touches(p: Vector, q: Vector, r: Any, wanted: Vector | None, way: _Way) -> Any:
    d = q - p
    nearest = p + minimum(maximum(-(p @ d) / maximum(d @ d, NO_AREA), 0.0), 1.0) * d
    cuts = r * r - nearest @ nearest
    if wanted is not None:
        cuts = maximum(cuts, -(nearest @ wanted))
    outside = minimum(p @ p, q @ q) - r * r
    free = select(way.merit > 0.5 * CROSSED, 1.0, -1.0)
    return minimum(minimum(outside, cuts), minimum(free, d @ d - NO_AREA)) > 0.0
