"""A tree joint between two bodies seen apart: how it reads their accelerations, and what it forbids.

K is the child, J its parent, C the point of the joint carried along by K; ℓ_K and ℓ_J lead to it from the mass
centres. Along any directions (force X_v, torque X_w) the relative acceleration is

X_vᵀ (r̈_K + ω̇_K × ℓ_K − r̈_J − ω̇_J × ℓ_J) + X_wᵀ (ω̇_K − ω̇_J) = X_vᵀ (s̈ + d_v) + X_wᵀ (θ̈ + d_w)

with the joint's own accelerations s̈, θ̈ and the centripetal and Coriolis terms d [B 8–9, 47–48; Remark 5]. Where the parent is
an external body, its motion is known: r̈_J and ω̇_J stand on the right-hand side, in d, and J is as good as the ground [B Remark 3].
On an elastic body the joint sits on a node, and the body's own accelerations q̈ come in as L q̈ beside ω̇ × ℓ and as W q̈ beside ω̇.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.absolute.attachment import Attachment, Lever
from dalembert.formulations.joint_directions import blocked, left_inverse, motion, slides
from dalembert.kinematics.recursion import AT_REST, Rates
from dalembert.kinematics.state import State
from dalembert.parts.frames import Frame
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector, cross


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
        self.joint = s.mechanism.joints[k - 1]
        self.inner = self.joint.joint.inner
        self.q, self.u = s.joint_q[k - 1][: self.inner.n_q], s.joint_u[k - 1][: self.inner.n_u]

    @property
    def pointed(self) -> bool:
        """Whether C never leaves its place on the parent, so that the joint transmits any force [B §3.1]."""
        return not slides(self.inner)

    @property
    def free(self) -> list[int]:
        """Which of the joint's own speeds are free."""
        return self.joint.free[: self.joint.n_own]

    @property
    def columns(self) -> list[int]:
        """Where they stand in u."""
        return self.joint.columns[: self.joint.n_own]

    # -- where it is --------------------------------------------------------------------------------------------------
    @cached_property
    def on_parent(self) -> Attachment:
        return Attachment.of_frame(self._s, self._s.mechanism.stands_on[self.child - 1])

    @cached_property
    def _carried(self) -> tuple[Attachment, Frame]:
        """The node that an elastic body is carried by, or the body itself; and C on it."""
        node, on = self.joint.joint.carried_frame(self._s.joint_q[self.child - 1], self.joint.on_child)
        return Attachment(self._s, self.child, node), on

    @property
    def on_child(self) -> Attachment:
        return self._carried[0]

    @property
    def R_P(self) -> Matrix:
        return self._s.links[self.child - 1].R_P

    @cached_property
    def R_C(self) -> Matrix:
        if self.inner is self.joint.joint:
            return self._s.links[self.child - 1].R_C
        return self.R_P @ self.inner.rotation(self.q)

    @cached_property
    def child_lever(self) -> Lever:
        """ℓ_K."""
        attachment, on = self._carried
        return attachment.lever(attachment.R @ on.position)

    @cached_property
    def parent_lever(self) -> Lever:
        """ℓ_J; on an external body, from its origin."""
        return self.on_parent.lever(self._place) if self.parent else Lever(self._place, np.zeros((3, 0)), ZERO)

    @cached_property
    def _place(self) -> Vector:
        """Arm from the frame that the joint stands on to C."""
        return self.on_parent.R @ self.joint.on_parent.position + self.R_P @ self.inner.translation(self.q)

    @property
    def child_arm(self) -> Vector:
        """ℓ_K as a vector."""
        return self.child_lever.r

    @property
    def parent_arm(self) -> Vector:
        """ℓ_J as a vector."""
        return self.parent_lever.r

    # -- directions ---------------------------------------------------------------------------------------------------
    @cached_property
    def motion(self) -> np.ndarray:
        """S of all its own speeds, in the joint's own axes."""
        return motion(self.inner, self.q)

    @cached_property
    def blocked(self) -> Directions:
        """Hinge forces first, then constraint torques; of a joint that turns about a point, forces in world axes [B 49]."""
        if not self.free:
            return Directions(np.hstack([IDENTITY, 0.0 * IDENTITY]), np.hstack([0.0 * IDENTITY, IDENTITY]))
        X = blocked(self.inner, self.q, self.free)
        if not self.pointed:
            return self.in_world(X)
        turns = self.in_world(X[:, 3:])
        return Directions(np.hstack([IDENTITY, turns.force]), np.hstack([0.0 * IDENTITY, turns.torque]))

    @cached_property
    def speeds_from_motion(self) -> np.ndarray:
        """S⁺ of the free speeds."""
        return left_inverse(self.motion[:, self.free])

    def in_world(self, X: np.ndarray) -> Directions:
        return Directions(self.R_P @ X[3:], self.R_C @ X[:3])

    # -- forces -------------------------------------------------------------------------------------------------------
    def driven(self, values: Any) -> tuple[Vector, Vector]:
        """(force, torque) on the child at C that does the work of these forces on the speeds; the parent gets the opposite."""
        X = self.in_world(left_inverse(self.motion).T)
        return X.force @ values, X.torque @ values

    # -- external parents ---------------------------------------------------------------------------------------------
    @cached_property
    def given_velocity(self) -> Rates:
        """ω of the external parent, and the velocity of C as a point of it; nothing where the parent's motion is to be found."""
        return self._given(self._s.velocities)

    @cached_property
    def given_acceleration(self) -> Rates:
        """The same of their rates, without the centripetal part of C's."""
        return self._given(self._s.bias_accelerations)

    def _given(self, rates: list[Rates]) -> Rates:
        if self.parent or not self._stands_on:
            return AT_REST
        own = rates[self._stands_on]
        return Rates(own.w, own.v + cross(own.w, self._place))

    @property
    def hinge_acceleration(self) -> Vector:
        """The acceleration of C on an external parent: r̈₀ with all its parts."""
        w = self.given_velocity.w
        return self.given_acceleration.v + cross(w, cross(w, self._place))

    # -- motion -------------------------------------------------------------------------------------------------------
    def child_row(self, X: Directions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coefficients of r̈_K, ω̇_K and q̈_K along X."""
        return _row(X, self.on_child, self.child_lever)

    def parent_row(self, X: Directions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coefficients of r̈_J, ω̇_J and q̈_J along X."""
        place, turn, modes = _row(X, self.on_parent, self.parent_lever)
        return -place, -turn, -modes

    def drift(self, X: Directions) -> np.ndarray:
        """What the accelerations along X come to where the joint's free speeds do not change."""
        return X.force.T @ self.point_drift + X.torque.T @ self.turn_drift

    def carried_along(self, X: Directions) -> np.ndarray:
        """What the velocities along X come to where the joint's free speeds are zero: prescribed motion, its own and the parent's."""
        given, parent = self.in_world((self.motion @ self.prescribed)[:, None]), self.given_velocity
        return X.force.T @ (given.force[:, 0] + parent.v) + X.torque.T @ (given.torque[:, 0] + parent.w)

    @cached_property
    def prescribed(self) -> np.ndarray:
        """The joint's own speeds, the free ones zero."""
        return np.array([0.0 if at is not None else x for x, at in zip(self.u, self.joint.own_u)])

    @cached_property
    def _law(self) -> np.ndarray:
        """Accelerations that are prescribed for the joint's own speeds."""
        return self._s.joint_udot(np.zeros(self._s.mechanism.n_u))[self.child - 1][: self.inner.n_u]

    @cached_property
    def turn_drift(self) -> Vector:
        """d_w: Ṗγ̇, prescribed turns, ω̇ of an external parent, and what the nodes turn at constant rates."""
        j, turned = self.inner, self.R_C @ (self.motion[:3] @ self.u)
        turn = self.R_C @ (self.motion[:3] @ self._law + j.turning_rate(self.q, self.u) @ self.u)
        nodes = self.on_parent.turn_drift - self.on_child.turn_drift
        return turn + cross(self.on_parent.w, turned) + self.given_acceleration.w + nodes

    @cached_property
    def point_drift(self) -> Vector:
        """d_v: of a joint that turns about a point ω_J × (ω_J × ℓ_J) − ω_K × (ω_K × ℓ_K), and r̈₀ on an external parent."""
        s, j, slid = self._s, self.inner, self.R_P @ (self.motion[3:] @ self.u)
        slide = self.R_P @ (self.motion[3:] @ self._law + j.sliding_rate(self.q, self.u) @ self.u)
        qd = s.modal_u(self.parent) if self.parent else np.zeros(0)
        parent = self.parent_lever.drift(s.velocities[self._stands_on].w, qd)
        child = self.child_lever.drift(s.velocities[self.child].w, s.modal_u(self.child))
        return slide + 2.0 * cross(self.on_parent.w, slid) + parent - child + self.given_acceleration.v


def _row(X: Directions, on: Attachment, lever: Lever) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    turn = X.torque + cross(lever.r, X.force)
    return X.force.T, turn.T, X.force.T @ lever.columns + X.torque.T @ on.turns
