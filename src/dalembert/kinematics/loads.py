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


def generalized(s: State, applied: Loads) -> np.ndarray:
    """The loads' forces on the free speeds: Σ VᵀF + ΩᵀM, and the joints' own."""
    m = s.mechanism
    f = np.zeros(m.n_u, dtype=object if s.traced else float)
    for k in range(1, m.n_bodies + 1):
        if applied.loaded(k):
            P, columns = s.partials[k], list(m.path_columns[k])
            V = P.V + cross(P.W, s.com_arms[k - 1])
            f[columns] = f[columns] + V.T @ applied.force[k - 1] + P.W.T @ applied.moment[k - 1]
    for j, values in zip(m.joints, applied.joint):
        f[j.columns] = f[j.columns] + values[j.free]
    return f


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
