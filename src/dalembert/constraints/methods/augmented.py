"""The augmented system [A Bᵀ; B 0] [u̇; λ] = [f; γ] at once [B 10, 49, 63; C 133].

Dependent rows make it singular: it is then solved in the sense of least squares, which leaves u̇ as it is and makes λ shortest.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native, measured_speeds
from dalembert.constraints.methods.explained import ConstrainedEquations
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.pivoting import RANK_TOLERANCE, least_squares
from dalembert.trace.native import Int


def kkt(e: MeasuredEquations) -> tuple[np.ndarray, np.ndarray]:
    """The augmented matrix and right-hand side on scaled rows."""
    B, gamma = e.scaled
    m = len(B)
    return np.block([[e.A, B.T], [B, np.zeros((m, m))]]), np.concatenate([e.f, gamma])


@measured
def solve(e: MeasuredEquations) -> Solution:
    K, right = kkt(e)
    n, rank = len(e.f), e.rank
    try:
        x = np.linalg.solve(K, right) if rank == len(e.B) else None
    except np.linalg.LinAlgError:  # rows so nearly dependent that only the elimination sees it
        x = None
    if x is None:
        scale = np.sqrt(np.abs(np.diag(e.A)).max(initial=1e-300))  # multipliers as large as the scaled accelerations
        D = np.concatenate([np.full(n, 1.0 / scale), np.full(len(e.B), scale)])
        x = D * least_squares(D[:, None] * K * D, D * right, RANK_TOLERANCE)
    return Solution(x[:n], x[n:] / e.norms, rank)


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """The augmented matrix and its right-hand side."""
    e, m, names = x.e, len(x.e.gamma), (*x.speeds, *(f"lambda {k + 1}" for k in range(len(x.e.gamma))))
    K = np.vstack([np.hstack([e.A, e.B.T]), np.hstack([e.B, np.zeros((m, m))])])
    return [
        quantity("K", "the augmented matrix [A Bᵀ; B 0] on (u̇, λ) [B 10, C 133]", K, names, names),
        quantity("right", "its right-hand side (f, γ)", np.concatenate([e.f, e.gamma]), names),
        *x.solution(solve),
    ]


@measured_speeds
def emit(x: Native) -> Int:
    """The same in machine code. QR of Bᵀ with pivoting finds the rank, and dependent rows are left out: the u̇ of least squares at the
    cost of LU."""
    f, n, rows, N = x.code, x.n, x.rows, x.n + x.rows
    s = x.scaled()
    R = x.copy(s.B, n * rows)
    order, _ = x.pivoted_qr(R, n, rows, n)
    rank = x.rank_of(R, min(n, rows), n + 1)
    K, right = x.zeros(N * N), x.take(N)
    with f.loop(n) as i:
        right[i] = x.f[i]
        with f.loop(n) as j:
            K[i * N + j] = x.A[i * n + j]
    with f.loop(rank) as i:
        k = order[i] - 1
        right[n + i] = s.gamma[k]
        with f.loop(n) as j:
            K[(n + i) * N + j] = s.B[k * n + j]
            K[j * N + n + i] = s.B[k * n + j]
    x.call("dgesv", n + rank, 1, K, N, x.shorts(N), right, N)
    with f.loop(n) as i:
        x.udot[i] = right[i]
    return rank
