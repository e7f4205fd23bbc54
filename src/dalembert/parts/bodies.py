"""Rigid bodies: mass, mass centre, and inertia about it in body axes; and the shapes that save computing them.

`RigidBody` is also the contract of a body: one with coordinates of its own (`elastic.FlexibleBody`) offers the same names, with modes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.fields import Number
from dalembert.parts.frames import Frame
from dalembert.parts.joints.axis import to_z, unit
from dalembert.parts.numbers import number, numbers, positive
from dalembert.parts.shapes import Box, Cylinder, Line, Shape, Sphere
from dalembert.portable import Portable
from dalembert.trace import Expr
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector, cross

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.aliases import Scalar, Vector3

UNSYMMETRIC, UNPHYSICAL = 1e-12, 1e-9
"""Parts of the largest entry of an inertia: what may be unsymmetric; what moments may fall short of those of real bodies."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass (kg), mass centre and inertia matrix about it (kg m²), in body axes: what `da.rod`, `da.box` and the others give."""

    mass: Number
    com: Vector
    inertia: Matrix
    shapes: tuple[Shape, ...] = ()
    """How it looks, where its form is known."""

    def moved(self, by: Vector3) -> MassProperties:
        """The same mass with its mass centre shifted by `by` in body axes."""
        shift = numbers(by, (3,), "moved: by")
        shapes = tuple(replace(s, at=Frame(s.at.position + shift, s.at.rotation)) for s in self.shapes)
        return MassProperties(self.mass, self.com + shift, self.inertia, shapes)

    def __add__(self, other: MassProperties) -> MassProperties:
        """Sum of two mass distributions, taken as one body."""
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass
        about = sum(p.inertia + p.mass * _steiner(p.com - com) for p in (self, other))
        return MassProperties(mass, com, np.asarray(about), self.shapes + other.shapes)


def _steiner(r: Vector) -> Matrix:
    return (r @ r) * IDENTITY - np.outer(r, r)


def rod(mass: Scalar, length: Scalar, axis: ArrayLike = (1.0, 0.0, 0.0), com: Vector3 | None = None) -> MassProperties:
    """A thin uniform rod from the body's origin along `axis`: `da.rod(mass=1.0, length=0.5)`; `com` overrides where its middle is."""
    mass, length = number(mass, "rod: mass"), positive(length, "rod: length")
    a = np.array(unit(axis, "rod: axis"))
    middle = 0.5 * length * a if com is None else numbers(com, (3,), "rod: com")
    ends = Line([middle - 0.5 * length * a, middle + 0.5 * length * a])
    return MassProperties(mass, middle, mass * length * length / 12.0 * (IDENTITY - np.outer(a, a)), (ends,))


def box(mass: Scalar, size: Vector3, com: Vector3 = (0.0, 0.0, 0.0)) -> MassProperties:
    """A uniform block with edges `size` along the body axes about `com`: `da.box(2.0, (1.0, 0.2, 0.1))`."""
    mass = number(mass, "box: mass")
    com = numbers(com, (3,), "box: com")
    xx, yy, zz = (x * x for x in (positive(edge, "box: size") for edge in numbers(size, (3,), "box: size")))
    return MassProperties(mass, com, mass / 12.0 * np.diag([yy + zz, zz + xx, xx + yy]), (Box(size, at=com),))


def cylinder(
    mass: Scalar, radius: Scalar, length: Scalar, axis: ArrayLike = (0.0, 0.0, 1.0), com: Vector3 = (0.0, 0.0, 0.0)
) -> MassProperties:
    """A uniform solid cylinder along `axis` about `com`: `da.cylinder(mass=1.0, radius=0.2, length=0.05)`."""
    mass = number(mass, "cylinder: mass")
    radius, length = positive(radius, "cylinder: radius"), positive(length, "cylinder: length")
    a, com = np.array(unit(axis, "cylinder: axis")), numbers(com, (3,), "cylinder: com")
    along, across = 0.5 * radius * radius, (3.0 * radius * radius + length * length) / 12.0
    inertia = mass * (across * IDENTITY + (along - across) * np.outer(a, a))
    return MassProperties(mass, com, inertia, (Cylinder(radius, length, at=Frame(com, to_z(tuple(a)))),))


