"""What every joint must say about itself.

A joint connects frame P on its parent with frame C on its child. Its coordinates q give the pose of C in P; its speeds u give
the velocity of C relative to P: angular velocity in C's axes, velocity of C's origin in P's axes. With that mixture the columns
of most joints are constants.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.frames import Frame
from dalembert.parts.joints.bearing import Bearing, LoadTerm
from dalembert.trace import Expr
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector

ADMISSIBLE = 1e-6
"""What is left of a condition among coordinates up to which they are taken as they are: of Euler parameters, their length less 1."""


class Joint:
    """What every joint is made from: `da.Revolute`, `da.Prismatic`, … To make one of your own, subclass it and say what moves.

    The contract: names of `coordinates` and `speeds`; `rotation(q)` and `translation(q)` of the child's frame in the parent's;
    `turning(q)` and `sliding(q)`, columns per unit speed, with their rates; `closure(R, p)`, what it blocks. The defaults suit joints
    whose speeds are the rates of their coordinates (q̇ = u).
    """

    coordinates: ClassVar[tuple[str, ...]] = ()
    """Names of the coordinates within the joint; a joint with one coordinate needs no name for it: ("",)."""
    speeds: ClassVar[tuple[str, ...]] = ()
    rates_are_speeds: ClassVar[bool] = True
    """Whether q̇ = u, coordinate by coordinate."""
    spins_about_z: ClassVar[bool] = False
    """Whether turning the child's frame about z only shifts coordinate 0, and sliding both frames along z changes nothing."""

    @property
    def n_q(self) -> int:
        return len(self.coordinates)

    @property
    def n_u(self) -> int:
        return len(self.speeds)

    @property
    def inner(self) -> Joint:
        """The joint as the user gave it, without what the carried body adds to its coordinates."""
        return self

    def carried_frame(self, q: Vector, on_child: Frame) -> tuple[Any, Frame]:
        """What C is fixed to: the motion of a node of the carried body, or None for the body itself; and C's frame on it."""
        return None, on_child

    @property
    def reference(self) -> np.ndarray:
        """The coordinates at which the two frames coincide; where there are none, or they are singular, some that can be used."""
        return np.zeros(self.n_q)

    @property
    def limits(self) -> np.ndarray:
        """2 × n_q: the lowest and the highest value of every coordinate between which the joint is known."""
        return np.array([[-np.inf], [np.inf]]) * np.ones(self.n_q)

    @property
    def kind(self) -> str:
        """What it is called."""
        return type(self).__name__

    def rotation(self, q: Vector) -> Matrix:
        """R_PC."""
        return IDENTITY

    def translation(self, q: Vector) -> Vector:
        """p_PC_P: from P's origin to C's, in P's axes."""
        return ZERO

    def turning(self, q: Vector) -> np.ndarray:
        """3 × n_u: angular velocity of C in P per unit speed, in C's axes."""
        return np.zeros((3, self.n_u))

    def turning_rate(self, q: Vector, u: Vector) -> np.ndarray:
        """d/dt of `turning`."""
        return np.zeros((3, self.n_u))

    def sliding(self, q: Vector) -> np.ndarray:
        """3 × n_u: rate of `translation` per unit speed, in P's axes."""
        return np.zeros((3, self.n_u))

    def sliding_rate(self, q: Vector, u: Vector) -> np.ndarray:
        """d/dt of `sliding`."""
        return np.zeros((3, self.n_u))

    def rates(self, q: Vector, u: Vector) -> Vector:
        """q̇ = N(q) u."""
        return u

    def speeds_from_rates(self, q: Vector, rates: Vector) -> Vector:
        """u from q̇: the inverse of `rates`, on rates that keep the coordinates admissible."""
        return rates

    def turned_momenta(self, q: Vector, u: Vector, pi: Vector) -> Vector | None:
        """W⁻¹γ π of Boltzmann and Hamel's equations, with u = Wᵀq̇ [C 147b]; None where it is to be found by differentiation."""
        return np.zeros(self.n_u) if self.rates_are_speeds else None

    def admissible(self, q: Vector) -> Vector:
        """The nearest coordinates that satisfy whatever condition holds among them (q itself where there is none)."""
        return q

    def condition(self, q: Vector) -> np.ndarray:
        """n_q − n_u scalars that vanish where the coordinates are admissible: what formulations in q̇ must obey besides."""
        return np.zeros(0)

    def singularity(self, q: Vector) -> str | None:
        """Why these coordinates (numbers) cannot be used, in words: singular angles, parameters that are no rotation. Else None."""
        return None

    @property
    def may_be_singular(self) -> bool:
        """Whether there are coordinates that cannot be used, such as singular angles."""
        return type(self).singularity is not Joint.singularity

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        """6 − n_u scalars that vanish where frame C, at R and p in frame P, is within the joint's reach: what it blocks.

        Places first (metres), then directions (pure numbers).
        """
        raise NotImplementedError

    def coordinates_at(self, R: Matrix, p: Vector) -> Vector:
        """Coordinates with which frame C is at R and p in frame P, within the joint's reach; angles from −π to π."""
        raise ModelError(
            f"a {self.kind} joint that closes a loop has no coordinates to be read; cut another joint of the loop with build(cut=[…])"
        )

    def speeds_at(self, w: Vector, v: Vector) -> Vector:
        """Speeds with which C turns at w (axes of C) and the origin of C moves at v (axes of P), within the joint's reach."""
        raise ModelError(
            f"a {self.kind} joint that closes a loop has no speeds to be read; cut another joint of the loop with build(cut=[…])"
        )

    def bearing(self, sizes: Bearing, freedom: int | None) -> list[LoadTerm]:
        """How friction along one of its speeds, or along all of them (None), is loaded by what it transmits."""
        raise ModelError(
            f"a {self.kind} joint does not tell how its load presses on its bearing; give the friction force itself"
        )

    @property
    def closes_loops(self) -> bool:
        """Whether it has a `closure`, so that a loop may be cut at it."""
        return True

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        """A number, positive where a frame C at which `closure` vanishes is within reach; negative where it is half a turn away."""
        return 1.0

    def blocked(self, q: Vector) -> np.ndarray | None:
        """6 × (6 − n_u): directions of couple (child axes) over force (parent axes) that do no work in its motion at q.

        None where they are to be found from its columns, or from `closure`.
        """
        return None

    @property
    def tracks(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Points (n, 3) of a curve to be drawn on the parent, in P's axes, and on the child, in C's: what it guides along."""
        return None, None

    def reversed(self) -> Joint:
        """The joint with the same coordinates and speeds, seen from its child."""
        from dalembert.parts.joints.reversed import Reversed

        return Reversed(self)

    def aligned(self) -> tuple[Self, Matrix]:
        """An equal joint about z, and the rotation Q that both its frames must then be turned by: R_PC = Q R_z Qᵀ."""
        return self, IDENTITY


def columns(*vectors: Any) -> np.ndarray:
    """A 3 × n matrix from its columns."""
    return np.stack([np.asarray(v) for v in vectors], axis=1)
