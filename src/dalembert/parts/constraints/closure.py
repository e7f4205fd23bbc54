"""JointClosure: a joint that closes a loop, as a constraint between the two bodies it connects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.forces.points import Point
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class JointClosure(Constraint):
    """The directions the joint blocks, from the pose of its frame C in its frame P."""

    of_differences = True
    joint: Joint
    parent: str
    child: str
    on_parent: Frame
    on_child: Frame

    def __post_init__(self) -> None:
        """Nothing is checked: it is made of a mechanism's joint, whose parts were."""

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.child, self.parent)

    @cached_property
    def ends(self) -> tuple[Point, Point]:
        """Points on the child and on the parent: of an elastic body, on the node that is named or on its floating frame."""
        sides = ((self.child, self.on_child), (self.parent, self.on_parent))
        return tuple(Point.trusted(body, on.position, on.node or "frame") for body, on in sides)  # type: ignore[return-value]

    def acts_at(self, s: State) -> tuple[Any, Any]:
        """On the child, and on the parent."""
        child, parent = self.ends
        return s.position(child), s.position(parent)

    def axes(self, s: State) -> tuple[Any, Any]:
        """Axes of the joint's frames on the child and on the parent."""
        child, parent = self.ends
        return s.rotation(child) @ self.on_child.rotation, s.rotation(parent) @ self.on_parent.rotation

    def residual(self, s: State) -> np.ndarray:
        (R_C, R_P), (p_C, p_P) = self.axes(s), self.acts_at(s)
        return self.joint.closure(R_P.T @ R_C, R_P.T @ (p_C - p_P))
