"""A few linear equations in driver code: Gauss's elimination with partial pivoting."""

from __future__ import annotations

from typing import Any


def solve_dense(f: Any, M: Any, n: int) -> None:
    """M holds n rows of n + 1 numbers, the right-hand sides last; the solution replaces them."""
    width = n + 1
    v = f.variables(best=0.0, row=0)
    with f.loop(n) as k:
        v.best, v.row = abs(M[k * width + k]), k
        with f.loop(k + 1, n) as i, f.if_((abs(M[i * width + k]) > v.best).all()):
            v.best, v.row = abs(M[i * width + k]), i
        with f.if_(v.row != k), f.loop(k, width) as j:
            other = M[v.row * width + j]
            M[v.row * width + j] = M[k * width + j]
            M[k * width + j] = other
        pivot = M[k * width + k]
        with f.loop(n) as i, f.if_(i != k):
            factor = M[i * width + k] / pivot
            with f.loop(k, width) as j:
                M[i * width + j] = M[i * width + j] - factor * M[k * width + j]
    with f.loop(n) as k:
        M[k * width + n] = M[k * width + n] / M[k * width + k]
