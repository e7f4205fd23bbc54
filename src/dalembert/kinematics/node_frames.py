"""Motion of an elastic body's node frames: pose, velocity, acceleration and partial velocities of frames that move with its modes.

All in world axes; d is the arm from the body's origin to the node frame. The body's modes are the last speeds on its path.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.elastic.node_motion import NodeMotion
from dalembert.kinematics.recursion import Partials, Pose, Rates
from dalembert.vectors import cross


def pose(K: Pose, node: NodeMotion) -> Pose:
    return Pose(K.R @ node.R, K.p + K.R @ node.x)


def velocity(K: Pose, vel: Rates, node: NodeMotion, qd: Any) -> Rates:
    """ω + W q̇, v + ω × d + U q̇."""
    d = K.R @ node.x
    return Rates(vel.w + K.R @ (node.W @ qd), vel.v + cross(vel.w, d) + K.R @ (node.U @ qd))


def acceleration(K: Pose, vel: Rates, acc: Rates, node: NodeMotion, qd: Any, qdd: Any) -> Rates:
    """d/dt of `velocity`."""
    d, turned, slid = K.R @ node.x, K.R @ (node.W @ qd), K.R @ (node.U @ qd)
    turning = K.R @ (node.W @ qdd + node.W_rate(qd) @ qd)
    sliding = K.R @ (node.U @ qdd + node.U_rate(qd) @ qd)
    return Rates(
        acc.w + turning + cross(vel.w, turned),
        acc.v + cross(acc.w, d) + sliding + cross(vel.w, cross(vel.w, d) + slid + slid),
    )


def partials(K: Pose, P: Partials, node: NodeMotion) -> Partials:
    d = K.R @ node.x
    return Partials(P.W + _last(K.R @ node.W, P), P.V + cross(P.W, d) + _last(K.R @ node.U, P))


def partial_rates(K: Pose, vel: Rates, P: Partials, P_rate: Partials, node: NodeMotion, qd: Any) -> Partials:
    """d/dt of `partials`."""
    d, W, U = K.R @ node.x, K.R @ node.W, K.R @ node.U
    d_rate = cross(vel.w, d) + U @ qd
    turning = cross(vel.w, W) + K.R @ node.W_rate(qd)
    sliding = cross(vel.w, U) + K.R @ node.U_rate(qd)
    return Partials(
        P_rate.W + _last(turning, P), P_rate.V + cross(P_rate.W, d) + cross(P.W, d_rate) + _last(sliding, P)
    )


def _last(columns: np.ndarray, P: Partials) -> np.ndarray:
    """Columns on the modes, zeros on the other speeds of the path."""
    return np.hstack([np.zeros((3, P.W.shape[1] - columns.shape[1])), columns])
