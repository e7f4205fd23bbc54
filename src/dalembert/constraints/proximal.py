"""Proximal iteration (augmented Lagrangian): the penalty method with its error handed back to the multipliers until none is left.

(A + k BᵀB) u̇ = f + k Bᵀγ − Bᵀλ, λ ← λ + k (B u̇ − γ). Dependent rows do no harm, and λ, begun at 0, stays the shortest.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.solution import Solution, rank_of, scaled
from dalembert.formulations.equations import Equations

STIFFNESS = 1e5
MOST_ITERATIONS = 50


def solve(e: Equations) -> Solution:
    from scipy.linalg import cho_factor, cho_solve

    B, gamma, norms = scaled(e)
    factor = cho_factor(e.A + STIFFNESS * B.T @ B)
    lam = np.zeros(len(B))
    udot = cho_solve(factor, e.f)
    before = np.inf
    for _ in range(MOST_ITERATIONS if len(B) else 0):
        udot = cho_solve(factor, e.f + B.T @ (STIFFNESS * gamma - lam))
        step = B @ udot - gamma
        error = float(np.abs(step).max())
        if error >= 0.5 * before:
            break  # rounding is all that is left
        lam, before = lam + STIFFNESS * step, error
    return Solution(udot, lam / norms, rank_of(np.linalg.svd(B, compute_uv=False)) if len(B) else 0)
