"""Null space by QR of Bᵀ with pivoting [B A-6]: u̇ = Y y + Z z with B Z = 0.

The pivoting puts dependent rows last, where they are left out.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native, measured_speeds
from dalembert.constraints.methods.explained import ConstrainedEquations
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.pivoting import rank_of
from dalembert.trace.native import Int


@measured
def solve(e: MeasuredEquations) -> Solution:
    from scipy.linalg import qr, solve_triangular

    B, gamma = e.scaled
    if not len(B):
        return Solution(np.linalg.solve(e.A, e.f), np.zeros(0), 0)
    Q, R, order = qr(B.T, pivoting=True)
    rank = rank_of(np.diag(R))
    Y, Z = Q[:, :rank], Q[:, rank:]
    along = Y @ solve_triangular(R[:rank, :rank].T, gamma[order[:rank]], lower=True)
    udot = e.along_null_space(Z, along)
    return Solution(udot, e.least_multipliers(udot), rank)


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """Y and Z of u̇ = Y y + Z z; they need numbers."""
    if x.symbolic:
        return []
    from scipy.linalg import qr

    Q, R, order = qr(x.e.B.T, pivoting=True)
    rank = int(solve(x.e).rank)
    Y, Z = Q[:, :rank], Q[:, rank:]
    return [
        quantity("order", "the rows in the order of their pivots", order + 1.0),
        quantity("R", "R of Bᵀ P = Q R, the dependent rows last [B A-6]", R),
        quantity("Y", "Y, the columns of Q along the rows", Y, x.speeds),
        quantity("Z", "Z, the columns of Q across them: B Z = 0", Z, x.speeds),
        quantity("ZTAZ", "ZᵀA Z, the inertia of the free directions", Z.T @ x.e.A @ Z),
        *x.solution(solve),
    ]


@measured_speeds
def emit(x: Native) -> Int:
    """The same in machine code."""
    from scipy.linalg import lapack

    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    Q, y = x.take(n * max(n, rows)), x.take(rows)
    with f.loop(n * rows) as i:
        Q[i] = s.B[i]
    order, tau = x.pivoted_qr(Q, n, rows, n)
    rank = x.rank_of(Q, min(n, rows), n + 1)
    with f.loop(rank) as i:
        y[i] = s.gamma[order[i] - 1]
    x.call("dtrsm", "L", "U", "T", "N", rank, 1, 1.0, Q, n, y, rows)
    size = int(lapack.dorgqr(np.zeros((n, n)), np.zeros(min(n, rows)), lwork=-1)[1][0])
    x.call("dorgqr", n, n, min(n, rows), Q, n, tau, x.take(size), size)
    x.along_null_space(s.L, Q + rank * n, n - rank, x.times(Q, rank, y))
    return rank
