"""Null space by the zero eigenvalues theorem [A 14–34]: Z spans the eigenvectors of BᵀB with eigenvalue zero.

Then [ZᵀA; B] u̇ = [Zᵀf; γ]; the speeds along Z never appear. Dependent rows only make that system overdetermined and consistent.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.solution import SQUARED_RANK_TOLERANCE, Solution, least_multipliers, scaled
from dalembert.formulations.equations import Equations


def solve(e: Equations) -> Solution:
    B, gamma, _ = scaled(e)
    eigenvalues, T = np.linalg.eigh(B.T @ B)
    zero = eigenvalues <= SQUARED_RANK_TOLERANCE * eigenvalues.max(initial=0.0)
    Z = T[:, zero]
    udot = np.linalg.lstsq(np.vstack([Z.T @ e.A, B]), np.concatenate([Z.T @ e.f, gamma]), rcond=None)[0]
    return Solution(udot, least_multipliers(e, udot), int(np.sum(~zero)))
