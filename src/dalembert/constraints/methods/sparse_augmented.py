"""The augmented system by sparse LU, for mechanisms with many loops.

Of dependent rows an independent set is kept (by pivoted QR); the others carry no multiplier until the least-norm ones are recovered.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.methods.compiled import Native
from dalembert.constraints.methods.elimination import elimination
from dalembert.constraints.methods.explained import ConstrainedEquations
from dalembert.constraints.methods.solution import MeasuredEquations, Solution, measured
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.pivoting import rank_of
from dalembert.trace import Expr
from dalembert.trace.native import Int


@measured
def solve(e: MeasuredEquations) -> Solution:
    from scipy.linalg import qr
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    B, gamma = e.scaled
    if not len(B):
        return Solution(splu(csc_array(e.A)).solve(e.f), np.zeros(0), 0)
    _, R, order = qr(B.T, mode="economic", pivoting=True)
    rank = rank_of(np.diag(R))
    kept = np.sort(order[:rank])
    rows = B[kept]
    K = np.block([[e.A, rows.T], [rows, np.zeros((rank, rank))]])
    udot = splu(csc_array(K)).solve(np.concatenate([e.f, gamma[kept]]))[: len(e.f)]
    return Solution(udot, e.least_multipliers(udot), rank)


def explain(x: ConstrainedEquations) -> list[Quantity]:
    """Which unknowns the augmented matrix couples, and the order in which compiled code eliminates them."""
    kept = sorted(x.choice.rows)
    A, B = (np.vectorize(lambda v: type(v) is Expr or v != 0.0, otypes=[bool])(M) for M in (x.e.A, x.e.B[kept]))
    n, names = len(A), [*x.speeds, *(f"lambda {k + 1}" for k in kept)]
    K = np.block([[A, B.T], [B, np.zeros((len(kept), len(kept)), dtype=bool)]]).astype(float)
    order = elimination(A, B)
    L = np.zeros((len(names), len(names)))
    for k, later in zip(order.order, order.later):
        L[[k, *later], k] = 1.0
    place = list(order.order)
    ordered = [names[k] for k in place]
    fill = L.sum() - np.tril(K[np.ix_(place, place)], -1).sum() - len(names)
    return [
        quantity("pattern", "1 where [A Bᵀ; B 0] of the independent rows is not zero", K, names, names),
        quantity("order", "place of each unknown in the order of elimination", np.argsort(place) + 1.0, names),
        quantity("L", "1 where the factor is not zero, in that order", L[np.ix_(place, place)], ordered, ordered),
        quantity(
            "fill",
            "entries of the factor that the matrix does not have",
            fill,
        ),
        quantity("speeds", "speeds among the unknowns; the others are multipliers", float(n)),
        *x.solution(solve),
    ]


def emit(x: Native) -> Int:
    """The same in machine code: L D Lᵀ in a static order on the pattern of A and of the rows known to be independent."""
    f, n, kept = x.code, x.n, list(x.shape.independent)
    A, B = x.shape.A, x.shape.B[kept]
    e = elimination(A, B)
    entries = [(e.at(i, j), i * n + j) for i, j in e.entries(A)]
    row_entries = [(e.at(n + a, j), k * n + j) for a, k in enumerate(kept) for j in range(n) if B[a, j]]
    solution = x.take(n + len(kept))
    with f.loop(n) as i:
        solution[i] = x.f[i]
    rows = x.module.int_table(kept or [0])
    with f.loop(len(kept)) as i:
        solution[n + i] = x.gamma[rows[i]]
    x.eliminate(e, [(x.A, entries), (x.B, row_entries)], solution)
    with f.loop(n) as i:
        x.udot[i] = solution[i]
    return f.integer(len(kept))
