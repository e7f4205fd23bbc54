"""The equations once the tree's hinge forces and constraint torques φ are known, as φ₀ − Φ λ with the loops' multipliers λ
left open.

Every body is then on its own again [B 12–13]: J ẇ + B̂ᵀλ = u − Hᵀφ₀ with B̂ = B − ΦᵀH, and B̂ ẇ = γ − Φᵀh. Because H J⁻¹B̂ᵀ
= 0, what the loops add breaks no joint of the tree, and λ means what it means everywhere else.
"""

from __future__ import annotations

import numpy as np

from dalembert.formulations.absolute.dead_rows import without_dead
from dalembert.formulations.absolute.separate_bodies import Bodies, speeds
from dalembert.formulations.equations import Equations
from dalembert.mechanism import Mechanism


def first_order(m: Mechanism) -> int:
    """Coordinates, accelerations and the loops' multipliers."""
    return m.n_q + len(speeds(m)) + len(m.rows)


def bodies_tied(m: Mechanism) -> str | None:
    """Armature makes one inertia of two bodies' accelerations, which cannot then be eliminated body by body."""
    found = next((j.name for j in m.joints if type(j.armature) is not float or j.armature), None)
    if found is None:
        return None
    return (
        f'joint "{found}" has armature, an inertia that its two bodies share, and accelerations are eliminated body by body here; '
        'choose "newton_euler"'
    )


def with_known_forces(b: Bodies, phi: np.ndarray) -> Equations:
    """`phi`: φ₀ in its first column, Φ in the others."""
    H, h = b.joint_rows
    B, gamma = b.loop_rows
    constant, per_loop = phi[:, 0], phi[:, 1:]
    rows, right = B - per_loop.T @ H, gamma - per_loop.T @ h
    rows, right = without_dead(rows, right, np.abs(B) + np.abs(per_loop.T) @ np.abs(H))
    return Equations(b.inertia, b.right - H.T @ constant, rows, right)
