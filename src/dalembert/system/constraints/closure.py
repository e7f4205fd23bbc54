"""JointClosure: a joint that closes a loop, as a constraint between the two bodies it connects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.system.constraints.constraint import Constraint
from dalembert.system.forces.points import Point
from dalembert.system.frames import Frame
from dalembert.system.joints import Joint


@dataclass(frozen=True, eq=False)
class JointClosure(Constraint):
    """The directions the joint blocks, from the pose of its frame C in its frame P."""

    joint: Joint
    parent: str
    child: str
    on_parent: Frame
    on_child: Frame

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.child, self.parent)

    def acts_at(self, s: Any) -> tuple[Any, Any]:
        """On the child, and on the parent."""
        return s.position((self.child, self.on_child.position)), s.position((self.parent, self.on_parent.position))

    def axes(self, s: Any) -> tuple[Any, Any]:
        """Of the joint's frames on the child and on the parent."""
        return s.rotation(self.child) @ self.on_child.rotation, s.rotation(self.parent) @ self.on_parent.rotation

    def residual(self, s: Any) -> np.ndarray:
        parent = Point(self.parent, self.on_parent.position, self.on_parent.node or "frame")
        child = Point(self.child, self.on_child.position, self.on_child.node or "frame")
        R_P = s.rotation(parent) @ self.on_parent.rotation
        R_C = s.rotation(child) @ self.on_child.rotation
        gap = s.position(child) - s.position(parent)
        return self.joint.closure(R_P.T @ R_C, R_P.T @ gap)
