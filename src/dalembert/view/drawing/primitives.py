"""What the page can draw: boxes, balls, cylinders, rings and triangles, each in a layer that can be switched on and off.

Every shape of `da.shapes` is made of these; so are the skeleton and the marks of the joints.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.errors import FileWarning, ModelError
from dalembert.parts.frames import Frame
from dalembert.parts.joints.axis import to_z, unit
from dalembert.parts.shapes import Shape
from dalembert.vectors import IDENTITY, Matrix, Vector
from dalembert.view.drawing.traced_places import expression_of, has_symbols

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
    expression: tuple[str, Any] | None = None
    """How it follows parameters: ("bar", both ends) or ("part", position and size), six expressions; None where it does not."""

    @property
    def middle(self) -> np.ndarray | None:
        """Expressions for its position; None where it follows nothing."""
        if self.expression is None:
            return None
        kind, values = self.expression
        return 0.5 * (values[:3] + values[3:]) if kind == "bar" else values[:3]

    def at(self, point: Any) -> Primitive:
        """The same, following a point that stands off by as much as now."""
        came_from = expression_of(point)
        if not has_symbols(came_from):
            return self
        moved = came_from + (self.position - np.asarray(point, dtype=float))
        return replace(self, expression=("part", np.array([*moved, *self.size], dtype=object)))

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
    return Primitive("sphere", np.asarray(at, dtype=float), IDENTITY, np.full(3, radius), **look).at(at)


def block(at: Any, rotation: Matrix, size: Any, **look: Any) -> Primitive:
    return Primitive("box", np.asarray(at, dtype=float), rotation, np.asarray(size, dtype=float), **look)


def bar(a: Any, b: Any, radius: float, **look: Any) -> Primitive:
    """A cylinder from a to b."""
    start, end = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    length = float(np.linalg.norm(end - start))
    turn = to_z(unit((end - start) / length, "bar")) if length > 0.0 else IDENTITY
    ends = np.array([*expression_of(a), *expression_of(b)], dtype=object)
    follows = ("bar", ends) if has_symbols(ends) else None
    size = np.array([radius, radius, length])
    return Primitive("cylinder", 0.5 * (start + end), turn, size, expression=follows, **look)


def ring(at: Any, axis: Vector, radius: float, **look: Any) -> Primitive:
    turn = to_z(unit(axis / np.linalg.norm(axis), "ring"))
    return Primitive("ring", np.asarray(at, dtype=float), turn, np.full(3, radius), **look)


def drawn(shape: Shape, thickness: float, of: Shape | None = None) -> list[Primitive]:
    """A shape (of numbers) as primitives; lines get the thickness given. `of` is the same with parameters in it, which they follow."""
    look = {"colour": shape.colour, "opacity": shape.opacity}
    frame = Frame(shape.at.position.astype(float), shape.at.rotation.astype(float))
    made = list(_DRAWN[shape.kind](shape, frame, thickness, look))
    if of is None or has_symbols(of.at.rotation):  # what turns with a parameter is drawn as it is turned now
        return made
    follows = list(_FOLLOWS[shape.kind](of)) if shape.kind in _FOLLOWS else []
    if len(follows) != len(made):
        return made
    return [
        replace(p, expression=(kind, np.array(values, dtype=object))) if has_symbols(values) else p
        for p, (kind, values) in zip(made, follows)
    ]


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
    try:
        vertices, faces = s.vertices, s.faces
    except ModelError as problem:  # of a file that is read now, and not where it was named
        warnings.warn(f"a mesh is not drawn: {problem}", FileWarning, stacklevel=2)
        return
    yield Primitive("mesh", at.position, at.rotation, np.ones(3), vertices=vertices, faces=faces, **look)


def polyline(points: list[Vector], radius: float, **look: Any) -> Iterator[Primitive]:
    """Bars from point to point with round ends."""
    for a, b in pairwise(points):
        if np.linalg.norm(b - a) > 1e-12:
            yield bar(a, b, radius, **look)
    for p in points:
        yield ball(p, radius, **look)


def _part(at: Any, size: Any) -> tuple[str, list[Any]]:
    return "part", [*at, *size]


def _of_points(points: list[Any], radius: Any) -> Iterator[tuple[str, list[Any]]]:
    """As `polyline` makes them."""
    yield from (("bar", [*a, *b]) for a, b in pairwise(points))
    yield from (_part(p, [radius] * 3) for p in points)


def _capsule_points(s: Any) -> list[Any]:
    half = 0.5 * s.length * s.at.rotation[:, 2]
    return [s.at.position - half, s.at.position + half]


_FOLLOWS: dict[str, Callable[[Any], Any]] = {
    "box": lambda s: [_part(s.at.position, s.size)],
    "sphere": lambda s: [_part(s.at.position, [s.radius] * 3)],
    "cylinder": lambda s: [_part(s.at.position, [s.radius, s.radius, s.length])],
    "capsule": lambda s: _of_points(_capsule_points(s), s.radius),
}
"""Expressions for the primitives of each kind of shape, in their order. Lines and meshes have numbers for points."""

_DRAWN: dict[str, Callable[..., Iterator[Primitive]]] = {
    "box": _box, "sphere": _sphere, "cylinder": _cylinder, "capsule": _capsule, "line": _line, "mesh": _mesh,
}  # fmt: skip