def sphere(mass: Scalar, radius: Scalar, com: Vector3 = (0.0, 0.0, 0.0)) -> MassProperties:
    """A uniform solid ball about `com`: `da.sphere(mass=1.0, radius=0.1)`."""
    mass, radius = number(mass, "sphere: mass"), positive(radius, "sphere: radius")
    com = numbers(com, (3,), "sphere: com")
    return MassProperties(mass, com, 2.0 / 5.0 * mass * radius * radius * IDENTITY, (Sphere(radius, at=com),))


def particle(mass: Scalar, at: Vector3 = (0.0, 0.0, 0.0)) -> MassProperties:
    """A point mass `at` a place of the body, without inertia of its own: `da.particle(1.0, (1, 0, 0))`."""
    return MassProperties(number(mass, "particle: mass"), numbers(at, (3,), "particle: at"), np.zeros((3, 3)))


def inertia_matrix(given: Any, what: str) -> Matrix:
    """3 × 3 from a full matrix or from three principal moments."""
    made = np.array(given, dtype=object)
    return numbers(np.diag(made) if made.shape == (3,) else made, (3, 3), what)


LARGEST = 1e150
"""Beyond it, products of masses and lengths leave the range of numbers."""


def check_mass_properties(p: MassProperties | Body, body: str) -> None:
    """Mass and inertia (numbers) must belong to some distribution of positive mass."""
    mass, inertia = float(p.mass), p.inertia.astype(float)
    if mass < 0.0:
        raise ModelError(f'body "{body}": mass {mass:g} kg is negative; give a positive mass, or 0 for a massless body')
    scale = np.abs(inertia).max()
    if not (mass < LARGEST and scale < LARGEST):  # NaN is neither
        raise ModelError(f'body "{body}": its mass {mass:g} or inertia {scale:g} is too large to be computed with')
    if np.abs(inertia - inertia.T).max() > UNSYMMETRIC * scale:
        raise ModelError(f'body "{body}": its inertia matrix is not symmetric; mirror the products of inertia')
    moments = np.linalg.eigvalsh(0.5 * (inertia + inertia.T))
    if moments[0] < -UNPHYSICAL * scale:
        raise ModelError(
            f'body "{body}": its inertia has the negative principal moment {moments[0]:.4g} kg m²; '
            "check the signs of the products of inertia, and that it is taken about the mass centre"
        )
    if moments[2] - moments[0] - moments[1] > UNPHYSICAL * scale:
        raise ModelError(
            f'body "{body}": its principal moments {", ".join(f"{x:.4g}" for x in moments)} kg m² break the triangle '
            "inequality (the largest exceeds the sum of the others), so no real body has them; "
            "check that the inertia is about the mass centre and in kg m²"
        )
    if mass == 0.0 and scale > 0.0:
        raise ModelError(f'body "{body}": it has inertia but no mass; give it a mass')


@dataclass(frozen=True, eq=False)
class Instant:
    """A body's motion at one instant: axes R, arm from its origin to its mass centre, ω, v of the origin (world axes); its own
    coordinates and their rates."""

    R: Matrix
    arm: Vector
    w: Vector
    v: Vector
    q: Any
    qd: Any


