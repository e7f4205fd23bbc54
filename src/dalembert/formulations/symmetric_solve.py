"""A x = b for symmetric A over floats or traced scalars.

Traced, it is L D Lᵀ without pivoting, from the last unknown to the first: where unknowns are numbered outward from the
ground, a tree's matrix then fills in nothing, because exact zeros vanish from the graph. That needs pivots that cannot be
zero, which definite and quasi-definite matrices [A Bᵀ; B −N] have in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.trace import Expr


def solve_symmetric(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x with A x = b; b may have several columns."""
    if A.dtype != object and b.dtype != object:
        return _equilibrated(A, b) if len(A) else np.zeros(b.shape)
    columns = int(np.prod(b.shape[1:]))
    rows = [dict(_entries(row)) for row in A]
    right = [dict(_entries(row)) for row in b.reshape(len(A), columns)]
    for k in reversed(range(len(A))):
        for i in [i for i in rows[k] if i < k]:
            factor = rows[k][i] / rows[k][k]
            for j in [j for j in rows[k] if j <= i]:
                rows[i][j] = rows[j][i] = rows[i].get(j, 0.0) - factor * rows[k][j]
            for c, value in right[k].items():
                right[i][c] = right[i].get(c, 0.0) - factor * value
    x = np.zeros((len(A), columns), dtype=object)
    for k in range(len(A)):
        for c in range(columns):
            total = right[k].get(c, 0.0)
            for j in rows[k]:
                if j < k:
                    total = total - rows[k][j] * x[j, c]
            x[k, c] = total / rows[k][k]
    return x.reshape(b.shape)


def _equilibrated(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The system with unknowns measured so that all rows are of one size, whatever that of inertias and arms. Powers of two cost
    no digit."""
    D = np.ones(len(A))
    for _ in range(3):
        largest = np.abs(D[:, None] * A * D).max(axis=1)
        D = D * np.exp2(-np.rint(0.5 * np.log2(np.where(largest > 0.0, largest, 1.0))))
    along = D.reshape(-1, *[1] * (b.ndim - 1))
    x: np.ndarray = along * np.linalg.solve(D[:, None] * A * D, along * b)
    return x


def _entries(row: np.ndarray) -> list[tuple[int, Any]]:
    return [(j, x) for j, x in enumerate(row) if type(x) is Expr or x != 0.0]
