"""OnLine and OnPlane: a point of one body guided along a line, or in a plane, of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.fields import PointLike
from dalembert.parts.joints.axis import Axis
from dalembert.vectors import Vector, aside

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class _Guide(Constraint):
    """`follower` moves relative to `origin`, a point of the guiding body."""

    follower: PointLike
    origin: PointLike
    axis: Axis = (0.0, 0.0, 1.0)

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.follower.body, self.origin.body)

    def acts_at(self, s: State) -> tuple[Any, Any]:
        return s.position(self.follower), s.position(self.follower)

    def _offset(self, s: State) -> Vector:
        """Vector from the origin to the follower, in the guiding body's axes."""
        return s.rotation(self.origin).T @ (s.position(self.follower) - s.position(self.origin))


class OnLine(_Guide):
    """A pin in a slot: `da.OnLine("pin", "plate", (1, 0, 0))`.

    The point `follower` stays on the line through `origin` along `axis` (axes of the guiding body). Two rows.
    """

    of_differences = True

    def residual(self, s: State) -> np.ndarray:
        return aside(self.axis, self._offset(s))


class OnPlane(_Guide):
    """A point on a table: `da.OnPlane("foot", "ground")`.

    The point `follower` stays in the plane through `origin` across `axis` (axes of the guiding body). One row.
    """

    of_differences = True

    def residual(self, s: State) -> np.ndarray:
        return np.array([np.array(self.axis) @ self._offset(s)])
