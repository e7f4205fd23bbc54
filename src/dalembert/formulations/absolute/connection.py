"""A tree joint between two bodies seen apart: how it reads their accelerations, and what it forbids.

K is the child, J its parent, C the point of the joint carried along by K; ℓ_K and ℓ_J lead to it from the mass
centres. Along any directions (force X_v, torque X_w) the relative acceleration is

X_vᵀ (r̈_K + ω̇_K × ℓ_K − r̈_J − ω̇_J × ℓ_J) + X_wᵀ (ω̇_K − ω̇_J) = X_vᵀ (s̈ + d_v) + X_wᵀ (θ̈ + d_w)

with the joint's own accelerations s̈, θ̈ and the centripetal and Coriolis terms d [B 8–9, 47–48; Remark 5]. Where the parent is
an external body, its motion is known: r̈_J and ω̇_J stand on the right-hand side, in d, and J is as good as the ground [B Remark 3].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.formulations.joint_directions import blocked, left_inverse, motion, slides
from dalembert.kinematics.recursion import AT_REST, Rates
from dalembert.kinematics.state import State
from dalembert.vectors import IDENTITY, ZERO, Vector, cross


@dataclass(frozen=True, eq=False)
class Directions:
    """Columns in world axes: of force at C, and of torque."""

    force: np.ndarray
    torque: np.ndarray


class JointConnection:
    """Joint k in a state. Its parent is 0 where it stands on the ground or on another body whose motion is given."""

    def __init__(self, s: State, k: int):
        self._s, self.child, self._stands_on = s, k, s.mechanism.parent[k - 1]
        self.parent = self._stands_on if s.mechanism.path_columns[self._stands_on] else 0
        self.joint, self.link, self.q = s.mechanism.joints[k - 1], s.links[k - 1], s.joint_q[k - 1]

    @property
    def pointed(self) -> bool:
        """Whether C never leaves its place on the parent, so that the joint transmits any force [B §3.1]."""
        return not slides(self.joint.joint)

    @cached_property
    def child_arm(self) -> Vector:
        """ℓ_K."""
        return -self.link.reach - self._s.com_arms[self.child - 1]

    @cached_property
    def parent_arm(self) -> Vector:
        """ℓ_J; on an external body, from its origin."""
        return self.link.arm - (self._s.com_arms[self.parent - 1] if self.parent else ZERO)

    # -- directions ---------------------------------------------------------------------------------------------------
    @cached_property
    def motion(self) -> np.ndarray:
        """S of all its speeds, in the joint's own axes."""
        return motion(self.joint.joint, self.q)

    @cached_property
    def blocked(self) -> Directions:
        """Hinge forces first, then constraint torques; of a joint that turns about a point, forces in world axes [B 49]."""
        free = self.joint.free
        if not free:
            return Directions(np.hstack([IDENTITY, 0.0 * IDENTITY]), np.hstack([0.0 * IDENTITY, IDENTITY]))
        X = blocked(self.joint.joint, self.q, free)
        if not self.pointed:
            return self.in_world(X)
        turns = self.in_world(X[:, 3:])
        return Directions(np.hstack([IDENTITY, turns.force]), np.hstack([0.0 * IDENTITY, turns.torque]))

    @cached_property
    def reading(self) -> np.ndarray:
        """S⁺ of the free speeds."""
        return left_inverse(self.motion[:, self.joint.free])

    def in_world(self, X: np.ndarray) -> Directions:
        return Directions(self.link.R_P @ X[3:], self.link.R_C @ X[:3])

    # -- forces -------------------------------------------------------------------------------------------------------
    def driven(self, values: Any) -> tuple[Vector, Vector]:
        """(force, torque) on the child at C that does the work of these forces on the speeds; the parent gets the opposite."""
        X = self.in_world(left_inverse(self.motion).T)
        return X.force @ values, X.torque @ values

    # -- external parents ---------------------------------------------------------------------------------------------
    @cached_property
    def given_velocity(self) -> Rates:
        """ω of the external parent, and the velocity of C as a point of it; nothing where the parent's motion is to be found."""
        if self.parent or not self._stands_on:
            return AT_REST
        own = self._s.velocities[self._stands_on]
        return Rates(own.w, own.v + cross(own.w, self.link.arm))

    @cached_property
    def given_acceleration(self) -> Rates:
        """The same of their rates, without the centripetal part of C's."""
        if self.parent or not self._stands_on:
            return AT_REST
        own = self._s.bias_accelerations[self._stands_on]
        return Rates(own.w, own.v + cross(own.w, self.link.arm))

    @property
    def hinge_acceleration(self) -> Vector:
        """The acceleration of C on an external parent: r̈₀ with all its parts."""
        w = self.given_velocity.w
        return self.given_acceleration.v + cross(w, cross(w, self.link.arm))

    # -- motion -------------------------------------------------------------------------------------------------------
    def child_row(self, X: Directions) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of r̈_K and ω̇_K along X."""
        return X.force.T, (X.torque + cross(self.child_arm, X.force)).T

    def parent_row(self, X: Directions) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of r̈_J and ω̇_J along X."""
        return -X.force.T, -(X.torque + cross(self.parent_arm, X.force)).T

    def drift(self, X: Directions) -> np.ndarray:
        """What the accelerations along X come to where the joint's free speeds do not change."""
        w, v = self._drift
        return X.force.T @ v + X.torque.T @ w

    @property
    def point_drift(self) -> Vector:
        """d_v of a joint that turns about a point: ω_J × (ω_J × ℓ_J) − ω_K × (ω_K × ℓ_K), and r̈₀ on an external parent."""
        return self._drift[1]

    @property
    def turn_drift(self) -> Vector:
        """d_w: Ṗγ̇, prescribed turns, and ω̇ of an external parent."""
        return self._drift[0]

    def carried_along(self, X: Directions) -> np.ndarray:
        """What the velocities along X come to where the joint's free speeds are zero: prescribed motion, its own and the parent's."""
        prescribed = np.array(
            [0.0 if at is not None else x for x, at in zip(self._s.joint_u[self.child - 1], self.joint.u_at)]
        )
        given = self.in_world((self.motion @ prescribed)[:, None])
        parent = self.given_velocity
        return X.force.T @ (given.force[:, 0] + parent.v) + X.torque.T @ (given.torque[:, 0] + parent.w)

    @cached_property
    def _drift(self) -> tuple[Vector, Vector]:
        s, k, j = self._s, self.child - 1, self.joint.joint
        u, w_J, w_K, rel = s.joint_u[k], s.velocities[self._stands_on].w, s.velocities[self.child].w, s.joint_rates[k]
        law = s.joint_udot(np.zeros(s.mechanism.n_u))[k]
        turn = self.link.R_C @ (j.turning(self.q) @ law + j.turning_rate(self.q, u) @ u)
        slide = self.link.R_P @ (j.sliding(self.q) @ law + j.sliding_rate(self.q, u) @ u)
        v = slide + cross(w_J, cross(w_J, self.parent_arm) + 2.0 * rel.v) - cross(w_K, cross(w_K, self.child_arm))
        parent = self.given_acceleration
        return turn + cross(w_J, rel.w) + parent.w, v + parent.v
