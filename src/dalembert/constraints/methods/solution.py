"""What a constraint method returns, and the scale on which it decides ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.massless import NO_MASS, mass_factor
from dalembert.constraints.methods.blocks import CoupledBlock, blocks
from dalembert.errors import StateError
from dalembert.formulations.equations import Equations
from dalembert.pivoting import RANK_TOLERANCE, rank_of

SQUARED_RANK_TOLERANCE = 1e-13
"""The same for methods that work on squares (BᵀB, B A⁻¹ Bᵀ): below this fraction of the largest, rounding hides them."""


@dataclass(frozen=True, eq=False)
class Solution:
    """u̇, λ and the rank of B that the method found; of many states, with a row for each."""

    udot: np.ndarray
    lam: np.ndarray
    rank: int | np.ndarray


class MeasuredEquations(Equations):
    """One block of the equations, on speeds measured by √A_ii; what several methods ask of it is computed once."""

    @classmethod
    def of(cls, e: Equations) -> MeasuredEquations:
        """These equations as they stand, in one block and in their own units."""
        return cls(e.A, e.f, e.B, e.gamma)

    @cached_property
    def norms(self) -> np.ndarray:
        """√(B A⁻¹ Bᵀ)_kk: the size of each row in the metric of A⁻¹, in which rows of any unit can be compared; 1 for dead rows."""
        if not len(self.B):
            return np.ones(0)
        norms = np.linalg.norm(np.linalg.solve(self.mass_factor, self.B.T), axis=0)
        return np.where(norms > RANK_TOLERANCE * norms.max(), norms, 1.0)

    @cached_property
    def mass_factor(self) -> np.ndarray:
        """L of A = L Lᵀ."""
        return mass_factor(self.A)

    @cached_property
    def scaled(self) -> tuple[np.ndarray, np.ndarray]:
        """B and γ with every row divided by its norm."""
        return self.B / self.norms[:, None], self.gamma / self.norms

    @cached_property
    def rank(self) -> int:
        """The rank of the scaled rows by their singular values."""
        return rank_of(np.linalg.svd(self.scaled[0], compute_uv=False)) if len(self.B) else 0

    @cached_property
    def _shortest(self) -> tuple[np.ndarray, np.ndarray]:
        """Sizes of the speeds, and the pseudo-inverse of Bᵀ on scaled rows and measured speeds."""
        sizes = sizes_of_speeds(self.A)
        return sizes, np.linalg.pinv((self.scaled[0] / sizes).T, rcond=RANK_TOLERANCE)

    def along_null_space(self, Z: np.ndarray, along: np.ndarray) -> np.ndarray:
        """u̇ = along + Z z with ZᵀA u̇ = Zᵀf, by QR of LᵀZ, A = L Lᵀ: the Cholesky factor of ZᵀAZ without forming it [B A-5]."""
        from scipy.linalg import solve_triangular

        L = self.mass_factor
        Q, R = np.linalg.qr(L.T @ Z)
        rest = solve_triangular(L, self.f - self.A @ along, lower=True)
        udot: np.ndarray = along + Z @ solve_triangular(R, Q.T @ rest)
        return udot

    def least_multipliers(self, udot: np.ndarray) -> np.ndarray:
        """The shortest λ, in scaled rows, with Bᵀλ = f − A u̇."""
        if not len(self.B):
            return np.zeros(0)
        sizes, inverse = self._shortest
        lam: np.ndarray = inverse @ ((self.f - self.A @ udot) / sizes) / self.norms
        return lam


Solve = Callable[[MeasuredEquations], Solution]


def measured(solve: Solve) -> Callable[[Equations], Solution]:
    """The method on speeds measured by √A_ii: what it finds of B's columns does not hang on the units of angles and lengths.

    Blocks that nothing couples are solved apart.
    """

    @wraps(solve)
    def solved(e: Equations) -> Solution:
        udot, lam, rank = np.zeros(len(e.f)), np.zeros(len(e.gamma)), 0
        for x, D, block in _blocks_of(e):
            own = solve(block)
            udot[x.speeds], lam[x.rows], rank = D * own.udot, own.lam, rank + int(own.rank)
        return Solution(udot, lam, rank)

    return solved


_known: WeakKeyDictionary[Equations, list[tuple[CoupledBlock, np.ndarray, MeasuredEquations]]] = WeakKeyDictionary()


def _blocks_of(e: Equations) -> list[tuple[CoupledBlock, np.ndarray, MeasuredEquations]]:
    """Blocks with the measures of their speeds, which are powers of two, so that measuring costs no digit."""
    if e not in _known:
        _check_finite(e)
        _known[e] = [_measured_block(e, x) for x in blocks(e.A, e.B)]
    return _known[e]


def _check_finite(e: Equations) -> None:
    """What is solved must be numbers."""
    if not all(np.isfinite(x).all() for x in (e.A, e.f, e.B, e.gamma)):
        raise StateError(
            "the equations of motion are no finite numbers in this state, so that they cannot be solved: look for forces that grow "
            "without bound, divide by zero or come from a table that ends, and for numbers near 1e308"
        )


def _measured_block(e: Equations, x: CoupledBlock) -> tuple[CoupledBlock, np.ndarray, MeasuredEquations]:
    A, B = e.A[np.ix_(x.speeds, x.speeds)], e.B[np.ix_(x.rows, x.speeds)]
    A, f = _definite(A, e.f[x.speeds], B, e.gamma[x.rows])
    D = 1.0 / np.exp2(np.rint(np.log2(sizes_of_speeds(A))))
    return x, D, MeasuredEquations(D[:, None] * A * D, D * f, B * D, e.gamma[x.rows])


def _definite(A: np.ndarray, f: np.ndarray, B: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A + BᵀWB and f + BᵀWγ where speeds move no mass: the motion and the multipliers are the same, for B u̇ = γ (see
    `constraints/massless.py`)."""
    W = inertias_lent(A, B)
    return (A, f) if W is None else (A + B.T @ (W[:, None] * B), f + B.T @ (W * gamma))


def inertias_lent(A: np.ndarray, B: np.ndarray) -> np.ndarray | None:
    """W of the rows where speeds move no mass: each the inertia that its row moves, or the largest where it moves none. None where all
    speeds move some."""
    lacking = np.diag(A) <= 0.0
    if not len(B) or not (lacking.any() or _indefinite(A)):
        return None
    inertia = np.where(lacking, np.inf, np.diag(A))
    with np.errstate(divide="ignore"):
        moved = 1.0 / (B * B / inertia).sum(axis=1)
    largest = float(np.max(np.diag(A), initial=0.0)) or 1.0
    return np.where(np.isfinite(moved), moved, largest / np.maximum((B * B).max(axis=1), np.finfo(float).tiny))


def _indefinite(A: np.ndarray) -> bool:
    try:
        left = np.diag(np.linalg.cholesky(A)) ** 2
    except np.linalg.LinAlgError:
        return True
    return not (left > NO_MASS * np.diag(A)).all()


def sizes_of_speeds(A: np.ndarray) -> np.ndarray:
    """√A_ii, and 1 where that is nothing."""
    diagonal = np.diag(A)
    return np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
