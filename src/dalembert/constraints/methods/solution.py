"""What a constraint method returns, and the scale on which it decides ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import numpy as np

from dalembert.constraints.massless import mass_factor
from dalembert.constraints.methods.blocks import blocks
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

    Each is rounded to a power of two, so that measuring costs no digit. Blocks that nothing couples are solved apart.
    """

    def of_block(e: Equations) -> Solution:
        D = 1.0 / np.exp2(np.rint(np.log2(sizes_of_speeds(e.A))))
        own = solve(Equations(D[:, None] * e.A * D, D * e.f, e.B * D, e.gamma))
        return Solution(D * own.udot, own.lam, own.rank)

    @wraps(solve)
    def solved(e: Equations) -> Solution:
        found = blocks(e.A, e.B)
        if len(found) == 1:
            return of_block(e)
        udot, lam, rank = np.zeros(len(e.f)), np.zeros(len(e.gamma)), 0
        for x in found:
            A, B = e.A[np.ix_(x.speeds, x.speeds)], e.B[np.ix_(x.rows, x.speeds)]
            own = of_block(Equations(A, e.f[x.speeds], B, e.gamma[x.rows]))
            udot[x.speeds], lam[x.rows], rank = own.udot, own.lam, rank + int(own.rank)
        return Solution(udot, lam, rank)

    return solved


def sizes_of_speeds(A: np.ndarray) -> np.ndarray:
    """√A_ii, and 1 where that is nothing."""
    diagonal = np.diag(A)
    return np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))


def row_norms(e: Equations) -> np.ndarray:
    """√(B A⁻¹ Bᵀ)_kk: the size of each row in the metric of A⁻¹, in which rows of any unit can be compared; 1 for dead rows."""
    if not len(e.B):
        return np.ones(0)
    norms = np.linalg.norm(np.linalg.solve(mass_factor(e.A), e.B.T), axis=0)
    return np.where(norms > RANK_TOLERANCE * norms.max(), norms, 1.0)


def scaled(e: Equations) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """B and γ with every row divided by its norm, and the norms."""
    norms = row_norms(e)
    return e.B / norms[:, None], e.gamma / norms, norms


def along_null_space(e: Equations, Z: np.ndarray, along: np.ndarray) -> np.ndarray:
    """u̇ = along + Z z with ZᵀA u̇ = Zᵀf, by QR of LᵀZ, A = L Lᵀ: the Cholesky factor of ZᵀAZ without forming it [B A-5]."""
    from scipy.linalg import solve_triangular

    L = mass_factor(e.A)
    Q, R = np.linalg.qr(L.T @ Z)
    rest = solve_triangular(L, e.f - e.A @ along, lower=True)
    udot: np.ndarray = along + Z @ solve_triangular(R, Q.T @ rest)
    return udot


def least_multipliers(e: Equations, udot: np.ndarray) -> np.ndarray:
    """The shortest λ, in scaled rows, with Bᵀλ = f − A u̇."""
    B, _, norms = scaled(e)
    if not len(B):
        return np.zeros(0)
    sizes = sizes_of_speeds(e.A)
    lam: np.ndarray = np.linalg.lstsq((B / sizes).T, (e.f - e.A @ udot) / sizes, rcond=RANK_TOLERANCE)[0] / norms
    return lam
