"""Shapes for drawing a body. They are pictures only: they carry no mass, and no equation reads them.

Each shape is centred on its place `at` in body axes: a point, or a `Frame` where it is turned as well. Lengths may be expressions of
parameters. A colour is "#rrggbb" or one of the names in `COLOURS`; without one the page chooses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.parts.data_file import InFolder, as_data_file
from dalembert.parts.fields import Colour, Faces, Number, Numbers3, Place, Points, Values
from dalembert.parts.frames import Frame, as_frame
from dalembert.parts.joints.axis import to_z, unit
from dalembert.parts.meshes import Triangles, load
from dalembert.parts.numbers import number, numbers, positive
from dalembert.portable import Portable
from dalembert.vectors import ZERO, Vector

COLOURS = MappingProxyType(
    {
        "black": "#222222", "white": "#f4f4f4", "grey": "#8b929c", "silver": "#c3c8cf", "red": "#d64545", "orange": "#e8893a",
        "yellow": "#e6c229", "green": "#3f9e5b", "teal": "#2a9d8f", "blue": "#3b7dd8", "navy": "#274c77", "purple": "#8e5fc7",
        "pink": "#e07a9b", "brown": "#8d6346", "gold": "#c9a227",
    }
)  # fmt: skip

if TYPE_CHECKING:
    from dalembert.aliases import Scalar, Vector3


@dataclass(frozen=True, eq=False, kw_only=True)
class Shape(Portable):
    """What all shapes have: where, in which colour, how opaque (1 is solid)."""

    kind: ClassVar[str]
    at: Place = field(default_factory=Frame)
    """Place of the shape on its body: a point, or a frame."""
    colour: Colour = None
    """Name or #rrggbb; by default the body's own."""
    opacity: float = 1.0
    """A number between 0 (invisible) and 1 (solid)."""

    def __post_init__(self) -> None:
        where = type(self).__name__
        object.__setattr__(self, "at", as_frame(ZERO if self.at is None else self.at, f"{where}: at"))
        object.__setattr__(self, "colour", _colour(self.colour, where))
        opacity = number(self.opacity, f"{where}: opacity")
        if not (isinstance(opacity, float) and 0.0 < opacity <= 1.0):
            raise ModelError(f"{where}: opacity must be a number above 0 and up to 1, not {self.opacity!r}")
        object.__setattr__(self, "opacity", opacity)

    def _positive(self, *fields: str) -> None:
        for name in fields:
            object.__setattr__(self, name, positive(getattr(self, name), f"{type(self).__name__}: {name}"))


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A block with edges `size` along the axes of its place."""

    kind = "box"
    size: Numbers3
    """Edges along x, y and z of its place, m."""

    def __post_init__(self) -> None:
        super().__post_init__()
        edges = numbers(self.size, (3,), "Box: size")
        for edge in edges:
            positive(edge, "Box: size")
        object.__setattr__(self, "size", edges)


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball."""

    kind = "sphere"
    radius: Number
    """In metres."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius")


@dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A cylinder along z of its place; `Cylinder.between` puts one between two points."""

    kind = "cylinder"
    radius: Number
    """In metres."""
    length: Number
    """Along z of its place, m."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius", "length")

    @classmethod
    def between(cls, a: Vector3, b: Vector3, radius: Scalar, **look: Any) -> Cylinder:
        place, length = _span(a, b, "Cylinder.between")
        return cls(radius, length, at=place, **look)


@dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """A cylinder along z of its place with half balls on its ends; `length` is between their centres."""

    kind = "capsule"
    radius: Number
    """In metres."""
    length: Number
    """Between the centres of its half balls, m."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius", "length")

    @classmethod
    def between(cls, a: Vector3, b: Vector3, radius: Scalar, **look: Any) -> Capsule:
        place, length = _span(a, b, "Capsule.between")
        return cls(radius, length, at=place, **look)


