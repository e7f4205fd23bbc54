"""A = LᵀDL with the branch sparsity of the mass matrix: speeds couple only along paths to the root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism


def inboard_speeds(m: Mechanism) -> list[int]:
    """For every speed, the next one towards the root on its path; −1 at the root."""
    last: list[int] = [-1]
    out = [-1] * m.n_u
    for j, parent in zip(m.joints, m.parent):
        before = last[parent]
        for column in j.columns:
            out[column] = before
            before = column
        last.append(before)
    return out


@dataclass(frozen=True, eq=False)
class Factored:
    """L (unit lower triangular along the paths) and 1/D."""

    L: dict[tuple[int, int], Any]
    inverse: list[Any]
    inboard: list[int]

    def solve(self, b: np.ndarray) -> np.ndarray:
        """A⁻¹ b for the columns of b."""
        x = [b[i] for i in range(len(b))]
        for i in reversed(range(len(x))):
            j = self.inboard[i]
            while j >= 0:
                x[j] = x[j] - self.L[i, j] * x[i]
                j = self.inboard[j]
        x = [row * d for row, d in zip(x, self.inverse)]
        for i in range(len(x)):
            j = self.inboard[i]
            while j >= 0:
                x[i] = x[i] - self.L[i, j] * x[j]
                j = self.inboard[j]
        return np.array(x)


def factored(A: np.ndarray, inboard: list[int]) -> Factored:
    """From the tips inward; no fill-in arises."""
    H = {}
    for i in range(len(A)):
        j = i
        while j >= 0:
            H[i, j] = A[i, j]
            j = inboard[j]
    inverse: list[Any] = [None] * len(A)
    L: dict[tuple[int, int], Any] = {}
    for k in reversed(range(len(A))):
        inverse[k] = 1.0 / H[k, k]
        i = inboard[k]
        while i >= 0:
            L[k, i] = H[k, i] * inverse[k]
            j = i
            while j >= 0:
                H[i, j] = H[i, j] - L[k, i] * H[k, j]
                j = inboard[j]
            i = inboard[i]
    return Factored(L, inverse, inboard)
