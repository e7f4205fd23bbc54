"""Penalty approximation of Gauss's principle [B Remark 1]: (A + k BᵀB) u̇ = f + k Bᵀγ, λ = k (B u̇ − γ).

An approximation: the rows are violated by λ/k. With scaled rows and k = 10⁸ the violation is 10⁻⁸ of the accelerations a force of that
size would cause; a larger k would lose as much to rounding. Dependent rows share their force and do no harm.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.solution import Solution, rank_of, scaled
from dalembert.formulations.equations import Equations

STIFFNESS = 1e8


def solve(e: Equations) -> Solution:
    B, gamma, norms = scaled(e)
    udot = np.linalg.solve(e.A + STIFFNESS * B.T @ B, e.f + STIFFNESS * B.T @ gamma)
    lam = STIFFNESS * (B @ udot - gamma) / norms
    return Solution(udot, lam, rank_of(np.linalg.svd(B, compute_uv=False)) if len(B) else 0)