@dataclass(frozen=True, eq=False)
class Line(Shape):
    """Straight pieces from point to point (n × 3), drawn as thin bars."""

    kind = "line"
    points: Points
    """Rows of x, y, z in axes of its place, m."""

    def __post_init__(self) -> None:
        super().__post_init__()
        given = np.array(self.points, dtype=object)
        if given.ndim != 2 or len(given) < 2:
            raise ModelError(f"Line: points must be at least two points of three numbers, not {self.points!r}")
        object.__setattr__(self, "points", numbers(given, (len(given), 3), "Line: points"))


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """Triangles: `vertices` (n × 3), `faces` (m × 3) of numbers of vertices from 0."""

    kind = "mesh"
    vertices: Points
    """Rows of x, y, z in axes of its place, m."""
    faces: Faces
    """Rows of three numbers of vertices, from 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            vertices, faces = np.array(self.vertices, dtype=np.float64), np.array(self.faces)
        except (TypeError, ValueError, OverflowError) as problem:
            raise ModelError("Mesh: vertices and faces must be tables of three numbers each") from problem
        if vertices.ndim != 2 or vertices.shape[1:] != (3,) or not np.isfinite(vertices).all():
            raise ModelError(f"Mesh: vertices must be n × 3 finite numbers, not an array of shape {vertices.shape}")
        if faces.ndim != 2 or faces.shape[1:] != (3,) or not np.issubdtype(faces.dtype, np.integer):
            raise ModelError(f"Mesh: faces must be m × 3 whole numbers, not an array of shape {faces.shape}")
        if not len(faces) or faces.min() < 0 or faces.max() >= len(vertices):
            raise ModelError(f"Mesh: faces must name vertices 0 … {len(vertices) - 1}, and there must be at least one")
        for name, array in (("vertices", vertices), ("faces", faces.astype(np.int32))):
            array.flags.writeable = False
            object.__setattr__(self, name, array)


@dataclass(frozen=True, eq=False)
class MeshFile(Shape):
    """Triangles from an STL or OBJ file in the model's folder, stretched by `scale`: one number, or one for each axis."""

    kind = "mesh"
    file: InFolder
    """STL or OBJ file in the model's folder."""
    scale: Values = 1.0
    """One factor, or one for each axis."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "file", as_data_file(self.file, "MeshFile: file"))
        scale = numbers(self.scale if np.ndim(self.scale) else [self.scale] * 3, (3,), "MeshFile: scale")
        if scale.dtype == object or not scale.all():
            raise ModelError(f"MeshFile: scale must be numbers other than zero, not {self.scale!r}")
        object.__setattr__(self, "scale", float(scale[0]) if (scale == scale[0]).all() else scale)
        if self.file.read is None:
            assert len(self.triangles.faces)  # read now, so that what is wrong is said where it is said

    @cached_property
    def triangles(self) -> Triangles:
        read = self.file.read or load
        return read(self.file.path).scaled(np.broadcast_to(self.scale, (3,)))

    @property
    def vertices(self) -> np.ndarray:
        return self.triangles.vertices

    @property
    def faces(self) -> np.ndarray:
        return self.triangles.faces


SHAPES: tuple[type[Shape], ...] = (Box, Sphere, Cylinder, Capsule, Line, Mesh, MeshFile)
"""The shapes a model file can name."""


def as_shapes(given: Iterable[Shape], where: str) -> tuple[Shape, ...]:
    """The shapes of one body."""
    made = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for one in made:
        if not isinstance(one, Shape):
            raise ModelError(f"{where}: {one!r} is no shape for drawing; use for example da.shapes.Box(size=(1, 1, 1))")
    return made


def _span(a: Any, b: Any, where: str) -> tuple[Frame, float]:
    """The place midway between two points (numbers), with z along them, and their distance."""
    start, end = (numbers(x, (3,), where) for x in (a, b))
    if start.dtype == object or end.dtype == object:
        raise ModelError(
            f"{where}: its points must be numbers; give at=, radius= and length= where parameters are in them"
        )
    along: Vector = end - start
    length = float(np.linalg.norm(along))
    if not length:
        raise ModelError(f"{where}: its two points are the same; give two points apart")
    return Frame(0.5 * (start + end), to_z(unit(along / length, where))), length


def _colour(given: Any, where: str) -> str | None:
    if given is None:
        return None
    if isinstance(given, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", given):
        return given.lower()
    if isinstance(given, str) and given in COLOURS:
        return COLOURS[given]
    raise ModelError(f'{where}: colour {given!r} is not known; give "#rrggbb" or one of {", ".join(COLOURS)}')