@dataclass(frozen=True, eq=False)
class RigidBody(Portable):
    """A named body with its mass properties."""

    name: str
    mass: Any
    com: Vector
    inertia: Matrix
    shapes: tuple[Shape, ...] = ()
    """For drawing only."""

    modes: ClassVar[tuple[str, ...]] = ()
    """Names of the body's own coordinates."""
    nodes: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Frames that move with them."""

    @property
    def massless(self) -> bool:
        return type(self.mass) is not Expr and self.mass == 0.0

    def arm(self, R: Matrix, q: Any) -> Vector:
        """Arm from the origin to the mass centre, world axes."""
        return R @ self.com

    def arm_columns(self, R: Matrix, q: Any) -> np.ndarray:
        """∂arm/∂q of the body's own coordinates, world axes, 3 × n."""
        return np.zeros((3, 0))

    def arm_second(self, R: Matrix, q: Any, qd: Any) -> Vector:
        """d²arm/dt² in the body's frame where its own speeds do not change, world axes."""
        return ZERO

    def central_inertia(self, q: Any) -> np.ndarray:
        """Inertia about the mass centre, in body axes: of turning, then of the body's own speeds."""
        return self.inertia

    def central_bias(self, w: Vector, q: Any, qd: Any) -> np.ndarray:
        """What turning at ω (body axes) and deforming at constant rates demand about the mass centre, likewise: ω × Iω."""
        return cross(w, self.inertia @ w)

    def moment_with_reference(self, q: Any) -> Matrix:
        """∫ρ ρ̄ᵀdm about the mass centre, body axes, with ρ̄ in the undeformed body."""
        return 0.5 * np.trace(self.inertia) * IDENTITY - self.inertia

    def momentum(self, at: Instant) -> Vector:
        """m v of the mass centre."""
        return self.mass * (at.v + cross(at.w, at.arm))

    def spin(self, at: Instant) -> Vector:
        """Angular momentum about the mass centre."""
        return at.R @ (self.inertia @ (at.R.T @ at.w))

    def kinetic_energy(self, at: Instant) -> Scalar:
        """½ m v·v + ½ ω·Iω."""
        v, w = at.v + cross(at.w, at.arm), at.R.T @ at.w
        return 0.5 * self.mass * (v @ v) + 0.5 * (w @ (self.inertia @ w))

    def slack(self, stiffness_factor: Any = 0.0) -> RigidBody:
        """The same body with that part of its own stiffness and damping."""
        return self

    def strain_energy(self, q: Any) -> Scalar:
        return 0.0

    def strain_forces(self, q: Any) -> np.ndarray:
        """On the body's own coordinates: stiffness, which `strain_energy` is the potential of."""
        return np.zeros(0)

    def modal_forces(self, R: Matrix, q: Any, qd: Any, gravity: Vector) -> np.ndarray:
        """On the body's own coordinates: damping and gravity."""
        return np.zeros(0)

    def demands(self, at: Instant, alpha: Vector, a: Vector, qdd: Any) -> tuple[Vector, Vector]:
        """Force, and moment about the mass centre, that it takes to accelerate so (world axes; a is the origin's)."""
        a = a + cross(alpha, at.arm) + cross(at.w, cross(at.w, at.arm))
        turning = at.R @ (self.inertia @ (at.R.T @ alpha))
        return self.mass * a, turning + cross(at.w, self.spin(at))

    def weighed(self, R: Matrix, arm: Vector, q: Any, W: Any, V: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows of partial velocities, each with the same times its inertia: of the mass centre, and of turning in body axes."""
        V, W = V + cross(W, arm), R.T @ W
        return [(V, self.mass * V), (W, self.inertia @ W)]

    def dynamic_residual(
        self, at: Instant, alpha: Vector, a: Vector, qdd: Any, force: Vector, moment: Vector
    ) -> list[np.ndarray]:
        """What is left along those rows of the applied force and moment, where the accelerations are α and a (of the origin)."""
        a = a + cross(alpha, at.arm) + cross(at.w, cross(at.w, at.arm))
        w, e = at.R.T @ at.w, at.R.T @ alpha
        return [force - self.mass * a, at.R.T @ moment - self.inertia @ e - cross(w, self.inertia @ w)]


Body = Any
"""A `RigidBody`, or anything with its names and modes of its own."""
