"""Penalty approximation of Gauss's principle [B Remark 1]: (A + k BᵀB) u̇ = f + k Bᵀγ, λ = k (B u̇ − γ).

An approximation: the rows are violated by λ/k. With scaled rows and k = 10⁸ the violation is 10⁻⁸ of the accelerations a force of that
size would cause, and 1/(k σ²) of them where rows nearly depend on each other, σ being the smallest singular value; a larger k would
lose as much to rounding. Rows that depend on each other entirely share their force and do no harm.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native
from dalembert.constraints.methods.explained import ConstrainedEquations
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.trace.native import Int

STIFFNESS = 1e8
"""Stiffness of the penalty, in the metric of A⁻¹: accelerations are off by about its reciprocal, and lose as much to rounding."""


@measured
def solve(e: MeasuredEquations) -> Solution:
    B, gamma = e.scaled
    udot = np.linalg.solve(e.A + STIFFNESS * B.T @ B, e.f + STIFFNESS * B.T @ gamma)
    lam = STIFFNESS * (B @ udot - gamma) / e.norms
    return Solution(udot, lam, e.rank)


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """The matrix of the penalty, and by how much the rows are violated."""
    if x.symbolic:
        return []
    e, k = MeasuredEquations.of(x.e), STIFFNESS
    B, gamma = e.scaled
    found = x.solution(solve)
    return [
        quantity("k", "penalty on the rows, each divided by its norm in the metric of A⁻¹", k),
        quantity("norms", "norms of the rows", e.norms, x.rows),
        quantity("K", "A + k BᵀB on those rows [B Remark 1]", e.A + k * B.T @ B, x.speeds, x.speeds),
        quantity("right", "f + k Bᵀγ", e.f + k * B.T @ gamma, x.speeds),
        *found,
        quantity("error", "B u̇ − γ, what the penalty leaves", e.B @ found[0].value - e.gamma, x.rows),
    ]


def emit(x: Native) -> Int:
    """The same in machine code; it needs no rank and does not look for it."""
    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    K = x.copy(x.A, n * n)
    x.call("dgemm", "N", "T", n, n, rows, STIFFNESS, s.B, n, s.B, n, 1.0, K, n)
    with f.loop(n) as i:
        x.udot[i] = x.f[i]
    x.call("dgemv", "N", n, rows, STIFFNESS, s.B, n, s.gamma, 1, 1.0, x.udot, 1)
    x.call("dposv", "L", n, 1, K, n, x.udot, n)
    return f.integer(-1)
