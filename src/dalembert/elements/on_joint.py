"""Elements that act within a joint: its coordinate, its speed, and the load on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.elements.element import Element
from dalembert.parts.forces.force import JointLoad, Load
from dalembert.parts.forces.freedom import chosen
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt
    from dalembert.parts.joints.joint import Joint


class OnJoint(Element):
    """A base of elements with fields `joint` and `coordinate`, the freedom of a joint that has several."""

    joint: str
    coordinate: str | None

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.joint,)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        chosen(joint_of(self.joint), self.joint, self.coordinate, f'element "{name}"')

    def joint_speed(self, x: ElementAt) -> Scalar:
        """Speed of its freedom."""
        joint, _, u = x.s.joint(self.joint)
        return u[chosen(joint, self.joint, self.coordinate, type(self).__name__)]

    def joint_coordinate(self, x: ElementAt) -> Scalar:
        """Coordinate of its freedom."""
        joint, q, _ = x.s.joint(self.joint)
        k = chosen(joint, self.joint, self.coordinate, type(self).__name__)
        return q[k] if joint.rates_are_speeds else q[joint.coordinates.index(joint.speeds[k])]

    def on_joint(self, x: ElementAt, value: Scalar) -> Iterable[Load]:
        """A load on its freedom."""
        joint, _, _ = x.s.joint(self.joint)
        values = np.zeros(joint.n_u, dtype=object)
        values[chosen(joint, self.joint, self.coordinate, type(self).__name__)] = value
        yield JointLoad(self.joint, values)
