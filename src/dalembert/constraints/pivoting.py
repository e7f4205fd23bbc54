"""QR with column pivoting, A P = Q R: the next column is always the one that has most left beside those taken.

SciPy has it too, but takes longer to import than a small simulation takes.
"""

from __future__ import annotations

import numpy as np


def pivoted(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(R, order): R is min(m, n) × n, upper trapezoidal with a falling diagonal; column k of it belongs to column order[k] of A."""
    R = np.array(A, dtype=float)
    m, n = R.shape
    order = np.arange(n)
    for k in range(min(m, n)):
        best = k + int(np.argmax(np.einsum("ij,ij->j", R[k:, k:], R[k:, k:])))
        R[:, [k, best]], order[[k, best]] = R[:, [best, k]], order[[best, k]]
        v = R[k:, k].copy()
        length = np.linalg.norm(v)
        if length == 0.0:
            break
        v[0] += length if v[0] >= 0.0 else -length
        R[k:, k:] -= np.outer(v, (2.0 / (v @ v)) * (v @ R[k:, k:]))
        R[k + 1 :, k] = 0.0
    return R[: min(m, n)], order
