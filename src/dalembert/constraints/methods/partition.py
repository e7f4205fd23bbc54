"""Coordinate partitioning [A 48–56; C 57]: B = [Ba Bb], u̇_b = −Bb⁻¹(Ba u̇_a − γ), and the equations of the independent speeds alone.

Dependent speeds are chosen by pivoting, so that Bb is as well conditioned as the mechanism's pose allows; dependent rows are found
by the same pivoting on rows and left out. Integrating (q, u_a) takes 2n − m equations, and
(q_a, u_a), as `kernels/rhs/partition_rhs.py` does it, 2(n − m).
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native, measured_speeds
from dalembert.constraints.methods.explained import ConstrainedEquations
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.independent_speeds import reduced
from dalembert.pivoting import choose
from dalembert.trace.native import Int


@measured
def solve(e: MeasuredEquations) -> Solution:
    B, gamma = e.scaled
    by = reduced(B, np.zeros(len(B)), gamma, choose(B))
    udot = e.along_null_space(by.T, by.d)
    return Solution(udot, e.least_multipliers(udot), len(by.choice.rows))


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """Ba, Bb, and the equations of the independent speeds alone."""
    e, by, rows = x.e, x.reduction, [x.rows[k] for k in x.choice.rows]
    A, f = by.T.T @ e.A @ by.T, by.T.T @ (e.f - e.A @ by.d)
    return [
        quantity(
            "Ba",
            "Ba, the columns of the independent speeds [A 48]",
            x.choice.independent_block(e.B),
            rows,
            x.independent,
        ),
        quantity("Bb", "Bb, the columns of the dependent speeds", x.choice.dependent_block(e.B), rows, x.dependent),
        quantity(
            "T", "u̇ = T u̇_a + d, with −Bb⁻¹Ba in the rows of the dependent speeds [A 50]", by.T, x.speeds, x.independent
        ),
        quantity("d", "d, with Bb⁻¹γ in the rows of the dependent speeds", by.d, x.speeds),
        quantity("A_a", "TᵀA T, the mass matrix of the independent speeds [A 54]", A, x.independent, x.independent),
        quantity("f_a", "Tᵀ(f − A d) [A 55]", f, x.independent),
        *x.solution(solve),
    ]


@measured_speeds
def emit(x: Native) -> Int:
    """The same in machine code; the QR that chooses the dependent speeds also solves with Bb = Q R."""
    f, n, rows = x.code, x.n, x.rows
    s = x.scaled()
    R = x.copy(s.B, n * rows)
    kept, _ = x.pivoted_qr(R, n, rows, n)
    rank = x.rank_of(R, min(n, rows), n + 1)
    C, y = x.take(rows * n), x.take(rows)
    with f.loop(rank) as i:
        k = kept[i] - 1
        y[i] = s.gamma[k]
        with f.loop(n) as j:
            C[j * rows + i] = s.B[k * n + j]
    order, tau = x.pivoted_qr(C, rank, n, rows)
    with f.if_(rank == 0), f.loop(n) as j:
        order[j] = j + 1
    x.call("dormqr", "L", "T", rank, 1, rank, C, rows, tau, y, rows, x.take(64 * rows), 64 * rows)
    x.call("dtrsm", "L", "U", "N", "N", rank, 1, 1.0, C, rows, y, rows)
    Ca = C + rank * rows
    x.call("dtrsm", "L", "U", "N", "N", rank, n - rank, 1.0, C, rows, Ca, rows)
    T, along = x.zeros(n * n), x.zeros(n)
    with f.loop(rank) as i:
        along[order[i] - 1] = y[i]
    with f.loop(n - rank) as j:
        T[j * n + order[rank + j] - 1] = 1.0
        with f.loop(rank) as i:
            T[j * n + order[i] - 1] = -Ca[j * rows + i]
    x.along_null_space(s.L, T, n - rank, along)
    return rank
