"""Friction by what a joint transmits needs that to be unique: in over-constrained loops it may hang on how rows share a load."""

from __future__ import annotations

import numpy as np

from dalembert.errors import SimulationError
from dalembert.formulations.tree import kane
from dalembert.kinematics.transmitted import transmitted
from dalembert.mechanism import Mechanism
from dalembert.simulation.kept_rows import KeptRows

SAME = 1e-7
"""Part of the largest force in a load by which two shares of it may differ by rounding."""
TRIALS = 3
"""Random motions, besides that at the start, in which shares are compared."""
RANK_OF_LOADS, RANK_OF_SPEEDS = 1e-10, 1e-9
"""Part of the largest singular value below which loads are shared at will, and below which rows ask for no speeds."""


def check_loads_unique(m: Mechanism, q: np.ndarray, u: np.ndarray, t: float, kept: KeptRows) -> None:
    """Refuse, by its joint, friction whose load depends on which of the redundant rows bear it."""
    if not m.law_table.loads or len(kept.rows) == len(m.rows):
        return
    m, rng = m.numeric, np.random.default_rng(0)
    for trial in range(TRIALS + 1):
        s = m.state(q, u, t)
        e = kane.equations(s)
        A, f, B, gamma = (np.asarray(x, dtype=float) for x in (e.A, e.f, e.B, e.gamma))
        shares = [_share(A, f, B, gamma, rows) for rows in (list(kept.rows), list(range(len(B))))]
        for i, load in m.law_table.loads.items():
            X = np.asarray(transmitted(s, load.joint).X, dtype=float)[:, : len(B)]
            for term in load.terms:
                rows = np.asarray(term.rows[:, :6], dtype=float) @ X
                one, other = (rows @ lam for lam in shares)
                largest = np.abs(rows).max(initial=0.0) * np.abs(shares).max(initial=0.0)
                if np.linalg.norm(one - other) > SAME * largest:
                    raise SimulationError(
                        f'law "{m.law_table.title(i)}": what joint "{load.joint}" transmits is not unique, as the loops are '
                        "over-constrained, and so neither is its friction nor the motion. Free what is redundant (m.diagnose() names "
                        "it), or give the friction force itself"
                    )
        if trial < TRIALS:
            free = rng.standard_normal(m.n_u)
            u = free - np.linalg.pinv(B, rcond=RANK_OF_SPEEDS) @ (B @ free) if len(B) else free


def _share(A: np.ndarray, f: np.ndarray, B: np.ndarray, gamma: np.ndarray, rows: list[int]) -> np.ndarray:
    """Shortest multipliers of these rows; zero for the others."""
    Y = np.linalg.solve(A, B[rows].T)
    lam = np.zeros(len(B))
    lam[rows] = np.linalg.lstsq(B[rows] @ Y, Y.T @ f - gamma[rows], rcond=RANK_OF_LOADS)[0]
    return lam
