"""Range space where the rank is not known: B A⁻¹Bᵀ = W Σ² Wᵀ from the singular values of L⁻¹Bᵀ = V Σ Wᵀ, A = L Lᵀ [B A-11, A-12].

λ = W Σ⁻² Wᵀ(B A⁻¹f − γ) = W Σ⁻¹(VᵀL⁻¹f − Σ⁻¹Wᵀγ) over the singular values that are not zero: the shortest of all λ where rows depend on
each other, and u̇ = A⁻¹(f − Bᵀλ) all the same.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.massless import mass_factor
from dalembert.constraints.methods.compiled import Native
from dalembert.constraints.methods.explained import ConstrainedEquations
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.pivoting import rank_of
from dalembert.trace.native import Int


@measured
def solve(e: MeasuredEquations) -> Solution:
    from scipy.linalg import solve_triangular

    B, gamma = e.scaled
    L = e.mass_factor
    y = solve_triangular(L, e.f, lower=True)
    V, sigma, Wt = np.linalg.svd(solve_triangular(L, B.T, lower=True), full_matrices=False)
    rank = rank_of(sigma)
    V, sigma, Wt = V[:, :rank], sigma[:rank], Wt[:rank]
    pushed = V.T @ y - (Wt @ gamma) / sigma  # Σ Wᵀλ
    udot = solve_triangular(L, y - V @ pushed, lower=True, trans=1)
    return Solution(udot, Wt.T @ (pushed / sigma) / e.norms, rank)


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """V, Σ and W; they need numbers."""
    if x.symbolic:
        return []
    e = x.e
    Y = np.linalg.solve(mass_factor(e.A), e.B.T)
    V, sigma, Wt = np.linalg.svd(Y, full_matrices=False)
    return [
        quantity("Y", "Y = L⁻¹Bᵀ, A = L Lᵀ [B A-3]", Y, x.speeds, x.rows),
        quantity("sigma", "singular values of Y = V Σ Wᵀ; zeros are dependent rows", sigma),
        quantity("V", "V", V, x.speeds),
        quantity("W", "W of S = B A⁻¹Bᵀ = W Σ² Wᵀ [B A-11]", Wt.T, x.rows),
        *x.solution(solve),
    ]


def emit(x: Native) -> Int:
    """The same in machine code."""
    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    small = min(n, rows)
    sigma, V, Wt, along = x.take(small), x.take(n * small), x.take(small * rows), x.take(rows)
    from scipy.linalg import lapack

    size = int(lapack.dgesdd_lwork(n, rows, full_matrices=0)[0])
    work, integers = x.take(size), x.shorts(8 * small)
    x.call("dgesdd", "S", n, rows, s.Y, n, sigma, V, n, Wt, small, work, size, integers)
    rank = x.rank_of(sigma, small)
    y = x.copy(x.f, n)
    x.call("dtrsm", "L", "L", "N", "N", n, 1, 1.0, s.L, n, y, n)
    x.call("dgemv", "N", rank, rows, 1.0, Wt, small, s.gamma, 1, 0.0, along, 1)
    pushed = x.times(V, rank, y, transposed=True)
    with f.loop(rank) as i:
        pushed[i] = pushed[i] - along[i] / sigma[i]
    x.call("dgemv", "N", n, rank, -1.0, V, n, pushed, 1, 1.0, y, 1)
    x.call("dtrsm", "L", "L", "T", "N", n, 1, 1.0, s.L, n, y, n)
    with f.loop(n) as i:
        x.udot[i] = y[i]
    return rank
