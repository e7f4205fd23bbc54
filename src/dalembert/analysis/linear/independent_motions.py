"""Independent displacements and speeds of a constrained mechanism, to first order.

B δu + φ_q η = 0 and B_h η = 0 leave η = X ξ and δu = Z v + Y ξ, where ξ are entries of η and v entries of δu: they are kept as they
are, so that rates of (ξ, v) are entries of rates of (η, δu), also where X, Y and Z change along a motion. Speeds are fewer than
displacements where constraints are nonholonomic; every independent speed is also an independent displacement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.analysis.linear.first_order import FirstOrder
from dalembert.constraints.assembly.assemble import DEPENDENT, off_at
from dalembert.errors import StateError
from dalembert.mechanism import Mechanism
from dalembert.mechanism.missing import missing
from dalembert.pivoting import RANK_TOLERANCE, PivotChoice, choose, pivoted

WELL = 1e-6
"""Ratio of the smallest to the largest singular value below which speeds cannot be distinguished from dependent ones."""


@dataclass(frozen=True, eq=False)
class Independent:
    """Places in u of ξ and of v, the rows that were used, and X, Y, Z with the rate of X along the motion."""

    displacements: list[int]
    speeds: list[int]
    rows: list[int]
    X: np.ndarray
    Y: np.ndarray
    Z: np.ndarray
    X_rate: np.ndarray
    X_p: np.ndarray
    """Parameters move the constraints: η = X ξ + X_p δp, δu = Z v + Y ξ + Y_p δp."""
    Y_p: np.ndarray


def independent(
    m: Mechanism, e: FirstOrder, wanted: Sequence[str] = (), displacements: Sequence[str] = ()
) -> Independent:
    """Independent motions by pivoting, with the wanted speeds, by name, among the independent ones, and these displacements too."""
    kept = [_place(m, name) for name in wanted]
    B_h, B_rate = e.B[e.holonomic], (e.rows.rho_u - e.rows.phi_q)[e.holonomic]
    off = off_at(m, e.q, e.t) if len(e.B) else 0.0  # no finer than the loops are closed can rows be distinguished
    speeds = _choose(m, e.B, range(m.n_u), kept, off)
    places = _choose(m, B_h, speeds.dependent, [_place(m, name) for name in displacements], off)
    X, Z = _null_space(B_h, places), _null_space(e.B, speeds)
    X_p = _dependent(B_h, places, -e.rows.g_p[e.holonomic])
    return Independent(
        list(places.independent), list(speeds.independent), list(speeds.rows), X, _dependent(e.B, speeds, -e.rows.phi_q @ X), Z,
        _dependent(B_h, places, -B_rate @ X), X_p, _dependent(e.B, speeds, -e.rows.phi_q @ X_p - e.rows.phi_p),
    )  # fmt: skip


def _null_space(B: np.ndarray, choice: PivotChoice) -> np.ndarray:
    kept = np.eye(B.shape[1])[:, list(choice.independent)]
    return kept + _dependent(B, choice, -B @ kept)


def _dependent(B: np.ndarray, choice: PivotChoice, right: np.ndarray) -> np.ndarray:
    """x of B x = right with the independent entries zero."""
    x = np.zeros((B.shape[1], right.shape[1]))
    x[list(choice.dependent)] = np.linalg.solve(choice.dependent_block(B), right[list(choice.rows)])
    return x


def _choose(m: Mechanism, B: np.ndarray, among: Sequence[int], kept: list[int], off: float) -> PivotChoice:
    """Dependent columns from `among`, none of them kept."""
    free = [i for i in among if i not in kept]
    B = _comparable(B * m.scales.speeds)
    rows = choose(B, max(RANK_TOLERANCE, DEPENDENT * off)).rows
    rank = len(rows)
    if not rank:
        return PivotChoice((), (), tuple(range(m.n_u)))
    sizes = np.linalg.svd(B[np.ix_(rows, free)], compute_uv=False) if free else np.zeros(0)
    if len(sizes) < rank or sizes[rank - 1] < WELL * sizes[0]:
        if not kept:
            raise StateError("the constraints are singular in this pose; linearise a little away from it")
        names = ", ".join(m.speeds[i] for i in kept)
        raise StateError(
            f"the speeds {names} are not independent of each other here: the constraints leave {m.n_u - rank} free; name others"
        )
    dependent = tuple(free[i] for i in pivoted(B[np.ix_(rows, free)])[1][:rank])
    return PivotChoice(rows, dependent, tuple(i for i in range(m.n_u) if i not in dependent))


def _comparable(B: np.ndarray) -> np.ndarray:
    """Rows of unit length, but those that are zero."""
    length = np.linalg.norm(B, axis=1)
    return B / np.where(length > RANK_TOLERANCE * length.max(initial=0.0), length, 1.0)[:, None]


def _place(m: Mechanism, name: str) -> int:
    if name not in m.speeds:
        raise missing(m, name, "speed", m.speeds, "keep")
    return m.speeds.index(name)
