"""Shapes: what is drawn of a body. A solid with a mass or a density also says what the body weighs.

A shape's frame `at` is its place on the body; its centre is at the frame's origin (a rod begins there).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.system.fields import Colour, Number, Numbers3, Place, Points
from dalembert.system.frames import Frame, as_frame
from dalembert.system.joints.axis import Axis, unit_axis
from dalembert.system.numbers import number, numbers, positive
from dalembert.vectors import IDENTITY, Matrix, Vector

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}|[a-z]{3,30}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Shape:
    """Something to draw, placed on a body; `colour` is a name or "#rrggbb"."""

    at: Place = field(default_factory=Frame)
    colour: Colour = None

    def __post_init__(self) -> None:
        kind = type(self).__name__
        object.__setattr__(self, "at", as_frame(self.at, f"{kind}: at"))
        if self.colour is not None and not _COLOUR.fullmatch(str(self.colour)):
            raise ModelError(f'{kind}: colour={self.colour!r} must be a name such as "orange", or "#rrggbb"')

    def moved(self, by: Vector) -> Any:
        """The same shape, shifted by `by` in body axes."""
        return replace(self, at=Frame(self.at.position + by, self.at.rotation))

    @property
    def heavy(self) -> bool:
        """Whether it gives the body mass."""
        return False


@dataclass(frozen=True, eq=False, kw_only=True)
class Solid(Shape):
    """A uniform body: with `mass` in kg, or `density` in kg/m³, it counts as matter."""

    mass: Number | None = None
    density: Number | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = type(self).__name__
        if self.mass is not None and self.density is not None:
            raise ModelError(f"{kind}: give its mass or its density, not both")
        for name in ("mass", "density"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, number(getattr(self, name), f"{kind}: {name}"))

    @property
    def heavy(self) -> bool:
        return self.mass is not None or self.density is not None

    @property
    def weight(self) -> Any:
        """Its mass in kg."""
        return self.mass if self.mass is not None else self.density * self.volume

    @property
    def centre(self) -> Vector:
        """Its mass centre, in its own axes."""
        return np.zeros(3)

    @property
    def volume(self) -> Any:
        raise NotImplementedError

    def inertia(self, mass: Any) -> Matrix:
        """About its mass centre, in its own axes."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Box(Solid):
    """A block with edges `size` along its axes."""

    size: Numbers3

    def __post_init__(self) -> None:
        super().__post_init__()
        size = numbers(self.size, (3,), "box: size")
        for edge in size:
            positive(edge, "box: size")
        object.__setattr__(self, "size", size)

    @property
    def volume(self) -> Any:
        return self.size[0] * self.size[1] * self.size[2]

    def inertia(self, mass: Any) -> Matrix:
        xx, yy, zz = (x * x for x in self.size)
        return mass / 12.0 * np.diag([yy + zz, zz + xx, xx + yy])


@dataclass(frozen=True, eq=False)
class Sphere(Solid):
    """A ball."""

    radius: Number

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive(self.radius, "sphere: radius"))

    @property
    def volume(self) -> Any:
        return 4.0 / 3.0 * math.pi * self.radius * self.radius * self.radius

    def inertia(self, mass: Any) -> Matrix:
        return 0.4 * mass * self.radius * self.radius * IDENTITY


@dataclass(frozen=True, eq=False)
class Cylinder(Solid):
    """A solid cylinder along `axis`."""

    radius: Number
    length: Number
    axis: Axis = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("radius", "length"):
            object.__setattr__(self, name, positive(getattr(self, name), f"cylinder: {name}"))
        unit_axis(self, "axis")

    @property
    def volume(self) -> Any:
        return math.pi * self.radius * self.radius * self.length

    def inertia(self, mass: Any) -> Matrix:
        along = 0.5 * self.radius * self.radius
        across = (3.0 * self.radius * self.radius + self.length * self.length) / 12.0
        a = np.array(self.axis)
        return mass * (across * IDENTITY + (along - across) * np.outer(a, a))


@dataclass(frozen=True, eq=False)
class Capsule(Solid):
    """A cylinder of this length along `axis` with half a ball at each end."""

    radius: Number
    length: Number
    axis: Axis = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("radius", "length"):
            object.__setattr__(self, name, positive(getattr(self, name), f"capsule: {name}"))
        unit_axis(self, "axis")

    @property
    def volume(self) -> Any:
        return math.pi * self.radius * self.radius * (self.length + 4.0 / 3.0 * self.radius)

    def inertia(self, mass: Any) -> Matrix:
        """The half balls' mass centres are 3r/8 beyond the cylinder's ends."""
        r, l = self.radius, self.length
        middle = mass * l / (l + 4.0 / 3.0 * r)
        ends = mass - middle
        along = (0.5 * middle + 0.4 * ends) * r * r
        across = middle * (l * l / 12.0 + r * r / 4.0) + ends * (0.4 * r * r + l * l / 4.0 + 0.375 * l * r)
        a = np.array(self.axis)
        return across * IDENTITY + (along - across) * np.outer(a, a)


@dataclass(frozen=True, eq=False)
class Rod(Solid):
    """A thin rod from its frame's origin along `axis`; `radius` is how thick it is drawn."""

    length: Number
    axis: Axis = (1.0, 0.0, 0.0)
    radius: Number | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "length", positive(self.length, "rod: length"))
        if self.radius is not None:
            object.__setattr__(self, "radius", positive(self.radius, "rod: radius"))
        unit_axis(self, "axis")
        if self.density is not None and self.radius is None:
            raise ModelError("Rod: a density needs a radius; give radius=, or mass= instead of density=")

    @property
    def centre(self) -> Vector:
        return 0.5 * self.length * np.array(self.axis)

    @property
    def volume(self) -> Any:
        thick: Any = self.radius
        return math.pi * thick * thick * self.length

    def inertia(self, mass: Any) -> Matrix:
        a = np.array(self.axis)
        return mass * self.length * self.length / 12.0 * (IDENTITY - np.outer(a, a))


@dataclass(frozen=True, eq=False)
class Line(Shape):
    """A line through points, drawn only."""

    points: Points

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            count = len(self.points)
        except TypeError as problem:
            raise ModelError(f"Line: points must be rows of three numbers, not {self.points!r}") from problem
        if count < 2:
            raise ModelError("Line: give at least two points")
        object.__setattr__(self, "points", numbers(self.points, (count, 3), "Line: points"))


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A surface from a file (STL, OBJ), drawn only; `scale` multiplies its coordinates."""

    file: str
    scale: Numbers3 = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.file, str) or not self.file:
            raise ModelError(f"Mesh: file={self.file!r} must be the path of a mesh file")
        object.__setattr__(self, "scale", numbers(self.scale, (3,), "Mesh: scale"))


SHAPES: tuple[type[Shape], ...] = (Box, Sphere, Cylinder, Capsule, Rod, Line, Mesh)
"""The shapes a model file can name. To add one: write it here."""


def as_shape(given: Any, where: str) -> Shape:
    """A Shape, or the error."""
    if not isinstance(given, Shape):
        raise ModelError(f"{where}: {given!r} is not a shape; use for example da.shapes.Box((1, 1, 1))")
    return given
