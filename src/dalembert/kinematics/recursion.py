"""Motion of a child body from its parent: pose, velocity, acceleration, partial velocities and their rates [E 11–34].

Everything is in world axes. J is the parent, K the child, P and C the joint's frames on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.framed import turned
from dalembert.mechanism import TreeJoint
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector, cross


@dataclass(frozen=True, eq=False)
class Pose:
    """R_WK and the position of K's origin."""

    R: Matrix
    p: Vector


@dataclass(frozen=True, eq=False)
class JointInWorld:
    """The joint as it lies in the world: its two frames' axes, and the arms J → C and C → K."""

    R_P: Matrix
    R_C: Matrix
    arm: Vector
    reach: Vector


@dataclass(frozen=True, eq=False)
class Rates:
    """Angular velocity and velocity of the origin; or their accelerations."""

    w: Vector
    v: Vector


@dataclass(frozen=True, eq=False)
class Partials:
    """Ω = ∂ω/∂u and V = ∂v/∂u of a body's origin, 3 × (number of speeds on the body's path)."""

    W: np.ndarray
    V: np.ndarray


AT_REST = Rates(ZERO, ZERO)
WORLD = Pose(IDENTITY, ZERO)
UNMOVED = Partials(np.zeros((3, 0)), np.zeros((3, 0)))


def away_from(origin: Vector) -> Pose:
    """The ground, seen from a point of it."""
    return Pose(IDENTITY, ZERO - origin)


def child_pose(J: Pose, joint: TreeJoint, q: Any) -> tuple[Pose, JointInWorld]:
    """R_K = R_J R_JK, p_K = p_J + arm + reach [E 3]."""
    R_P = turned(J.R, joint.on_parent.rotation)
    R_C = turned(R_P, joint.joint.rotation(q))
    R = turned(R_C, joint.on_child.rotation.T)
    arm = J.R @ joint.on_parent.position + R_P @ joint.joint.translation(q)
    reach = -(R @ joint.on_child.position)
    return Pose(R, J.p + arm + reach), JointInWorld(R_P, R_C, arm, reach)


def child_pose_near(J: Pose, joint: TreeJoint, link: JointInWorld, R: Matrix, q: Any) -> Pose:
    """The same pose, summed so that a ground far from where J is measured from costs no digit of what the joint adds."""
    return Pose(R, J.p + J.R @ joint.on_parent.position + link.R_P @ joint.joint.translation(q) + link.reach)


@dataclass(frozen=True, eq=False)
class JointRates:
    """Velocity of C relative to P, in world axes."""

    w: Vector
    v: Vector


def joint_rates(joint: TreeJoint, link: JointInWorld, q: Any, u: Any) -> JointRates:
    return JointRates(link.R_C @ (joint.joint.turning(q) @ u), link.R_P @ (joint.joint.sliding(q) @ u))


def child_velocity(J: Rates, link: JointInWorld, rel: JointRates) -> Rates:
    """ω_K = ω_J + ω̂_K, v_K = v_J + ω_J × arm + v̂ + ω_K × reach."""
    w = J.w + rel.w
    return Rates(w, J.v + cross(J.w, link.arm) + rel.v + cross(w, link.reach))


def child_acceleration(
    J: Rates,
    J_vel: Rates,
    K_vel: Rates,
    joint: TreeJoint,
    link: JointInWorld,
    rel: JointRates,
    q: Any,
    u: Any,
    udot: Any,
) -> Rates:
    """The derivative of `child_velocity`, with the joint's own accelerations u̇."""
    turn = joint.joint.turning(q) @ udot + joint.joint.turning_rate(q, u) @ u
    slide = joint.joint.sliding(q) @ udot + joint.joint.sliding_rate(q, u) @ u
    alpha = J.w + link.R_C @ turn + cross(J_vel.w, rel.w)
    arm_rate = cross(J_vel.w, link.arm) + rel.v
    a_C = J.v + cross(J.w, link.arm) + cross(J_vel.w, arm_rate + rel.v) + link.R_P @ slide
    return Rates(alpha, a_C + cross(alpha, link.reach) + cross(K_vel.w, cross(K_vel.w, link.reach)))


def child_partials(J: Partials, joint: TreeJoint, link: JointInWorld, q: Any) -> Partials:
    """The parent's columns carried along, the joint's own appended [E 16–27]."""
    free = joint.free
    W = np.hstack([J.W, link.R_C @ joint.joint.turning(q)[:, free]])
    V = np.hstack([J.V + cross(J.W, link.arm), link.R_P @ joint.joint.sliding(q)[:, free]])
    return Partials(W, V + cross(W, link.reach))


def child_partial_rates(
    J: Partials,
    J_rate: Partials,
    K: Partials,
    J_vel: Rates,
    K_vel: Rates,
    joint: TreeJoint,
    link: JointInWorld,
    rel: JointRates,
    q: Any,
    u: Any,
) -> Partials:
    """d/dt of `child_partials` [E 28–34]."""
    free = joint.free
    turning, sliding = joint.joint.turning(q)[:, free], joint.joint.sliding(q)[:, free]
    own_W = link.R_C @ joint.joint.turning_rate(q, u)[:, free] + cross(K_vel.w, link.R_C @ turning)
    own_V = link.R_P @ joint.joint.sliding_rate(q, u)[:, free] + cross(J_vel.w, link.R_P @ sliding)
    arm_rate = cross(J_vel.w, link.arm) + rel.v
    W = np.hstack([J_rate.W, own_W])
    V = np.hstack([J_rate.V + cross(J_rate.W, link.arm) + cross(J.W, arm_rate), own_V])
    return Partials(W, V + cross(W, link.reach) + cross(K.W, cross(K_vel.w, link.reach)))
