"""Solids: uniform bodies by their form, with a mass or a density. Several of them make one body.

A solid's centre (a rod's beginning) is at its place `at` on the body; it is drawn as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts import bodies
from dalembert.parts.bodies import MassProperties
from dalembert.parts.fields import Colour, Number, Numbers3, Place
from dalembert.parts.frames import Frame, as_frame
from dalembert.parts.joints.axis import Axis, to_z, unit_axis
from dalembert.parts.numbers import number, numbers
from dalembert.parts.shapes import Capsule, Cylinder, Line, Shape
from dalembert.trace import Expr, Scalar, sqrt
from dalembert.vectors import IDENTITY


@dataclass(frozen=True, eq=False, kw_only=True)
class Solid:
    """`mass` in kg, or `density` in kg/m³."""

    mass: Number | None = None
    density: Number | None = None
    at: Place = field(default_factory=Frame)
    colour: Colour = None

    @property
    def form(self) -> str:
        """What it is called in messages."""
        return type(self).__name__.removeprefix("Solid")

    def __post_init__(self) -> None:
        if (self.mass is None) == (self.density is None):
            raise ModelError(f"{self.form}: give its mass or its density")
        object.__setattr__(self, "at", as_frame(self.at, f"{self.form}: at"))
        self.properties()  # refuses what is wrong with it here, not when the body is put together

    @property
    def weight(self) -> Scalar:
        """Mass in kg."""
        if self.mass is not None:
            return number(self.mass, f"{self.form}: mass")
        return number(self.density, f"{self.form}: density") * self.volume

    @property
    def volume(self) -> Scalar:
        raise NotImplementedError

    def centred(self) -> MassProperties:
        """Mass properties in the solid's own axes."""
        raise NotImplementedError

    def properties(self) -> MassProperties:
        """Mass properties on the body, drawn in the solid's colour."""
        own, R, p = self.centred(), self.at.rotation, self.at.position
        drawn = tuple(
            replace(s, at=Frame(p + R @ s.at.position, R @ s.at.rotation), colour=self.colour or s.colour)
            for s in own.shapes
        )
        return MassProperties(own.mass, p + R @ own.com, R @ own.inertia @ R.T, drawn)


@dataclass(frozen=True, eq=False)
class SolidParticle(Solid):
    """A point mass."""

    @property
    def volume(self) -> Scalar:
        raise ModelError("Particle: a point has no density; give its mass")

    def centred(self) -> MassProperties:
        return bodies.particle(self.weight)


@dataclass(frozen=True, eq=False)
class SolidBox(Solid):
    """A block with edges `size` along its axes."""

    size: Numbers3

    @property
    def volume(self) -> Scalar:
        return self.size[0] * self.size[1] * self.size[2]

    def centred(self) -> MassProperties:
        return bodies.box(self.weight, self.size)


@dataclass(frozen=True, eq=False)
class SolidSphere(Solid):
    """A ball."""

    radius: Number

    @property
    def volume(self) -> Scalar:
        return 4.0 / 3.0 * math.pi * self.radius * self.radius * self.radius

    def centred(self) -> MassProperties:
        return bodies.sphere(self.weight, self.radius)


@dataclass(frozen=True, eq=False)
class SolidCylinder(Solid):
    """A cylinder along `axis`, its middle at `at`."""

    radius: Number
    length: Number
    axis: Axis = (0.0, 0.0, 1.0)

    @property
    def volume(self) -> Scalar:
        return math.pi * self.radius * self.radius * self.length

    def centred(self) -> MassProperties:
        return bodies.cylinder(self.weight, self.radius, self.length, self.axis)


@dataclass(frozen=True, eq=False)
class SolidCapsule(Solid):
    """A cylinder of this length along `axis` with half a ball at each end, its middle at `at`."""

    radius: Number
    length: Number
    axis: Axis = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        unit_axis(self, "axis", self.form)
        super().__post_init__()

    @property
    def volume(self) -> Scalar:
        return math.pi * self.radius * self.radius * (self.length + 4.0 / 3.0 * self.radius)

    def centred(self) -> MassProperties:
        """The half balls' mass centres are 3r/8 beyond the cylinder's ends."""
        drawn = Capsule(self.radius, self.length, at=Frame(np.zeros(3), to_z(self.axis)))
        r, l, mass = drawn.radius, drawn.length, self.weight
        middle = mass * l / (l + 4.0 / 3.0 * r)
        ends = mass - middle
        along = (0.5 * middle + 2.0 / 5.0 * ends) * r * r
        across = middle * (l * l / 12.0 + r * r / 4.0) + ends * (2.0 / 5.0 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r)
        a = np.array(self.axis)
        return MassProperties(mass, np.zeros(3), across * IDENTITY + (along - across) * np.outer(a, a), (drawn,))


@dataclass(frozen=True, eq=False)
class SolidRod(Solid):
    """A thin rod from `at` along `axis`; with a `radius` it is drawn as thick, and a density can be given."""

    length: Number
    axis: Axis = (1.0, 0.0, 0.0)
    radius: Number | None = None

    @property
    def volume(self) -> Scalar:
        if self.radius is None:
            raise ModelError("Rod: a density needs a radius; give radius, or mass instead of density")
        return math.pi * self.radius * self.radius * self.length

    def centred(self) -> MassProperties:
        thin = bodies.rod(self.weight, self.length, self.axis)
        if self.radius is None:
            return thin
        thick = Cylinder(self.radius, self.length, at=Frame(thin.com, to_z(self.axis)))
        return replace(thin, shapes=(thick,))


@dataclass(frozen=True, eq=False)
class SolidBar(Solid):
    """A round bar from point to point: a solid cylinder of this `radius`, or thin where none is given."""

    start: Numbers3
    end: Numbers3
    radius: Number | None = None

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            object.__setattr__(self, name, numbers(getattr(self, name), (3,), f"Bar: {name}"))
        super().__post_init__()

    @property
    def volume(self) -> Scalar:
        if self.radius is None:
            raise ModelError("Bar: a density needs a radius; give radius, or mass instead of density")
        along = self.end - self.start
        return math.pi * self.radius * self.radius * sqrt(along @ along)

    def centred(self) -> MassProperties:
        """m/12 (d·d 1 − d dᵀ) + m r²/4 (1 + d dᵀ / d·d) about the middle."""
        along, mass = self.end - self.start, self.weight
        inertia = mass / 12.0 * ((along @ along) * IDENTITY - np.outer(along, along))
        if self.radius is not None:
            thick = 0.25 * mass * self.radius * self.radius
            inertia = inertia + thick * (IDENTITY + np.outer(along, along) / (along @ along))
        return MassProperties(mass, 0.5 * (self.start + self.end), inertia, (self._picture(),))

    def _picture(self) -> Shape:
        parametric = any(type(x) is Expr for x in (*self.start, *self.end))
        if self.radius is None or parametric:
            return Line([self.start, self.end])
        return Capsule.between(self.start, self.end, self.radius)


def matter_of(solids: Iterable[Solid]) -> MassProperties:
    """All of them as one body."""
    parts = [solid.properties() for solid in solids]
    if not parts:
        raise ModelError("matter: give at least one solid")
    return reduce(add, parts)


SOLIDS: tuple[type[Solid], ...] = (
    SolidBar, SolidRod, SolidBox, SolidCylinder, SolidSphere, SolidCapsule, SolidParticle,
)  # fmt: skip
"""The solids a model file can name."""
