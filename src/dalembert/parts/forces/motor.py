"""Motor: a force or torque driving a joint."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.parts.fields import JointName, OfState
from dalembert.parts.forces.force import Force, JointLoad, Load
from dalembert.parts.forces.freedom import chosen

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class Motor(Force):
    """`torque` (a force on a sliding freedom) on the child, its opposite on the parent.

    A number, or a function of the state: `lambda s: 2.0 - 0.1 * s.u["A"]`. `coordinate` names the freedom if the joint has several.
    """

    joint: JointName
    torque: OfState = 0.0
    coordinate: str | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.joint,)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        chosen(joint_of(self.joint), self.joint, self.coordinate, f'force "{name}"')

    def loads(self, s: State) -> Iterable[Load]:
        joint, _, _ = s.joint(self.joint)
        values = np.zeros(joint.n_u, dtype=object)
        values[chosen(joint, self.joint, self.coordinate, "Motor")] = (
            self.torque(s) if callable(self.torque) else self.torque
        )
        yield JointLoad(self.joint, values)
