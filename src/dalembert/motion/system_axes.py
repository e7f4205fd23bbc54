"""Floating frames of all bodies together, as outputs of any run: Tisserand's, the principal axes, Buckens' [C 44–50]."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.kinematics import totals
from dalembert.motion.samples import Samples, evaluate
from dalembert.pivoting import least_squares

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


RANK = 1e-9
"""Part of the largest moment below which a frame's spin about an axis is not decided."""


def tisserand_frame(x: Samples) -> np.ndarray:
    """(K, 3, 3): axes relative to which all bodies together have no angular momentum; those of the first body at the start."""
    from dalembert.elastic.elastic_outputs import turned_along

    def turning(s: State, _: Any) -> Any:
        H = totals.angular_momentum(s, totals.mass_centre(s))
        return [*totals.central_inertia(s).ravel(), *H]

    rows = evaluate(x, turning)
    J, H = rows[:, :9].reshape(-1, 3, 3), rows[:, 9:]
    spins = [least_squares(one, h, RANK) for one, h in zip(J, H)]
    return turned_along(x.t, np.array(spins), x.body_motion.rotation[0, 0])


def principal_axes(x: Samples) -> np.ndarray:
    """(K, 3, 3): principal axes of all bodies together, those of the smallest moment first at the start, then without a jump."""
    J = evaluate(x, lambda s, _: totals.central_inertia(s).ravel()).reshape(-1, 3, 3)
    axes = np.linalg.eigh(J)[1]
    axes[0] = axes[0] * np.linalg.det(axes[0])
    for before, now in pairwise(axes):
        order = np.argmax(np.abs(before.T @ now), axis=1)
        now[:] = now[:, order] if len(set(order)) == 3 else now
        now[:] = now * np.where(np.sum(now * before, axis=0) < 0.0, -1.0, 1.0)
    return axes


def buckens_frame(x: Samples) -> np.ndarray:
    """(K, 3, 3): axes in which ∫ρ̄ × u dm = 0, with ρ̄ the places at the mechanism's reference; the world's axes there."""
    Q = evaluate(x, lambda s, _: totals.moment_with_reference(s).ravel()).reshape(-1, 3, 3)
    U, _, Vt = np.linalg.svd(Q)
    U[:, :, 2] = U[:, :, 2] * np.linalg.det(U @ Vt)[:, None]
    return np.asarray(U @ Vt)
