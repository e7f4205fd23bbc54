"""Which rows of B say all, and which unknowns to solve them for: by QR with column pivoting, A P = Q R, which always takes the column
that has most left beside those taken.

SciPy has it too, but takes longer to import than a small simulation takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.errors import StateError

RANK_TOLERANCE = 1e-9
"""Singular values of the scaled rows below this fraction of the largest count as zero."""
AS_GOOD = 1.0 - 1e-6
"""Part of the largest at which a size counts as equal to it: among equals the first is taken, so that rounding does not choose."""


def least_squares(A: np.ndarray, b: np.ndarray, rcond: float | None) -> np.ndarray:
    """x of least norm among those that make |A x − b| least. Refused where numbers are not finite: LAPACK may stand still on them, and
    nothing can interrupt it."""
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        raise StateError(
            "this cannot be computed: numbers of the mechanism or of its state differ by more than a computer's can; look for lengths, "
            "masses, stiffnesses or speeds that are far too large or too small"
        )
    try:
        found: np.ndarray = np.linalg.lstsq(A, b, rcond=rcond)[0]
    except np.linalg.LinAlgError as problem:
        raise StateError(f"this cannot be computed: {problem}") from None
    return found


def pivoted(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(R, order): R is min(m, n) × n, upper trapezoidal with a falling diagonal; column k of it belongs to column order[k] of A."""
    R = np.array(A, dtype=float)
    m, n = R.shape
    order = np.arange(n)
    for k in range(min(m, n)):
        best = k + first_of_largest(np.einsum("ij,ij->j", R[k:, k:], R[k:, k:]))
        R[:, [k, best]], order[[k, best]] = R[:, [best, k]], order[[best, k]]
        v = R[k:, k].copy()
        length = np.linalg.norm(v)
        if length == 0.0:
            break
        v[0] += length if v[0] >= 0.0 else -length
        R[k:, k:] -= np.outer(v, (2.0 / (v @ v)) * (v @ R[k:, k:]))
        R[k + 1 :, k] = 0.0
    return R[: min(m, n)], order


def first_of_largest(sizes: np.ndarray) -> int:
    """Where the largest of some sizes is; of those that are as large but for rounding, the first."""
    return int(np.argmax(sizes >= AS_GOOD * np.nanmax(sizes)))


def rank_of(sizes: np.ndarray, tolerance: float = RANK_TOLERANCE) -> int:
    """How many singular values, diagonal entries of R or the like, in falling order, are not zero."""
    return int(np.sum(np.abs(sizes) > tolerance * np.abs(sizes).max(initial=0.0)))


@dataclass(frozen=True)
class PivotChoice:
    """Rows kept and dependent unknowns, paired in the order of their pivots; and the independent unknowns."""

    rows: tuple[int, ...]
    dependent: tuple[int, ...]
    independent: tuple[int, ...]

    def dependent_block(self, B: np.ndarray) -> np.ndarray:
        """B_d, which is solved with."""
        return B[np.ix_(self.rows, self.dependent)]

    def independent_block(self, B: np.ndarray) -> np.ndarray:
        """B_i."""
        return B[np.ix_(self.rows, self.independent)]

    def same_kind(self, other: PivotChoice | None) -> bool:
        """Whether both are made among the same speeds, and of as many."""
        if other is None or len(self.rows) != len(other.rows) or len(self.dependent) != len(other.dependent):
            return False
        return sorted((*self.dependent, *self.independent)) == sorted((*other.dependent, *other.independent))


def choose(B: np.ndarray, tolerance: float = RANK_TOLERANCE) -> PivotChoice:
    """Choice among rows that can be compared in size: those that say most, solved for the unknowns in which they say most.

    Elimination with complete pivoting then pairs them.
    """
    R, order = pivoted(B.T)
    rank = rank_of(np.diag(R), tolerance)
    rows = np.sort(order[:rank])
    columns = pivoted(B[rows])[1]
    left, pairs = B[np.ix_(rows, columns[:rank])], []
    for _ in range(rank):
        i, j = np.unravel_index(first_of_largest(np.abs(left).ravel()), left.shape)
        pairs.append((int(rows[i]), int(columns[j])))
        left = left - np.outer(left[:, j], left[i]) / left[i, j]
        left[i], left[:, j] = 0.0, 0.0
    return PivotChoice(tuple(i for i, _ in pairs), tuple(j for _, j in pairs), tuple(np.sort(columns[rank:]).tolist()))
