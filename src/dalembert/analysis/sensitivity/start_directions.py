"""Sensitivities of the assembled initial state, which keep to the loops.

Along a direction (δq, δu, δp) a consistent motion has δg = 0 and δ(B u − b) = 0, the change of the constraints by the parameters
included. Of the assembled pose the coordinates move by the least change; of speeds, A(u − ũ) + Bᵀμ = 0 is differentiated, which
chose them among those that fit (ũ are those given).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.analysis.sensitivity.constraint_variation import Factors, Variation
from dalembert.errors import LoopError
from dalembert.pivoting import RANK_TOLERANCE, least_squares

OPEN = 1e-7
"""Part of a row's own change that may be left open: more, and the row cannot follow."""
NOTHING_SAID = 1e-6
"""Size of a row's change below which its share cannot be distinguished from rounding."""


def initial_tangent(
    v: Variation, t: float, q: np.ndarray, u: np.ndarray, given: np.ndarray, p: Mapping[str, float], X: np.ndarray,
    fixed: Sequence[int], fixed_speeds: Sequence[int], names: Sequence[str],
) -> np.ndarray:  # fmt: skip
    """X completed: what is fixed moves as X says, the rest by the least change that fits."""
    n_q, n = v.m.n_q, v.m.n_u
    if not v.n_rows:
        return X
    X = X.copy()
    free, rest = ([i for i in range(n) if i not in kept] for kept in (fixed, fixed_speeds))
    A, B = v.matrices(t, q, u, p)
    rows, steps = v.holonomic, np.zeros((n, X.shape[1]))
    opened = v.opened(t, q, u, p, X)[0]
    by = v.m.with_parameters(**p).scales.speeds[free]  # as assembly measures the least change
    steps[free] = -by[:, None] * (np.linalg.pinv(B[rows][:, free] * by, rcond=RANK_TOLERANCE) @ opened[rows])
    X[:n_q] += v.moved(t, q, u, p, steps)
    _check(v, opened, v.opened(t, q, u, p, X)[0], names)
    chosen = Factors.of(A[np.ix_(rest, rest)], B[:, rest])
    change = u - given
    mu = least_squares(B[:, rest].T, -A[np.ix_(rest, rest)] @ change[rest], RANK_TOLERANCE)
    left = v.opened(t, q, u, p, X)[1]
    X[n_q + np.array(rest, dtype=int)] += chosen.solve(-v.chosen(t, q, u, p, change, mu, X)[rest], -left)[0]
    _check(v, left, v.opened(t, q, u, p, X)[1], names)
    return X


def _check(v: Variation, before: np.ndarray, after: np.ndarray, names: Sequence[str]) -> None:
    left = np.abs(after) - OPEN * np.maximum(np.abs(before).max(axis=0, initial=0.0), NOTHING_SAID)
    if left.max(initial=0.0) <= 0.0:
        return
    row, k = divmod(int(np.argmax(left)), left.shape[1])
    owner = v.m.rows.owners[row]
    raise LoopError(
        f'"{names[k]}" cannot be varied alone: the other initial values are fixed, and "{owner}" would open. '
        "Leave it out, or give fewer initial values"
    )
