"""Symmetric accumulation: half the work, and a graph in which A_ij and A_ji are one node."""

from __future__ import annotations

import numpy as np

from dalembert.framed import Framed


def add_gram(A: np.ndarray, columns: list[int], X: np.ndarray, Y: np.ndarray) -> None:
    """A[columns, columns] += XᵀY for a product known to be symmetric."""
    if A.dtype != object:
        A[np.ix_(columns, columns)] += X.T @ Y
        return
    if isinstance(X, Framed):
        product = X.T @ Y
        for i, ci in enumerate(columns):
            for j in range(i + 1):
                A[ci, columns[j]] = A[columns[j], ci] = A[ci, columns[j]] + product[i, j]
        return
    rows = [[i for i in range(len(x)) if not _zero(x[i])] for x in X.T]
    for i, ci in enumerate(columns):
        for j in range(i + 1):
            total = A[ci, columns[j]]
            for r in rows[i]:
                total = total + X[r, i] * Y[r, j]
            A[ci, columns[j]] = A[columns[j], ci] = total


def _zero(x: object) -> bool:
    return type(x) is float and x == 0.0
