"""The spanning tree with constraint forces: loops and constraints act as forces of given multipliers instead of as rows.

Row r of B u = b acts with −λ_r B_rᵀ [A u̇ + Bᵀλ = f]. With λ among the parameters, derivatives of the inverse dynamics of that tree hold
everything the constraints do to first order: in q the geometric stiffness λ·∂B/∂q, in the multipliers Bᵀ itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.kinematics.constraint_rows import Differentiated
from dalembert.kinematics.in_variables import on_joint_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.parts.forces.force import BodyLoad, Force, JointLoad, Load
from dalembert.trace import symbol


@dataclass(frozen=True, eq=False)
class ConstraintForce(Force):
    """Force of one loop or constraint on the bodies and joints it references, for multipliers of these names."""

    rows: Differentiated
    multipliers: tuple[str, ...]

    def loads(self, s: State) -> Iterable[Load]:
        m, lam = self.rows.mechanism, np.array([symbol(name) for name in self.multipliers], dtype=object)
        own = self._in_own_variables(s)
        action = -(self.rows.coefficients(own).T @ lam)
        for i, k in enumerate(self.rows.bodies):
            torque, force = action[6 * i : 6 * i + 3], action[6 * i + 3 : 6 * i + 6]
            yield BodyLoad(_frame_name(m, k), force, torque)
        on_own = action[6 * len(self.rows.bodies) :]
        on_speeds = on_joint_speeds(own, on_own) if np.any(on_own != 0.0) else np.zeros(m.in_joint_variables.n_u)
        for j in m.in_joint_variables.joints:
            values = np.array([0.0 if at is None else on_speeds[at] for at in j.u_at], dtype=object)
            if np.any(values != 0.0):
                yield JointLoad(j.name, values)

    def _in_own_variables(self, s: State) -> Any:
        """The state in the variables of the rows; recursions have it in those of the joints."""
        m = self.rows.mechanism
        if m.variables is None or s.mechanism.variables is not None:
            return s
        return State(m, s.t, m.own_coordinates(s.coordinates), np.zeros(m.n_u))


def _frame_name(m: Mechanism, k: int) -> Any:
    """Name of a body, or of a node of an elastic one."""
    body = m.bodies[m.body_of(k) - 1].name
    return body if k <= m.n_bodies else (body, m.node_frames[k - m.n_bodies - 1].node)


def multiplier_names(m: Mechanism) -> list[str]:
    """One for every row, in the rows' order."""
    return [f"lambda.{i}" for i in range(len(m.rows))]


def with_constraint_forces(m: Mechanism, forces: bool = True) -> Mechanism:
    """The spanning tree under the mechanism's own forces, gravity and its constraints' forces; or under the last alone, without the
    stiffness and damping of elastic bodies."""
    names = multiplier_names(m)
    acting: dict[str, Force] = dict(m.forces) if forces else {}
    for name, rows in m.constraint_rows.items():
        acting[f"constraint {name}"] = ConstraintForce(rows, tuple(names[k] for k in m.rows.of_owner(name)))
    gravity = m.gravity if forces else np.zeros(3)
    parameters = {**m.parameters, **dict.fromkeys(names, 0.0)}
    bodies = m.bodies if forces else tuple(b.slack() for b in m.bodies)
    return replace(m, bodies=bodies, gravity=gravity, forces=acting, cuts=(), constraints={}, parameters=parameters)
