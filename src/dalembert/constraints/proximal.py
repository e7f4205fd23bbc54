"""Proximal iteration (augmented Lagrangian): the penalty method with its error handed back to the multipliers until none is left.

(A + k BᵀB) u̇ = f + k Bᵀγ − Bᵀλ, λ ← λ + k (B u̇ − γ). Dependent rows do no harm, and λ, begun at 0, stays the shortest. Each turn
solves for the change of u̇ from what is left, f − A u̇ − Bᵀ(λ + k (B u̇ − γ)): k γ itself, far larger than f, would leave its rounding
in the accelerations.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.native import Native
from dalembert.constraints.solution import Solution, scaled
from dalembert.formulations.equations import Equations
from dalembert.pivoting import rank_of
from dalembert.trace.native import Int, maximum

STIFFNESS = 1e5
MOST_ITERATIONS = 50


def solve(e: Equations) -> Solution:
    from scipy.linalg import cho_factor, cho_solve

    B, gamma, norms = scaled(e)
    factor = cho_factor(e.A + STIFFNESS * B.T @ B)
    lam, step, udot = np.zeros(len(B)), -gamma, np.zeros(len(e.f))
    before = np.inf
    for _ in range(MOST_ITERATIONS):
        udot = udot + cho_solve(factor, e.f - e.A @ udot - B.T @ (lam + STIFFNESS * step))
        step = B @ udot - gamma
        error = float(np.abs(step).max(initial=0.0))
        if error >= 0.5 * before:
            break  # rounding is all that is left
        lam, before = lam + STIFFNESS * step, error
    return Solution(udot, lam / norms, rank_of(np.linalg.svd(B, compute_uv=False)) if len(B) else 0)


def emit(x: Native) -> Int:
    """The same in machine code; it needs no rank and does not look for it."""
    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    K, lam, step, push = x.copy(x.A, n * n), x.zeros(rows), x.take(rows), x.take(rows)
    x.call("dgemm", "N", "T", n, n, rows, STIFFNESS, s.B, n, s.B, n, 1.0, K, n)
    x.call("dpotrf", "L", n, K, n)
    v = f.variables(before=1e300, error=0.0)
    change = x.take(n)
    with f.loop(n) as i:
        x.udot[i] = 0.0
    with f.loop(rows) as k:
        step[k] = -s.gamma[k]
    with f.loop(MOST_ITERATIONS):
        with f.loop(rows) as k:
            push[k] = lam[k] + STIFFNESS * step[k]
            step[k] = -s.gamma[k]
        with f.loop(n) as i:
            change[i] = x.f[i]
        x.call("dsymv", "L", n, -1.0, x.A, n, x.udot, 1, 1.0, change, 1)
        x.call("dgemv", "N", n, rows, -1.0, s.B, n, push, 1, 1.0, change, 1)
        x.call("dpotrs", "L", n, 1, K, n, change, n)
        with f.loop(n) as i:
            x.udot[i] = x.udot[i] + change[i]
        x.call("dgemv", "T", n, rows, 1.0, s.B, n, x.udot, 1, 1.0, step, 1)
        v.error = 0.0
        with f.loop(rows) as k:
            v.error = maximum(v.error, abs(step[k]))
        f.stop_if(~(v.error < 0.5 * v.before).all())
        v.before = v.error
        with f.loop(rows) as k:
            lam[k] = lam[k] + STIFFNESS * step[k]
    return f.integer(-1)
