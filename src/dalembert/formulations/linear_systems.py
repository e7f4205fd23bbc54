"""Linear systems over floats or traced scalars."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.recursive.steps import solve_symmetric


def solve_definite(M: np.ndarray, right: np.ndarray) -> np.ndarray:
    """M⁻¹ right for a positive definite M and a column or a matrix, by LDLᵀ where traced."""
    if M.dtype != object:  # constant, though what it is solved with may be traced
        return np.linalg.solve(M, right) if right.dtype != object else np.linalg.inv(M) @ right
    columns = right[:, None] if right.ndim == 1 else right
    solved = solve_symmetric(M, columns[:, 0], columns[:, 1:])
    return solved[0] if right.ndim == 1 else np.column_stack(solved)


def solve_in_order(A: np.ndarray, right: np.ndarray) -> np.ndarray:
    """A⁻¹ right by elimination along the diagonal, whose pivots are known not to vanish where it is used."""
    if A.dtype != object and right.dtype != object:
        return np.linalg.solve(A, right)
    A, X = np.array(A, dtype=object), np.array(right, dtype=object)
    _eliminate(A, X)
    n = len(A)
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            if not _zero(A[i, k]):
                X[i] = X[i] - A[i, k] * X[k]
        X[i] = X[i] / A[i, i]
    return X


def pivots_in_order(A: np.ndarray) -> np.ndarray:
    """What that elimination divides by."""
    A = np.array(A)
    _eliminate(A, np.zeros((len(A), 0), dtype=A.dtype))
    return np.diag(A)


def _eliminate(A: np.ndarray, X: np.ndarray) -> None:
    """Upper triangular, in place."""
    n = len(A)
    for j in range(n - 1):
        inverse = 1.0 / A[j, j]
        for i in range(j + 1, n):
            if not _zero(A[i, j]):
                factor = A[i, j] * inverse
                A[i, j + 1 :] = A[i, j + 1 :] - factor * A[j, j + 1 :]
                X[i] = X[i] - factor * X[j]


def _zero(x: Any) -> bool:
    return isinstance(x, (int, float)) and x == 0.0
