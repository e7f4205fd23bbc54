"""KnifeEdge: a skate that glides forwards but never sideways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.fields import BodyName, PointLike
from dalembert.parts.joints.axis import Axis
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class KnifeEdge(Constraint):
    """A skate or blade: `da.KnifeEdge("sledge", sideways=(0, 1, 0))`.

    The point `at` has no velocity relative to the body `on` along `sideways` (axes of the skate's body). One row.
    """

    at: PointLike
    sideways: Axis = (0.0, 1.0, 0.0)
    on: BodyName = "ground"

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body, self.on)

    def acts_at(self, s: State) -> tuple[Any, Any]:
        return s.position(self.at), s.position(self.at)

    def velocity(self, s: State) -> np.ndarray:
        side = s.rotation(self.at) @ np.array(self.sideways)
        carried = s.velocity(self.on) + cross(s.angular_velocity(self.on), s.position(self.at) - s.position(self.on))
        return np.array([side @ (s.velocity(self.at) - carried)])
