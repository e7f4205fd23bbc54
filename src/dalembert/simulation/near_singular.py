"""A pose in which constraints nearly lose a row, in words: which loop it is, and by how much its lengths miss those at which
branches of motion meet.

Let n be the combination of rows g that resists least, and x the displacements that the other rows allow. To second order
n·g = b·x + ½ x·Hx: where b = 0 two branches would meet, and what is left of n·g there is by how much the lengths miss it.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.assembly import displaced
from dalembert.formulations import kane
from dalembert.kinematics.rows import closure
from dalembert.mechanism import Mechanism
from dalembert.simulation.holding import Holding
from dalembert.words import listed

TAKES_PART = 0.1
"""Part of the largest component from which on a row is named."""
APART = 1e-4
"""Displacement over which H is taken, in parts of each joint's reach."""


def near_singular(m: Mechanism, q: np.ndarray, t: float, held: Holding) -> str:
    """Where, and by how much: a clause to be put into a sentence."""
    rows = list(held.rows)
    L = np.linalg.cholesky(kane.mass_matrix(m.state(q, np.zeros(m.n_u), t)))
    B = _rows(m, q, t)[rows]
    Y = np.linalg.solve(L, B.T) / held.norms[rows]
    U, sigma, Vt = np.linalg.svd(Y)
    n = Vt[-1] / held.norms[rows]
    n = n / np.linalg.norm(n)
    owners = [name for name, d in m.constraint_rows.items() for _ in range(len(d.g))]
    weight = dict.fromkeys(owners, 0.0)
    for k, share in zip(rows, np.abs(n)):
        weight[owners[k]] = max(weight[owners[k]], float(share))
    named = [name for name, share in weight.items() if share > TAKES_PART]
    X = np.linalg.solve(L.T, U[:, len(rows) - 1 :])
    X = X / np.abs(X / m.scales.speeds[:, None]).max(axis=0)
    miss = _missed_by(m, q, t, rows, n, X)
    return (
        f"{_where(m, named)} (distance {sigma[-1]:.1e}); its lengths miss those at which branches of motion meet by {miss:.1e} (m, or "
        "rad between axes)"
    )


def _missed_by(m: Mechanism, q: np.ndarray, t: float, rows: list[int], n: np.ndarray, X: np.ndarray) -> float:
    """|½ b·H⁻¹b|, along the displacements X."""

    def slope(x: np.ndarray) -> np.ndarray:
        found: np.ndarray = n @ _rows(m, displaced(m, q, x, t), t)[rows] @ X
        return found

    b = slope(np.zeros(m.n_u))
    H = np.array([(slope(APART * x) - slope(-APART * x)) / (2.0 * APART) for x in X.T])
    return float(abs(0.5 * b @ np.linalg.lstsq(0.5 * (H + H.T), b, rcond=1e-6)[0]))


def _rows(m: Mechanism, q: np.ndarray, t: float) -> np.ndarray:
    B: np.ndarray = closure(m.state(m.admissible(q), np.zeros(m.n_u), t))[1]
    return B


def _where(m: Mechanism, named: list[str]) -> str:
    loops = {cut.name: "–".join(bodies) for cut, bodies in zip(m.cuts, m.loops)}
    told = [f'the loop {loops[name]} closed by "{name}"' if name in loops else f'constraint "{name}"' for name in named]
    return listed(told)
