"""All forces on the mechanism, gathered: on each body about its mass centre, and on each joint's speeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.kinematics.state import State
from dalembert.system.forces import BodyLoad
from dalembert.trace import Expr
from dalembert.vectors import ZERO, Vector, cross


@dataclass(frozen=True, eq=False)
class Loads:
    """Per body: force and moment about the mass centre, world axes (index 0 is body 1). Per joint: values on its speeds."""

    force: list[Vector]
    moment: list[Vector]
    joint: list[np.ndarray]

    def loaded(self, k: int) -> bool:
        """Whether anything acts on body k."""
        return any(type(x) is Expr or x != 0.0 for x in (*self.force[k - 1], *self.moment[k - 1]))


def loads(s: State, gravity: bool = True) -> Loads:
    """Gravity and every force of the mechanism, in this state."""
    m = s.mechanism
    force = [b.mass * m.gravity if gravity else ZERO for b in m.bodies]
    moment: list[Vector] = [ZERO for _ in m.bodies]
    joint = [np.zeros(j.joint.n_u) for j in m.joints]
    for each in m.forces.values():
        for load in each.loads(s):
            if not isinstance(load, BodyLoad):
                k = s._joint_index(load.joint)
                joint[k] = joint[k] + s.settled(load.values)
                continue
            k = s.body_number(load.body) - 1
            if k < 0:
                continue  # the ground takes any load
            F, T = s.settled(load.force), s.settled(load.torque)
            at = s.poses[k + 1].p if load.at is None else load.at
            force[k] = force[k] + F
            moment[k] = moment[k] + T + cross(at - s.poses[k + 1].p - s.com_arms[k], F)
    return Loads(force, moment, joint)
