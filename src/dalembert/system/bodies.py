"""Rigid bodies: mass, mass centre, and inertia about it in body axes; and the shapes that save computing them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.system.joints.axis import unit
from dalembert.system.numbers import number, numbers
from dalembert.system.shapes import Box, Cylinder, Rod, Shape, Solid, Sphere
from dalembert.trace import Expr
from dalembert.vectors import IDENTITY, Matrix, Vector


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, mass centre and inertia matrix about the mass centre, in body axes."""

    mass: Any
    com: Vector
    inertia: Matrix
    shapes: tuple[Shape, ...] = ()
    """What is drawn of it."""

    def moved(self, by: Any) -> MassProperties:
        """The same matter with its mass centre shifted by `by` in body axes."""
        step = numbers(by, (3,), "moved: by")
        return MassProperties(self.mass, self.com + step, self.inertia, tuple(x.moved(step) for x in self.shapes))

    def __add__(self, other: MassProperties) -> MassProperties:
        """Two pieces of matter taken as one body."""
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass
        about = sum(p.inertia + p.mass * _steiner(p.com - com) for p in (self, other))
        return MassProperties(mass, com, np.asarray(about), self.shapes + other.shapes)


def _steiner(r: Vector) -> Matrix:
    return (r @ r) * IDENTITY - np.outer(r, r)


def rod(mass: Any, length: Any, axis: Any = (1.0, 0.0, 0.0), com: Any = None) -> MassProperties:
    """A thin uniform rod from the body's origin along `axis`; `com` overrides where its middle is."""
    mass = number(mass, "rod: mass")
    shape = Rod(length, unit(axis, "rod: axis"))
    if com is None:
        return MassProperties(mass, shape.centre, shape.inertia(mass), (shape,))
    middle = numbers(com, (3,), "rod: com")
    return MassProperties(mass, middle, shape.inertia(mass), (shape.moved(middle - shape.centre),))


def box(mass: Any, size: Any, com: Any = (0.0, 0.0, 0.0)) -> MassProperties:
    """A uniform block with edges `size` along the body axes."""
    return _centred(Box(size), number(mass, "box: mass"), numbers(com, (3,), "box: com"))


def cylinder(
    mass: Any, radius: Any, length: Any, axis: Any = (0.0, 0.0, 1.0), com: Any = (0.0, 0.0, 0.0)
) -> MassProperties:
    """A uniform solid cylinder along `axis`."""
    mass, place = number(mass, "cylinder: mass"), numbers(com, (3,), "cylinder: com")
    return _centred(Cylinder(radius, length, unit(axis, "cylinder: axis")), mass, place)


def sphere(mass: Any, radius: Any, com: Any = (0.0, 0.0, 0.0)) -> MassProperties:
    """A uniform solid ball."""
    return _centred(Sphere(radius), number(mass, "sphere: mass"), numbers(com, (3,), "sphere: com"))


def _centred(shape: Solid, mass: Any, com: Vector) -> MassProperties:
    return MassProperties(mass, com, shape.inertia(mass), (shape.moved(com),))


def particle(mass: Any, at: Any = (0.0, 0.0, 0.0)) -> MassProperties:
    """A point mass: no inertia of its own."""
    return MassProperties(number(mass, "particle: mass"), numbers(at, (3,), "particle: at"), np.zeros((3, 3)))


def matter_of(shapes: Iterable[Shape]) -> MassProperties | None:
    """The shapes that have a mass or a density, taken as one body; None where there are none."""
    parts = []
    for x in shapes:
        if isinstance(x, Solid) and x.heavy:
            R, mass = x.at.rotation, x.weight
            parts.append(MassProperties(mass, x.at.position + R @ x.centre, R @ x.inertia(mass) @ R.T))
    return reduce(add, parts) if parts else None


def inertia_matrix(given: Any, what: str) -> Matrix:
    """3 × 3 from a full matrix or from three principal moments."""
    made = np.array(given, dtype=object)
    return numbers(np.diag(made) if made.shape == (3,) else made, (3, 3), what)


def check_mass_properties(p: MassProperties | RigidBody, body: str) -> None:
    """Mass and inertia (numbers) must belong to some distribution of positive mass."""
    mass, inertia = float(p.mass), p.inertia.astype(float)
    if mass < 0.0:
        raise ModelError(f'body "{body}": mass {mass:g} kg is negative; give a positive mass, or 0 for a massless body')
    scale = np.abs(inertia).max()
    if np.abs(inertia - inertia.T).max() > 1e-12 * scale:
        raise ModelError(f'body "{body}": its inertia matrix is not symmetric; mirror the products of inertia')
    moments = np.linalg.eigvalsh(0.5 * (inertia + inertia.T))
    if moments[0] < -1e-9 * scale:
        raise ModelError(
            f'body "{body}": its inertia has the negative principal moment {moments[0]:.4g} kg m²; '
            "check the signs of the products of inertia, and that it is taken about the mass centre"
        )
    if moments[2] - moments[0] - moments[1] > 1e-9 * scale:
        raise ModelError(
            f'body "{body}": its principal moments {", ".join(f"{x:.4g}" for x in moments)} kg m² break the triangle '
            "inequality (the largest exceeds the sum of the others), so no real body has them; "
            "check that the inertia is about the mass centre and in kg m²"
        )
    if mass == 0.0 and scale > 0.0:
        raise ModelError(f'body "{body}": it has inertia but no mass; give it a mass')


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A named body with its mass properties."""

    name: str
    mass: Any
    com: Vector
    inertia: Matrix

    @property
    def massless(self) -> bool:
        return type(self.mass) is not Expr and self.mass == 0.0
