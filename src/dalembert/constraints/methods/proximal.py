"""Proximal iteration (augmented Lagrangian): the penalty method with its error handed back to the multipliers until none is left.

(A + k BᵀB) u̇ = f + k Bᵀγ − Bᵀλ, λ ← λ + k (B u̇ − γ). Dependent rows do no harm, and λ, begun at 0, stays the shortest. Each turn
solves for the change of u̇ from what is left, f − A u̇ − Bᵀ(λ + k (B u̇ − γ)): k γ itself, far larger than f, would leave its rounding
in the accelerations.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native, Scaled
from dalembert.constraints.methods.explained import ConstrainedEquations
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.trace.native import Int, Pointer, Variables, maximum

STIFFNESS = (1e5, 1e8)
"""k; the second where the first comes nearer too slowly, because rows nearly depend on each other."""
MOST_ITERATIONS = 50
EXACT = 1e-11
"""What may be left of a row, by the size of its terms, when the first k has done what it can."""


@measured
def solve(e: MeasuredEquations) -> Solution:
    from scipy.linalg import cho_factor, cho_solve

    B, gamma = e.scaled
    lam, step, udot = np.zeros(len(B)), -gamma, np.zeros(len(e.f))
    for k in STIFFNESS:
        factor, before = cho_factor(e.A + k * B.T @ B), np.inf
        for _ in range(MOST_ITERATIONS):
            udot = udot + cho_solve(factor, e.f - e.A @ udot - B.T @ (lam + k * step))
            step = B @ udot - gamma
            error = float(np.abs(step).max(initial=0.0))
            if not error < 0.5 * before:
                break  # rounding is all that is left, or progress is slow
            lam, before = lam + k * step, error
        if error <= EXACT * float((np.abs(B) @ np.abs(udot) + np.abs(gamma)).max(initial=0.0)):
            break
    return Solution(udot, lam / e.norms, e.rank)


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """The matrix of the penalty, and what is left of the rows turn by turn."""
    if x.symbolic:
        return []
    e = MeasuredEquations.of(x.e)
    B, gamma = e.scaled
    K = e.A + STIFFNESS[0] * B.T @ B
    udot, lam, errors = np.zeros(len(e.f)), np.zeros(len(B)), [np.abs(gamma).max()]
    while len(errors) < 3 or (errors[-1] < 0.5 * errors[-2] and len(errors) <= MOST_ITERATIONS):
        udot = udot + np.linalg.solve(K, e.f - e.A @ udot - B.T @ (lam + STIFFNESS[0] * (B @ udot - gamma)))
        lam = lam + STIFFNESS[0] * (B @ udot - gamma)
        errors.append(np.abs(B @ udot - gamma).max())
    return [
        quantity("k", "penalties on the rows; the second where the first comes nearer too slowly", STIFFNESS),
        quantity("norms", "norms by which the rows are divided", e.norms, x.rows),
        quantity("K", "A + k BᵀB on those rows", K, x.speeds, x.speeds),
        quantity("errors", "largest |B u̇ − γ| on those rows at the start and after each turn with the first k", errors),
        *x.solution(solve),
    ]


def emit(x: Native) -> Int:
    """The same in machine code; it needs no rank and does not look for it."""
    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    lam, step = x.zeros(rows), x.take(rows)
    v = f.variables(before=1e300, error=0.0, size=0.0, term=0.0)
    with f.loop(n) as i:
        x.udot[i] = 0.0
    with f.loop(rows) as k:
        step[k] = -s.gamma[k]
    _iterate(x, s, v, lam, step, STIFFNESS[0])
    with f.loop(rows) as k:
        v.term = abs(s.gamma[k])
        with f.loop(n) as i:
            v.term = v.term + abs(s.B[k * n + i] * x.udot[i])
        v.size = maximum(v.size, v.term)
    with f.if_(~(v.error <= EXACT * v.size).all()):
        _iterate(x, s, v, lam, step, STIFFNESS[1])
    return f.integer(-1)


def _iterate(x: Native, s: Scaled, v: Variables, lam: Pointer, step: Pointer, stiffness: float) -> None:
    """Until what is left of the rows, `v.error`, shrinks slowly or not at all."""
    f, n, rows = x.code, x.n, x.rows
    K, push, change = x.copy(x.A, n * n), x.take(rows), x.take(n)
    x.call("dgemm", "N", "T", n, n, rows, stiffness, s.B, n, s.B, n, 1.0, K, n)
    x.call("dpotrf", "L", n, K, n)
    v.before = 1e300
    with f.loop(MOST_ITERATIONS):
        with f.loop(rows) as k:
            push[k] = lam[k] + stiffness * step[k]
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
            lam[k] = lam[k] + stiffness * step[k]
