"""Universal: a turn about an axis fixed in the parent, then one about an axis fixed in the child."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.joints.axis import Axis, unit_axis
from dalembert.parts.joints.joint import Joint, columns
from dalembert.vectors import ZERO, Matrix, Vector, cross, turn

PARALLEL = 1e-9
"""Amount by which the cosine between two axes may fall short of 1 for them to be one."""


@dataclass(frozen=True)
class Universal(Joint):
    """A Hooke or Cardan joint: angles about `axis_parent`, fixed in the parent, and about `axis_child`, fixed in the child."""

    axis_parent: Axis = (1.0, 0.0, 0.0)
    """Unit vector in the joint frame on the parent."""
    axis_child: Axis = (0.0, 1.0, 0.0)
    """Unit vector in the joint frame on the child."""
    coordinates: ClassVar[tuple[str, ...]] = ("1", "2")
    speeds: ClassVar[tuple[str, ...]] = ("1", "2")

    def __post_init__(self) -> None:
        unit_axis(self, "axis_parent")
        unit_axis(self, "axis_child")
        if abs(np.dot(self.axis_parent, self.axis_child)) > 1.0 - PARALLEL:
            raise ModelError(
                f"Universal: axis_parent {self.axis_parent} and axis_child {self.axis_child} are parallel, "
                "so one freedom is lost: use a Revolute, or two different axes"
            )

    def rotation(self, q: Vector) -> Matrix:
        return turn(np.array(self.axis_parent), q[0]) @ turn(np.array(self.axis_child), q[1])

    def turning(self, q: Vector) -> np.ndarray:
        return columns(self._first(q), self.axis_child)

    def turning_rate(self, q: Vector, u: Vector) -> np.ndarray:
        return columns(cross(self._first(q), np.array(self.axis_child)) * u[1], ZERO)

    def _first(self, q: Vector) -> Vector:
        """The parent's axis in the child's axes."""
        return turn(np.array(self.axis_child), q[1]).T @ np.array(self.axis_parent)

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        a, b = np.array(self.axis_parent), np.array(self.axis_child)
        return np.concatenate([p, [a @ (R @ b) - a @ b]])
