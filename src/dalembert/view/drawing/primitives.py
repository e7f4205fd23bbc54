"""What the page can draw: boxes, balls, cylinders, rings and triangles, each in a layer that can be switched on and off.

Every shape of `da.shapes` is made of these; so are the skeleton and the marks of the joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.parts.frames import Frame
from dalembert.parts.joints.axis import to_z, unit
from dalembert.parts.shapes import Shape
from dalembert.vectors import IDENTITY, Matrix, Vector

CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
"""Corners of the box with edges 1."""


@dataclass(frozen=True, eq=False)
class Primitive:
    """A unit solid, scaled by `size`, turned and shifted in the axes of its body.

    Units: the box has edges 1; the ball and the cylinder (along z, length 1) have radius 1; the ring lies across z with radius 1.
    """

    kind: str
    position: Vector
    rotation: Matrix
    size: Vector
    layer: str = "bodies"
    colour: str | None = None
    opacity: float = 1.0
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None
    bent: bool = False
    """Whether it stands for a part of an elastic body, which the page draws as it bends."""

    @property
    def hull(self) -> tuple[np.ndarray, float]:
        """Points (n, 3) in body axes, and a radius: the balls of that radius about them span all of the solid."""
        if self.kind in ("sphere", "ring"):
            return self.position[None], float(self.size.max())
        if self.vertices is not None:
            low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
            local = np.where(CORNERS > 0.0, high, low)
        elif self.kind == "cylinder":
            local = np.array([(0.0, 0.0, -0.5), (0.0, 0.0, 0.5)]) * self.size
        else:
            local = CORNERS * self.size
        return self.position + local @ self.rotation.T, float(self.size[0]) if self.kind == "cylinder" else 0.0

    @property
    def reach(self) -> float:
        """Radius of a ball about the body's origin that holds it."""
        points, radius = self.hull
        return float(np.linalg.norm(points, axis=1).max()) + radius


def ball(at: Any, radius: float, **look: Any) -> Primitive:
    return Primitive("sphere", np.asarray(at, dtype=float), IDENTITY, np.full(3, radius), **look)


def block(at: Any, rotation: Matrix, size: Any, **look: Any) -> Primitive:
    return Primitive("box", np.asarray(at, dtype=float), rotation, np.asarray(size, dtype=float), **look)


def bar(a: Any, b: Any, radius: float, **look: Any) -> Primitive:
    """A cylinder from a to b."""
    start, end = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    length = float(np.linalg.norm(end - start))
    turn = to_z(unit((end - start) / length, "bar")) if length > 0.0 else IDENTITY
    return Primitive("cylinder", 0.5 * (start + end), turn, np.array([radius, radius, length]), **look)


def ring(at: Any, axis: Vector, radius: float, **look: Any) -> Primitive:
    turn = to_z(unit(axis / np.linalg.norm(axis), "ring"))
    return Primitive("ring", np.asarray(at, dtype=float), turn, np.full(3, radius), **look)


def drawn(shape: Shape, thickness: float) -> list[Primitive]:
    """A shape (of numbers) as primitives; lines get the thickness given."""
    look = {"colour": shape.colour, "opacity": shape.opacity}
    place = Frame(shape.at.position.astype(float), shape.at.rotation.astype(float))
    return list(_DRAWN[shape.kind](shape, place, thickness, look))


def _box(s: Any, at: Frame, _: float, look: dict[str, Any]) -> Iterator[Primitive]:
    yield block(at.position, at.rotation, s.size, **look)


def _sphere(s: Any, at: Frame, _: float, look: dict[str, Any]) -> Iterator[Primitive]:
    yield Primitive("sphere", at.position, at.rotation, np.full(3, float(s.radius)), **look)


def _cylinder(s: Any, at: Frame, _: float, look: dict[str, Any]) -> Iterator[Primitive]:
    yield Primitive("cylinder", at.position, at.rotation, np.array([s.radius, s.radius, s.length], dtype=float), **look)


def _capsule(s: Any, at: Frame, _: float, look: dict[str, Any]) -> Iterator[Primitive]:
    half = 0.5 * float(s.length) * at.rotation[:, 2]
    yield from polyline([at.position - half, at.position + half], float(s.radius), **look)


def _line(s: Any, at: Frame, thickness: float, look: dict[str, Any]) -> Iterator[Primitive]:
    yield from polyline([at.position + at.rotation @ p for p in np.asarray(s.points, dtype=float)], thickness, **look)


def _mesh(s: Any, at: Frame, _: float, look: dict[str, Any]) -> Iterator[Primitive]:
    yield Primitive("mesh", at.position, at.rotation, np.ones(3), vertices=s.vertices, faces=s.faces, **look)


def polyline(points: list[Vector], radius: float, **look: Any) -> Iterator[Primitive]:
    """Bars from point to point with round ends."""
    for a, b in pairwise(points):
        if np.linalg.norm(b - a) > 1e-12:
            yield bar(a, b, radius, **look)
    for p in points:
        yield ball(p, radius, **look)


_DRAWN: dict[str, Callable[..., Iterator[Primitive]]] = {
    "box": _box, "sphere": _sphere, "cylinder": _cylinder, "capsule": _capsule, "line": _line, "mesh": _mesh,
}  # fmt: skip
