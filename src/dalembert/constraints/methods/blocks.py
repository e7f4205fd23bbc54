"""Equations that fall into blocks: speeds that no entry of A and no row of B couples are solved for apart.

Ranks are found beside the largest of a block. Parts of a mechanism that do not touch each other may be of any size beside each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class CoupledBlock:
    """Places of its speeds and of its rows."""

    speeds: np.ndarray
    rows: np.ndarray


def blocks(A: np.ndarray, B: np.ndarray) -> list[CoupledBlock]:
    """Blocks, from which entries are other than zero. Rows of zeros go with the first."""
    n = len(A)
    B = np.asarray(B != 0)
    coupled = np.asarray(A != 0)
    if len(B):
        rows = B.astype(float)
        coupled = coupled | (rows.T @ rows > 0.0)
    left, found = np.ones(n, dtype=bool), []
    while left.any():
        own = np.zeros(n, dtype=bool)
        new = np.zeros(n, dtype=bool)
        new[int(np.argmax(left))] = True
        while new.any():
            own |= new
            new = coupled[new].any(axis=0) & ~own
        left &= ~own
        found.append(own)
    if len(found) <= 1:
        return [CoupledBlock(np.arange(n), np.arange(len(B)))]
    nothing = ~B.any(axis=1)
    return [
        CoupledBlock(np.flatnonzero(own), np.flatnonzero(B[:, own].any(axis=1) | (nothing if i == 0 else False)))
        for i, own in enumerate(found)
    ]
