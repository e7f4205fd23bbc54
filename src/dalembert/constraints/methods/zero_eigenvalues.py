"""Null space by the zero eigenvalues theorem [A 14–34]: Z spans the eigenvectors of BᵀB with eigenvalue zero.

Then [ZᵀA; B] u̇ = [Zᵀf; γ]; the speeds along Z never appear. Dependent rows only make that system overdetermined and consistent.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native, measured_speeds
from dalembert.constraints.methods.explained import ConstrainedEquations, signed
from dalembert.constraints.methods.solution import SQUARED_RANK_TOLERANCE, MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.pivoting import least_squares
from dalembert.trace.native import Int


@measured
def solve(e: MeasuredEquations) -> Solution:
    B, gamma = e.scaled
    eigenvalues, T = np.linalg.eigh(B.T @ B)
    zero = eigenvalues <= SQUARED_RANK_TOLERANCE * eigenvalues.max(initial=0.0)
    Z = T[:, zero]
    udot = least_squares(np.vstack([Z.T @ e.A, B]), np.concatenate([Z.T @ e.f, gamma]), None)
    return Solution(udot, e.least_multipliers(udot), int(np.sum(~zero)))


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """S, its eigenvalues, T, D = B T, Z and the contracted equations; in symbols Z by elimination."""
    e, n = x.e, len(x.e.f)
    S = quantity("S", "S = BᵀB [A 15]", e.B.T @ e.B, x.speeds, x.speeds)
    if x.symbolic:
        by = "Z, columns with B Z = 0 that span the eigenvectors of eigenvalue zero, by elimination [A 22, 43]"
        return [S, quantity("Z", by, x.reduction.T, x.speeds), *_contracted(x, x.reduction.T)]
    values, T = np.linalg.eigh(S.value)
    values, T = values[::-1], signed(T[:, ::-1])
    Z = T[:, int(solve(e).rank) :]
    return [
        S,
        quantity("Lambda", "eigenvalues of S, the largest first [A 16]", values),
        quantity("T", "T, orthogonal, with TᵀS T = Λ: the eigenvectors as columns [A 16]", T, x.speeds),
        quantity("D", "D = B T, whose last columns are zero [A 17–19]", e.B @ T, x.rows),
        quantity("Z", "Z, the columns of T with eigenvalue zero: u = Z z [A 22]", Z.reshape(n, -1), x.speeds),
        *_contracted(x, Z),
        *x.solution(solve),
    ]


def _contracted(x: ConstrainedEquations, Z: np.ndarray) -> list[Quantity]:
    """The contracted equations, and with the rows the system that is solved."""
    e, first = x.e, [f"z{k + 1}" for k in range(Z.shape[1])]
    A, f = Z.T @ e.A, Z.T @ e.f
    return [
        quantity("ZTA", "contracted equations: ZᵀA u̇ = Zᵀf [A 29]", A, first, x.speeds),
        quantity("ZTf", "their right-hand sides", f, first),
        quantity("C", "C = [ZᵀA; B] of C u̇ = (Zᵀf, γ) [A 32, 34]", np.vstack([A, e.B]), (*first, *x.rows), x.speeds),
        quantity("right", "right-hand sides of C u̇ [A 33]", np.concatenate([f, e.gamma]), (*first, *x.rows)),
    ]


@measured_speeds
def emit(x: Native) -> Int:
    """The same in machine code: eigenvalues in rising order, so that Z comes first; the stacked system by QR."""
    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    T, values = x.take(n * n), x.take(n)
    x.call("dgemm", "N", "T", n, n, rows, 1.0, s.B, n, s.B, n, 0.0, T, n)
    from scipy.linalg import lapack

    size = int(lapack.dsyev_lwork(n)[0])
    x.call("dsyev", "V", "L", n, T, n, values, x.take(size), size)
    v = f.variables(zero=0)
    with f.loop(n) as i:
        f.stop_if((values[i] > SQUARED_RANK_TOLERANCE * values[n - 1]).all())
        v.zero = v.zero + 1
    N = n + rows
    stacked, right, ZA, Zf = x.take(N * n), x.take(N), x.take(n * n), x.times(T, v.zero, x.f, transposed=True)
    x.call("dgemm", "T", "N", v.zero, n, n, 1.0, T, n, x.A, n, 0.0, ZA, n)
    with f.loop(v.zero) as i:
        right[i] = Zf[i]
    with f.loop(rows) as k:
        right[v.zero + k] = s.gamma[k]
    with f.loop(n) as j:
        with f.loop(v.zero) as i:
            stacked[j * N + i] = ZA[j * n + i]
        with f.loop(rows) as k:
            stacked[j * N + v.zero + k] = s.B[k * n + j]
    tau, size = x.take(n), 64 * N
    work = x.take(size)
    x.call("dgeqrf", v.zero + rows, n, stacked, N, tau, work, size)
    x.call("dormqr", "L", "T", v.zero + rows, 1, n, stacked, N, tau, right, N, work, size)
    x.call("dtrsm", "L", "U", "N", "N", n, 1, 1.0, stacked, N, right, N)
    with f.loop(n) as i:
        x.udot[i] = right[i]
    return n - v.zero
