"""The inverse of a square matrix over floats or traced scalars.

Traced, rows and columns are put into blocks that can be solved one after the other. No pivot is chosen that might vanish where its
block is regular: small blocks are inverted by their cofactors, large ones by LDLᵀ of BᵀB.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.trace.expr import Expr

BY_COFACTORS = 4
"""Rows up to which a block is inverted by its cofactors."""


def inverse(A: np.ndarray) -> np.ndarray:
    """A⁻¹; numpy's LinAlgError where it is singular by its pattern or, of numbers, at all."""
    n = len(A)
    if not _traced(A):
        return np.linalg.inv(A.astype(float)) if n else np.zeros((0, 0))
    found = np.zeros((n, n), dtype=object)
    for rows, columns in _blocks(np.array([[_some(x) for x in row] for row in A])):
        own = _inverse_of_block(A[np.ix_(rows, columns)])
        right = np.zeros((len(rows), n), dtype=object)
        right[range(len(rows)), rows] = 1.0
        for j in range(n):
            if j not in columns and any(_some(x) for x in A[rows, j]):
                right = right - A[rows, j][:, None] * found[j]
        found[columns] = own @ right
    return found


def _blocks(pattern: np.ndarray) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of square blocks, each of which needs only unknowns of itself and of those before it."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    row_of = maximum_bipartite_matching(csr_array(pattern), perm_type="row")
    if (row_of < 0).any():
        raise np.linalg.LinAlgError("Singular matrix")
    needs = pattern[row_of]  # square, with its diagonal present: unknown i is found by its row from the others
    _, label = connected_components(csr_array(needs), connection="strong")
    blocks = [np.flatnonzero(label == k).tolist() for k in range(label.max(initial=-1) + 1)]
    done: set[int] = set()
    ordered: list[tuple[list[int], list[int]]] = []
    while blocks:
        ready = next(b for b in blocks if all(j in done or j in b for i in b for j in np.flatnonzero(needs[i])))
        blocks.remove(ready)
        done |= set(ready)
        ordered.append(([int(row_of[i]) for i in ready], ready))
    return ordered


def _inverse_of_block(B: np.ndarray) -> np.ndarray:
    n = len(B)
    if not _traced(B):
        return np.linalg.inv(B.astype(float))
    if n <= BY_COFACTORS:
        every = range(n)
        cofactors = np.array([[(-1.0) ** (i + j) * _minor(B, j, i) for j in every] for i in every], dtype=object)
        determinant = sum(B[0, j] * cofactors[j, 0] for j in every)
        return np.asarray(cofactors / determinant)
    return _definite_inverse(B.T @ B) @ B.T


def _minor(B: np.ndarray, i: int, j: int) -> Any:
    """Determinant without row i and column j."""
    rest = np.delete(np.delete(B, i, axis=0), j, axis=1)
    if not len(rest):
        return 1.0
    return sum((-1.0) ** k * rest[0, k] * _minor(rest, 0, k) for k in range(len(rest)))


def _definite_inverse(S: np.ndarray) -> np.ndarray:
    """S⁻¹ by LDLᵀ, of a positive definite S."""
    n = len(S)
    L, d = np.eye(n, dtype=object), np.zeros(n, dtype=object)
    for j in range(n):
        d[j] = S[j, j] - sum(L[j, k] * L[j, k] * d[k] for k in range(j))
        for i in range(j + 1, n):
            L[i, j] = (S[i, j] - sum(L[i, k] * L[j, k] * d[k] for k in range(j))) / d[j]
    X = np.eye(n, dtype=object)
    for i in range(n):
        X[i] = X[i] - sum(L[i, k] * X[k] for k in range(i)) if i else X[i]
    X = X / d[:, None]
    for i in reversed(range(n - 1)):
        X[i] = X[i] - sum(L[k, i] * X[k] for k in range(i + 1, n))
    return X


def _some(x: Any) -> bool:
    return type(x) is Expr or x != 0.0


def _traced(A: np.ndarray) -> bool:
    return any(type(x) is Expr for x in A.ravel())
