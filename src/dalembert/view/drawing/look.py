"""Where the mechanism goes in the course of its motion, and from where to look at it."""

from __future__ import annotations

import numpy as np

from dalembert.vectors import Vector, cross
from dalembert.view.drawing.primitives import Primitive

Parts = list[list[Primitive]]


def swept(parts: Parts, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points (F, N, 3) that the bodies' solids pass, and the radii (N,) of the balls about them that span the solids."""
    solids = [(k, *x.hull) for k, x in _solids(parts)]
    if not solids:
        return p, np.zeros(p.shape[1])
    body = np.concatenate([np.full(len(points), k - 1) for k, points, _ in solids])
    radius = np.concatenate([np.full(len(points), r) for _, points, r in solids])
    return _carried(np.concatenate([points for _, points, _ in solids]), body, R, p), radius


def _solids(parts: Parts) -> list[tuple[int, Primitive]]:
    return [(k, x) for k, made in enumerate(parts) if k for x in made if x.layer == "bodies"]


def _carried(local: np.ndarray, body: np.ndarray, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Points of bodies in some of the frames, enough to know where they go."""
    some = np.unique(np.linspace(0, len(p) - 1, 120).astype(int))
    made: np.ndarray = p[some][:, body] + np.einsum("fnij,nj->fni", R[some][:, body], local)
    return made


def bounds(
    parts: Parts, R: np.ndarray, p: np.ndarray, anchors: list[Vector], size: float
) -> tuple[Vector, Vector, float, bool]:
    """Two corners of what the motion sweeps over, half their distance, and whether it goes far away (then of its start)."""
    centres, reach = swept(parts, R, p)
    still = [x.position for x in parts[0]] + anchors
    low, high = _box(centres, reach, still)
    away = float(np.linalg.norm(high - low)) > 8.0 * max(size, 2.0 * float(reach.max(initial=0.0)))
    if away:
        low, high = _box(centres[:1], reach, [])
    return low, high, max(0.5 * float(np.linalg.norm(high - low)), 0.3 * size), away


def _box(centres: np.ndarray, reach: np.ndarray, still: list[Vector]) -> tuple[Vector, Vector]:
    low, high = (centres - reach[:, None]).min(axis=(0, 1)), (centres + reach[:, None]).max(axis=(0, 1))
    for x in still:
        low, high = np.minimum(low, x), np.maximum(high, x)
    return low, high


def floor(parts: Parts, R: np.ndarray, p: np.ndarray, up: Vector) -> float:
    """The lowest that anything comes, along `up`."""
    points, radius = swept(parts, R, p)
    still = [float((hull @ up).min()) - r for hull, r in (x.hull for x in parts[0])]
    return min([float((points @ up - radius).min()), *still])


def viewpoint(parts: Parts, R: np.ndarray, p: np.ndarray, up: Vector) -> Vector:
    """Across the plane of a plane motion, seen a little from above; else from the corner of a room."""
    solids = _solids(parts)
    middles = [x.position for _, x in solids] or [np.zeros(3)]
    ways = _carried(np.array(middles), np.array([k - 1 for k, _ in solids] or [0]), R, p).reshape(-1, 3)
    flat = ways - ways.mean(axis=0)
    spread, axes = np.linalg.eigh(flat.T @ flat)
    plane = spread[1] > 0.0 and spread[0] < 0.01 * spread[1]
    side = cross(up, axes[:, 0])
    if plane and np.linalg.norm(side) > 0.5:
        look = _front(axes[:, 0]) + 0.35 * cross(up, _front(axes[:, 0])) + 0.22 * up
    else:
        a = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        a = a - (a @ up) * up
        look = (0.75 * a - cross(up, a)) / np.linalg.norm(a) + (1.3 if plane else 0.55) * up
    made: Vector = look / np.linalg.norm(look)
    return made


def _front(normal: Vector) -> Vector:
    """The side of a plane from which its axes are drawn on paper: xy from +z, xz from −y, yz from +x."""
    k = int(np.argmax(np.abs(normal)))
    wanted = -1.0 if k == 1 else 1.0
    return normal if normal[k] * wanted > 0.0 else -normal
