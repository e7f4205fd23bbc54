"""Which way two bodies cannot move against each other: the axis across the plane in which they do, if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.parts.forces.points import Point
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

POSES = 3
"""Random poses at which two bodies are examined."""
ASIDE = 1e-10
"""Part of a velocity that counts as none across a plane."""


def axis_of_plane(s: State, a: Point, b: Point) -> Vector | None:
    """The unit vector, in axes of b's body, about which a's turns and across which it moves against b's; None if it has others."""
    turning, shifting = _velocities(s, a, b)
    sizes = np.linalg.norm(turning, axis=0)
    if sizes.max(initial=0.0) > 0.0:
        axis = turning[:, int(np.argmax(sizes))] / sizes.max()
        tilted = turning - np.outer(axis, axis @ turning)
        if np.abs(tilted).max() > ASIDE * sizes.max():
            return None
    else:
        if not shifting.size:
            return None
        left, moves, _ = np.linalg.svd(shifting @ shifting.T)
        if moves[2] > ASIDE * ASIDE * moves[0]:
            return None
        axis = left[:, 2]
    aside = np.abs(axis @ shifting).max(initial=0.0)
    return None if aside > ASIDE * np.abs(shifting).max(initial=0.0) else np.asarray(axis)


def _velocities(s: State, a: Point, b: Point) -> tuple[np.ndarray, np.ndarray]:
    """Partial angular and linear velocities of a against b's body, in b's axes, at some poses."""
    m, rng = s.mechanism.numeric, np.random.default_rng(0)
    a, b = Point(a.body, node=a.node), Point(b.body, node=b.node)  # where on a body does not matter
    turning, shifting = [np.zeros((3, 0))], [np.zeros((3, 0))]
    for _ in range(POSES):
        at = m.state(m.somewhere(rng, 1.0), np.zeros(m.n_u))
        (W_a, V_a), (W_b, V_b) = at.jacobian(a), at.jacobian(b)
        R, arm = np.asarray(at.rotation(b), dtype=float), at.position(a) - at.position(b)
        turning.append(R.T @ (W_a - W_b))
        shifting.append(R.T @ (V_a - V_b - np.cross(W_b.T, arm).T))
    return np.hstack(turning), np.hstack(shifting)
