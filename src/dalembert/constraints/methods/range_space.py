"""Range space: B A⁻¹ Bᵀ λ = B A⁻¹ f − γ, then u̇ = A⁻¹(f − Bᵀλ) [B 14], by QR of Y = L⁻¹Bᵀ with A = L Lᵀ [B A-3..A-5].

Y Π = Q R makes RᵀR the Cholesky factors of B A⁻¹Bᵀ without forming it, which would square its condition; then R λ = QᵀL⁻¹f − R⁻ᵀγ and
u̇ = L⁻ᵀ(Q R⁻ᵀγ + (1 − Q Qᵀ) L⁻¹f). The pivoting puts dependent rows last, where they are left out. B writes L D^½ for this L.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native
from dalembert.constraints.methods.explained import ConstrainedEquations
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.linear_systems import solve_definite
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.pivoting import rank_of
from dalembert.trace.native import Int


@measured
def solve(e: MeasuredEquations) -> Solution:
    from scipy.linalg import qr, solve_triangular

    B, gamma = e.scaled
    L = e.mass_factor
    y = solve_triangular(L, e.f, lower=True)
    if not len(B):
        return Solution(solve_triangular(L, y, lower=True, trans=1), np.zeros(0), 0)
    Q, R, order = qr(solve_triangular(L, B.T, lower=True), mode="economic", pivoting=True)
    rank = rank_of(np.diag(R))
    Q, R, kept = Q[:, :rank], R[:rank, :rank], order[:rank]
    pushed = Q.T @ y - solve_triangular(R, gamma[kept], trans=1)  # R λ
    udot = solve_triangular(L, y - Q @ pushed, lower=True, trans=1)
    return Solution(udot, e.least_multipliers(udot), rank)


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """The system of the multipliers alone."""
    e = x.e
    solved = solve_definite(e.A, np.column_stack([e.B.T, e.f]))
    inverse, free = solved[:, :-1], solved[:, -1]
    return [
        quantity("free", "A⁻¹f, the accelerations without constraints", free, x.speeds),
        quantity("S", "S = B A⁻¹Bᵀ of S λ = B A⁻¹f − γ [B 14]", e.B @ inverse, x.rows, x.rows),
        quantity("right", "B A⁻¹f − γ", e.B @ free - e.gamma, x.rows),
        *x.solution(solve),
    ]


def emit(x: Native) -> Int:
    """The same in machine code, for any A; along a tree's branches `kernels/rhs/range_space_rhs.py` does it at less cost, with rows
    that are known to be independent."""
    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    y, z, work = x.copy(x.f, n), x.take(rows), x.take(64 * n)
    R = s.Y
    order, tau = x.pivoted_qr(R, n, rows, n)
    rank = x.rank_of(R, min(n, rows), n + 1)
    x.call("dtrsm", "L", "L", "N", "N", n, 1, 1.0, s.L, n, y, n)
    x.call("dormqr", "L", "T", n, 1, min(n, rows), R, n, tau, y, n, work, 64 * n)
    with f.loop(rank) as i:
        z[i] = s.gamma[order[i] - 1]
    x.call("dtrsm", "L", "U", "T", "N", rank, 1, 1.0, R, n, z, rows)
    with f.loop(rank) as i:
        y[i] = z[i]
    x.call("dormqr", "L", "N", n, 1, min(n, rows), R, n, tau, y, n, work, 64 * n)
    x.call("dtrsm", "L", "L", "T", "N", n, 1, 1.0, s.L, n, y, n)
    with f.loop(n) as i:
        x.udot[i] = y[i]
    return rank
