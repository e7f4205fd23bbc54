"""Rolling without slip on a plane: a ball, or a thin disc (a wheel)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.fields import Length, PointLike
from dalembert.parts.joints.axis import Axis
from dalembert.trace import sqrt
from dalembert.vectors import Vector, across, cross

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class _Rolling(Constraint):
    """The round body's centre, its radius, and the plane through `origin` with `normal` in axes of the body that carries it."""

    centre: PointLike
    radius: Length
    origin: PointLike = "ground"
    normal: Axis = (0.0, 0.0, 1.0)

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.centre.body, self.origin.body)

    def residual(self, s: State) -> np.ndarray:
        """The contact point's height over the plane."""
        n = s.rotation(self.origin) @ np.array(self.normal)
        return np.array([n @ (s.position(self.centre) + self._arm(s, n) - s.position(self.origin))])

    def velocity(self, s: State) -> np.ndarray:
        """The round body's velocity at the contact point over the plane's, along the plane."""
        R = s.rotation(self.origin)
        n = R @ np.array(self.normal)
        arm = self._arm(s, n)
        contact = s.position(self.centre) + arm - s.position(self.origin)
        slip = s.velocity(self.centre) + cross(s.angular_velocity(self.centre), arm)
        slip = slip - s.velocity(self.origin) - cross(s.angular_velocity(self.origin), contact)
        return np.array([(R @ direction) @ slip for direction in across(np.array(self.normal))])

    def acts_at(self, s: State) -> tuple[Any, Any]:
        """The contact point."""
        contact = s.position(self.centre) + self._arm(s, s.rotation(self.origin.body) @ np.array(self.normal))
        return contact, contact

    def _arm(self, s: State, n: Vector) -> Vector:
        """Vector from the centre to the contact point."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class RollingBall(_Rolling):
    """A sphere that rolls on a plane without slip: `da.RollingBall("ball", 0.1)` on the ground's plane z = 0.

    `centre` is its centre; the plane goes through `origin` with `normal`. One holonomic and two nonholonomic rows.
    """

    of_differences = True

    def _arm(self, s: State, n: Vector) -> Vector:
        return -self.radius * n


@dataclass(frozen=True, eq=False)
class RollingDisc(_Rolling):
    """A thin disc or wheel turning about `axis` (body axes) on a plane; it must not lie flat on it."""

    of_differences = True
    axis: Axis = (0.0, 1.0, 0.0)

    def _arm(self, s: State, n: Vector) -> Vector:
        a = s.rotation(self.centre) @ np.array(self.axis)
        down = n - (n @ a) * a
        return -self.radius / sqrt(down @ down) * down
