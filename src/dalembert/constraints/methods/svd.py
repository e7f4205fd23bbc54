"""Null space by singular values [B A-7..A-12]: p = n − rank free directions, whatever the number of rows.

Dependent rows show as zero singular values and are divided by nothing.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native, measured_speeds
from dalembert.constraints.methods.explained import ConstrainedEquations, signed
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.pivoting import rank_of
from dalembert.trace.native import Int


@measured
def solve(e: MeasuredEquations) -> Solution:
    B, gamma = e.scaled
    U, sigma, Vt = np.linalg.svd(B)
    rank = rank_of(sigma)
    along = Vt[:rank].T @ ((U[:, :rank].T @ gamma) / sigma[:rank])
    Z = Vt[rank:].T
    udot = e.along_null_space(Z, along)
    return Solution(udot, e.least_multipliers(udot), rank)


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """U, σ, V and the free directions; they need numbers."""
    if x.symbolic:
        return []
    U, sigma, Vt = np.linalg.svd(x.e.B)
    Z = signed(Vt[int(solve(x.e).rank) :].T)
    return [
        quantity("U", "U of B = U Σ Vᵀ [B A-7]", U, x.rows),
        quantity("sigma", "singular values of B; zeros are dependent rows", sigma),
        quantity("V", "V, the right singular vectors as columns", Vt.T, x.speeds),
        quantity("Z", "Z, the columns of V with no singular value: p = n − rank free directions [B A-8]", Z, x.speeds),
        quantity("ZTAZ", "ZᵀA Z, the inertia of the free directions", Z.T @ x.e.A @ Z),
        *x.solution(solve),
    ]


@measured_speeds
def emit(x: Native) -> Int:
    """The same in machine code, on Bᵀ = V Σ Uᵀ."""
    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    sigma, V, Ut, y = x.take(min(n, rows)), x.take(n * n), x.take(rows * rows), x.take(rows)
    from scipy.linalg import lapack

    size = int(lapack.dgesdd_lwork(n, rows)[0])
    work, integers = x.take(size), x.shorts(8 * min(n, rows))
    x.call("dgesdd", "A", n, rows, x.copy(s.B, n * rows), n, sigma, V, n, Ut, rows, work, size, integers)
    rank = x.rank_of(sigma, min(n, rows))
    x.call("dgemv", "N", rank, rows, 1.0, Ut, rows, s.gamma, 1, 0.0, y, 1)
    with f.loop(rank) as i:
        y[i] = y[i] / sigma[i]
    x.along_null_space(s.L, V + rank * n, n - rank, x.times(V, rank, y))
    return rank
