"""Range space: B A⁻¹ Bᵀ λ = B A⁻¹ f − γ by Cholesky, then u̇ = A⁻¹(f − Bᵀλ) [B 14, A-3..A-5].

Dependent rows are left out as they appear: the factorisation pivots on the largest remaining diagonal and stops at the rank.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native
from dalembert.constraints.methods.solution import SQUARED_RANK_TOLERANCE, MeasuredEquations, Solution, measured
from dalembert.trace.native import Int, maximum


@measured
def solve(e: MeasuredEquations) -> Solution:
    from scipy.linalg import cho_solve, solve_triangular
    from scipy.linalg.lapack import dpstrf

    B, gamma = e.scaled
    factor = e.mass_factor, True
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
    return Solution(udot, e.least_multipliers(udot), int(rank))


def emit(x: Native) -> Int:
    """The same in machine code, for any A; along a tree's branches `kernels.constrained` does it at less cost."""
    f, n, rows = x.code, x.n, x.rows
    width = max(n, rows)
    s = x.scaled()
    S, pivots, rank = x.gram(s.Y, rows, s.Y), x.shorts(rows), x.shorts(1)
    v = f.variables(largest=0.0)
    with f.loop(rows) as k:
        v.largest = maximum(v.largest, S[k * width + k])
    tolerance = SQUARED_RANK_TOLERANCE * v.largest
    x.call("dpstrf", "L", rows, S, width, pivots, rank, tolerance, x.take(2 * rows))
    free = x.copy(x.f, n)
    x.call("dpotrs", "L", n, 1, s.L, n, free, n)
    errors, y, lam = x.times(s.B, rows, free, transposed=True), x.take(rows), x.zeros(rows)
    with f.loop(rank[0]) as i:
        k = pivots[i] - 1
        y[i] = errors[k] - s.gamma[k]
    x.call("dtrsm", "L", "L", "N", "N", rank[0], 1, 1.0, S, width, y, rows)
    x.call("dtrsm", "L", "L", "T", "N", rank[0], 1, 1.0, S, width, y, rows)
    with f.loop(rank[0]) as i:
        lam[pivots[i] - 1] = y[i]
    pushed = x.times(s.B, rows, lam)
    x.call("dpotrs", "L", n, 1, s.L, n, pushed, n)
    with f.loop(n) as i:
        x.udot[i] = free[i] - pushed[i]
    return rank[0]
