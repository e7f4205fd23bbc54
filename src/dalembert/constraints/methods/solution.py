"""What a constraint method returns, and the scale on which it decides ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import numpy as np

from dalembert.errors import StateError
from dalembert.formulations.equations import Equations
from dalembert.pivoting import RANK_TOLERANCE

SQUARED_RANK_TOLERANCE = 1e-13
"""The same for methods that work on squares (BᵀB, B A⁻¹ Bᵀ): below this fraction of the largest, rounding hides them."""


@dataclass(frozen=True, eq=False)
class Solution:
    """u̇, λ and the rank of B that the method found; of many states, with a row for each."""

    udot: np.ndarray
    lam: np.ndarray
    rank: int | np.ndarray


def measured(solve: Callable[[Equations], Solution]) -> Callable[[Equations], Solution]:
    """The method on speeds measured by √A_ii: what it finds of B's columns does not hang on the units of angles and lengths.

    Each is rounded to a power of two, so that measuring costs no digit.
    """

    @wraps(solve)
    def solved(e: Equations) -> Solution:
        D = 1.0 / np.exp2(np.rint(np.log2(sizes_of_speeds(e.A))))
        own = solve(Equations(D[:, None] * e.A * D, D * e.f, e.B * D, e.gamma))
        return Solution(D * own.udot, own.lam, own.rank)

    return solved


def sizes_of_speeds(A: np.ndarray) -> np.ndarray:
    """√A_ii, and 1 where that is nothing."""
    diagonal = np.diag(A)
    return np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))


def cholesky(A: np.ndarray) -> np.ndarray:
    """L of A = L Lᵀ, or what is wrong where there is none."""
    try:
        return np.asarray(np.linalg.cholesky(A))
    except np.linalg.LinAlgError:
        raise StateError(
            "a freedom of the mechanism, cut open at its loops, moves no mass here: give the links at the cut a little mass and "
            "inertia, or build with cut=[…] another joint"
        ) from None


def row_norms(e: Equations) -> np.ndarray:
    """√(B A⁻¹ Bᵀ)_kk: the size of each row in the metric of A⁻¹, in which rows of any unit can be compared; 1 for dead rows."""
    if not len(e.B):
        return np.ones(0)
    norms = np.linalg.norm(np.linalg.solve(cholesky(e.A), e.B.T), axis=0)
    return np.where(norms > RANK_TOLERANCE * norms.max(), norms, 1.0)


def scaled(e: Equations) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """B and γ with every row divided by its norm, and the norms."""
    norms = row_norms(e)
    return e.B / norms[:, None], e.gamma / norms, norms


def least_multipliers(e: Equations, udot: np.ndarray) -> np.ndarray:
    """The shortest λ, in scaled rows, with Bᵀλ = f − A u̇."""
    B, _, norms = scaled(e)
    if not len(B):
        return np.zeros(0)
    sizes = sizes_of_speeds(e.A)
    lam: np.ndarray = np.linalg.lstsq((B / sizes).T, (e.f - e.A @ udot) / sizes, rcond=RANK_TOLERANCE)[0] / norms
    return lam
