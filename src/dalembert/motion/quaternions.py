"""Rotations as quaternions, for those who draw and record."""

from __future__ import annotations

import numpy as np


def quaternions(R: np.ndarray) -> np.ndarray:
    """(K, n, 3, 3) → (K, n, 4) as (x, y, z, w), of unit length, without jumps of sign from frame to frame.

    Of the four ways to divide, the one with the largest divisor [Shepperd 1978].
    """
    xx, yy, zz = (R[..., i, i] for i in range(3))
    trace = xx + yy + zz
    table = np.empty((*R.shape[:-2], 4, 4))
    for i in range(3):
        for j in range(3):
            table[..., i, j] = R[..., i, j] + R[..., j, i] if i != j else 1.0 - trace + 2.0 * R[..., i, i]
        a, b = (i + 1) % 3, (i + 2) % 3
        table[..., i, 3] = table[..., 3, i] = R[..., b, a] - R[..., a, b]
    table[..., 3, 3] = 1.0 + trace
    best = np.argmax(np.stack([table[..., i, i] for i in range(4)], axis=-1), axis=-1)
    q = np.take_along_axis(table, best[..., None, None], axis=-2)[..., 0, :]
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    if len(q) > 1:
        flips = np.where(np.einsum("kni,kni->kn", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
        q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q
