"""What all contacts have: gaps with a normal and a place each, Coulomb's friction across the normal, restitution."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.laws.checks import check_not_negative, check_restitution, check_static
from dalembert.laws.law import NOTHING, Friction, Law
from dalembert.laws.stribeck import stribeck
from dalembert.parts.fields import KeptFlag, Number, RestLength
from dalembert.parts.forces.points import Point
from dalembert.trace import Expr
from dalembert.vectors import Vector, cross

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State

FRICTIONAL = ("mu", "mu_static", "rolling_arm", "drilling_arm", "viscous")
"""Fields by which a contact resists slip or turning."""


class Touch(NamedTuple):
    """A place where two bodies may touch."""

    gap: Any
    """Distance between them."""
    at: Vector
    """Where, in the world: on the first body, and where they touch on the second as well."""
    across: tuple[Vector, Vector]
    """Unit vectors of the world along both surfaces, in which slip is measured."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Touching(Law):
    """A base of contacts: a subclass says by `touches(s)` where its two bodies (`ends`) may touch."""

    mu: Number = 0.0
    mu_static: Number = None
    stribeck: Number = None
    restitution: Number = 0.0
    rolling_arm: RestLength = 0.0
    drilling_arm: RestLength = 0.0
    viscous: Number = 0.0
    _acting: KeptFlag = ()
    """Names of the friction and the resistances that there are: where one is a parameter it may be zero, and still has its rows."""

    def __post_init__(self) -> None:
        super().__post_init__()
        acting = {name for name in FRICTIONAL if _acts(getattr(self, name))}
        object.__setattr__(self, "_acting", tuple(sorted({*self._acting, *acting})))

    def _check(self, where: str) -> None:
        """Refuse numbers that cannot be."""
        check_restitution(self.restitution, where)
        check_not_negative(where, mu=self.mu, mu_static=self.mu_static)
        check_static(where, "mu_static", self.mu_static, self.mu)
        check_not_negative(where, rolling_arm=self.rolling_arm, drilling_arm=self.drilling_arm, viscous=self.viscous)

    @property
    @abstractmethod
    def ends(self) -> tuple[Point, Point]:
        """A point of the first and one of the second body."""

    @abstractmethod
    def touches(self, s: State) -> Sequence[Touch]:
        """Every place where they may touch."""

    def _touches(self, s: State) -> Sequence[Touch]:
        """Once for a state."""
        return s.view(self.touches)

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(p.body for p in self.ends)

    @property
    def rubs(self) -> bool:
        """Whether there is friction at all."""
        return bool({"mu", "mu_static", "viscous"}.intersection(self._acting))

    def gap(self, s: State) -> np.ndarray:
        return np.array([x.gap for x in self._touches(s)])

    def slip(self, s: State) -> np.ndarray:
        if not self.rubs:
            return NOTHING
        a, b = self.ends
        found = []
        for x in self._touches(s):
            v = _velocity(s, a, x.at) - _velocity(s, b, x.at)
            found += [direction @ v for direction in x.across]
        return np.array(found)

    def rolling(self, s: State) -> np.ndarray:
        if "rolling_arm" not in self._acting:
            return NOTHING
        w = self._turning(s)
        return np.array([direction @ w for x in self._touches(s) for direction in x.across])

    def drilling(self, s: State) -> np.ndarray:
        if "drilling_arm" not in self._acting:
            return NOTHING
        w = self._turning(s)
        return np.array([cross(*x.across) @ w for x in self._touches(s)])

    def _turning(self, s: State) -> Vector:
        """Angular velocity of the first body against the second."""
        a, b = self.ends
        return s.angular_velocity(a) - s.angular_velocity(b)

    def friction(self, s: State, v: Scalar) -> Friction:
        return Friction(0.0, stribeck(self.mu, self._at_rest, self.stribeck, v))

    def static_friction(self, s: State) -> Friction:
        return Friction(0.0, self._at_rest)

    @property
    def _at_rest(self) -> Any:
        return self.mu if self.mu_static is None else self.mu_static

    def acts_at(self, s: State) -> tuple[Any, Any]:
        """The first place where they may touch."""
        at = self._touches(s)[0].at
        return at, at


def _acts(x: Any) -> bool:
    """Whether a coefficient is there and may be other than zero."""
    return x is not None and (type(x) is Expr or x != 0.0)


def _velocity(s: State, of: Point, at: Vector) -> Vector:
    """Velocity of the material of a body at a place of the world."""
    return s.velocity(of) + cross(s.angular_velocity(of), at - s.position(of))
