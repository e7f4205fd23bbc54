"""Contact: a point or a ball of one body against a plane of another, with Coulomb's friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.laws.checks import check_not_negative, check_restitution, check_static
from dalembert.laws.law import NOTHING, Friction, Law
from dalembert.laws.stribeck import stribeck
from dalembert.parts.fields import Number, PointLike, RestLength
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Expr
from dalembert.vectors import Vector, across, cross

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class Contact(Law):
    """A point, or a ball about it, over a plane: `da.Contact("foot", mu=0.5)` on the ground's plane z = 0.

    The plane goes through `origin` with `normal` (axes of its body), on whose side the point stays; `radius` makes the point a ball.
    `mu` is Coulomb's coefficient of friction while it slides, `mu_static` that up to which it sticks; `restitution` is the part of the
    normal speed that it keeps in an impact.
    """

    of_differences = True
    point: PointLike
    origin: PointLike = "ground"
    normal: Axis = (0.0, 0.0, 1.0)
    mu: Number = 0.0
    mu_static: Number = None
    stribeck: Number = None
    restitution: Number = 0.0
    radius: RestLength = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f'Contact of "{self.point.body}"'
        check_restitution(self.restitution, where)
        check_not_negative(where, mu=self.mu, mu_static=self.mu_static, radius=self.radius)
        check_static(where, "mu_static", self.mu_static, self.mu)

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.point.body, self.origin.body)

    @property
    def _is_point(self) -> bool:
        return type(self.radius) is not Expr and self.radius == 0.0

    @property
    def _rubs(self) -> bool:
        return any(type(x) is Expr or x != 0.0 for x in (self.mu, self.mu_static) if x is not None)

    def _offset(self, s: State) -> Vector:
        """Vector from the plane's origin to the point, in axes of the plane's body."""
        return s.rotation(self.origin).T @ (s.position(self.point) - s.position(self.origin))

    def gap(self, s: State) -> np.ndarray:
        return np.array([np.array(self.normal) @ self._offset(s) - self.radius])

    def way(self, s: State) -> np.ndarray:
        if not self._is_point or not self._rubs:
            return NOTHING
        return np.array([direction @ self._offset(s) for direction in across(np.array(self.normal))])

    def slip(self, s: State) -> np.ndarray:
        if self._is_point or not self._rubs:
            return NOTHING
        R = s.rotation(self.origin)
        arm = -self.radius * (R @ np.array(self.normal))
        contact = s.position(self.point) + arm - s.position(self.origin)
        v = s.velocity(self.point) + cross(s.angular_velocity(self.point), arm)
        v = v - s.velocity(self.origin) - cross(s.angular_velocity(self.origin), contact)
        return np.array([(R @ direction) @ v for direction in across(np.array(self.normal))])

    def friction(self, s: State, v: Scalar) -> Friction:
        return Friction(0.0, stribeck(self.mu, self._at_rest, self.stribeck, v))

    def static_friction(self, s: State) -> Friction:
        return Friction(0.0, self._at_rest)

    @property
    def _at_rest(self) -> Any:
        return self.mu if self.mu_static is None else self.mu_static

    def acts_at(self, s: State) -> tuple[Any, Any]:
        """The contact point."""
        at = s.position(self.point) - self.radius * (s.rotation(self.origin) @ np.array(self.normal))
        return at, at
