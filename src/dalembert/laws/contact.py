"""Contact: a point or a ball of one body against a plane of another, with Coulomb's friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.laws.checks import check_not_negative
from dalembert.laws.law import NOTHING
from dalembert.laws.touching import Touch, Touching
from dalembert.parts.fields import PointLike, RestLength
from dalembert.parts.forces.points import Point
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Expr
from dalembert.vectors import Vector, across

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class Contact(Touching):
    """A point, or a ball about it, over a plane: `da.Contact("foot", mu=0.5)` on the ground's plane z = 0.

    The plane goes through `origin` with `normal` (axes of its body), on whose side the point stays; `radius` makes the point a ball.
    `mu` is Coulomb's coefficient of friction while it slides, `mu_static` that up to which it sticks; `restitution` is the part of the
    normal speed that it keeps in an impact. Other shapes touch by `da.PairContact`.
    """

    of_differences = True
    point: PointLike
    origin: PointLike = "ground"
    normal: Axis = (0.0, 0.0, 1.0)
    radius: RestLength = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f'Contact of "{self.point.body}"'
        self._check(where)
        check_not_negative(where, radius=self.radius)

    @property
    def ends(self) -> tuple[Point, Point]:
        return self.point, self.origin

    @property
    def _is_point(self) -> bool:
        return type(self.radius) is not Expr and self.radius == 0.0

    def _offset(self, s: State) -> Vector:
        """Vector from the plane's origin to the point, in axes of the plane's body."""
        return s.rotation(self.origin).T @ (s.position(self.point) - s.position(self.origin))

    def touches(self, s: State) -> Sequence[Touch]:
        n, R = np.array(self.normal), s.rotation(self.origin)
        first, second = across(n)
        at = s.position(self.point) - self.radius * (R @ n)
        return [Touch(n @ self._offset(s) - self.radius, at, (R @ first, R @ second))]

    def way(self, s: State) -> np.ndarray:
        """What sticks at a point stays where it is."""
        if not self._is_point or not self.rubs:
            return NOTHING
        return np.array([direction @ self._offset(s) for direction in across(np.array(self.normal))])

    def slip(self, s: State) -> np.ndarray:
        return NOTHING if self._is_point else super().slip(s)
