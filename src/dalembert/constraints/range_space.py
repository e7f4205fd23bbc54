"""Range space: B A⁻¹ Bᵀ λ = B A⁻¹ f − γ by Cholesky, then u̇ = A⁻¹(f − Bᵀλ) [B 14, A-3..A-5].

Dependent rows are left out as they appear: the factorisation pivots on the largest remaining diagonal and stops at the rank.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.solution import SQUARED_RANK_TOLERANCE, Solution, least_multipliers, scaled
from dalembert.formulations.equations import Equations


def solve(e: Equations) -> Solution:
    from scipy.linalg import cho_factor, cho_solve, solve_triangular
    from scipy.linalg.lapack import dpstrf

    B, gamma, _ = scaled(e)
    factor = cho_factor(e.A)
    free = cho_solve(factor, e.f)
    if not len(B):
        return Solution(free, np.zeros(0), 0)
    S = B @ cho_solve(factor, B.T)
    L, pivots, rank, _ = dpstrf(S, lower=True, tol=SQUARED_RANK_TOLERANCE * np.diag(S).max())
    kept = pivots[:rank] - 1
    L = np.tril(L[:rank, :rank])
    lam = np.zeros(len(B))
    lam[kept] = solve_triangular(L.T, solve_triangular(L, (B @ free - gamma)[kept], lower=True), lower=False)
    udot = free - cho_solve(factor, B.T @ lam)
    return Solution(udot, least_multipliers(e, udot), int(rank))
