"""A pose in which constraints nearly lose a row, in words: which loop it is, and by how much its lengths miss those at which
branches of motion meet.

Let n be the combination of rows g that resists least, and x the displacements that the other rows allow. To second order
n·g = c·x + ½ x·Hx: where c = 0 two branches would meet, and what is left of n·g there is by how much the lengths miss it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.constraints.massless import mass_factor, metric
from dalembert.kinematics.constraint_rows import closure, constraint_rows, row_scales
from dalembert.mechanism import Mechanism
from dalembert.pivoting import least_squares
from dalembert.simulation.kept_rows import KeptRows
from dalembert.words import listed

TAKES_PART = 0.1
"""Part of the largest component from which on a row is named."""
APART = 1e-4
"""Displacement over which H is taken, in parts of each joint's reach."""
ALONG = 1e-2
"""Part of the speed at which time opens rows that must lie along their weakest combination to count: where lengths miss by a hair, it
lies across, but for the distance to the pose."""
CARRIED = 1e-10
"""Part of the speed at which time carries bodies along below which rows are opened by rounding."""
RANK = 1e-6
"""Part of the largest curvature below which a direction does not bend."""


def near_singular(m: Mechanism, q: np.ndarray, t: float, kept: KeptRows) -> str:
    """Where, and by how much: a clause to be put into a sentence."""
    weak = _weakest(m, q, t, kept)
    miss = _missed_by(m, q, t, list(kept.rows), weak.n, weak.X)
    return f"{weak.described(m)}; its lengths miss those at which branches of motion meet by {miss:.1e} (m, or rad between axes)"


def weakest_loops(m: Mechanism, q: np.ndarray, t: float, kept: KeptRows) -> str:
    """Where alone, likewise."""
    return _weakest(m, q, t, kept).described(m)


def pushed_by_time(m: Mechanism, q: np.ndarray, t: float, kept: KeptRows) -> bool:
    """Whether time itself moves what the weakest combination of rows joins, along it: n·b ≠ 0, which no speed can answer at the
    singular pose. What time moves elsewhere, or across it, does not count; nor what it carries along as a whole."""
    if not kept.driven:
        return False
    weak, still = _weakest(m, q, t, kept), m.state(q, np.zeros(m.n_u), t)
    size, b = row_scales(still), constraint_rows(still).b
    rows = [k for k, owner in enumerate(m.rows.owners) if owner in weak.named]
    n = np.zeros(len(b))
    n[list(kept.rows)] = weak.n
    n, b = (n * size)[rows], (b / size)[rows]
    bodies = {k for name in weak.named for k in m.constraint_rows[name].bodies}
    carried = max(
        (np.abs([*still.velocities[k].w, *still.velocities[k].v / _length(m, k)]).max() for k in bodies), default=0.0
    )
    least = max(ALONG * float(np.linalg.norm(b)), CARRIED * float(carried))
    return bool(abs(n @ b) > least * np.linalg.norm(n))


def _length(m: Mechanism, frame: int) -> float:
    """The length of the part that a body or node belongs to."""
    return float(m.scales.lengths[m.body_of(frame)])


@dataclass(frozen=True, eq=False)
class _Weakest:
    """The combination of rows that resists least."""

    n: np.ndarray
    distance: float
    X: np.ndarray
    """Displacements that the other rows allow, each a large step."""
    named: list[str]
    """Loops and constraints that take part in it."""

    def described(self, m: Mechanism) -> str:
        return f"{_where(m, self.named)} (distance {self.distance:.1e})"


def _weakest(m: Mechanism, q: np.ndarray, t: float, kept: KeptRows) -> _Weakest:
    rows = list(kept.rows)
    L = mass_factor(metric(m.state(q, np.zeros(m.n_u), t)), m)
    Y = np.linalg.solve(L, _rows(m, q, t)[rows].T) / kept.norms[rows]
    U, sigma, Vt = np.linalg.svd(Y)
    n = Vt[-1] / kept.norms[rows]
    n = n / np.linalg.norm(n)
    owners = m.rows.owners
    weight = dict.fromkeys(owners, 0.0)
    for k, share in zip(rows, np.abs(n)):
        weight[owners[k]] = max(weight[owners[k]], float(share))
    X = np.linalg.solve(L.T, U[:, len(rows) - 1 :])
    X = X / np.abs(X / m.scales.speeds[:, None]).max(axis=0)
    return _Weakest(n, float(sigma[-1]), X, [name for name, share in weight.items() if share > TAKES_PART])


def _missed_by(m: Mechanism, q: np.ndarray, t: float, rows: list[int], n: np.ndarray, X: np.ndarray) -> float:
    """|½ c·H⁻¹c|, along the displacements X."""
    from dalembert.constraints.assembly.assemble import displaced  # what trees never need

    def slope(x: np.ndarray) -> np.ndarray:
        found: np.ndarray = n @ _rows(m, displaced(m, q, x, t), t)[rows] @ X
        return found

    c = slope(np.zeros(m.n_u))
    H = np.array([(slope(APART * x) - slope(-APART * x)) / (2.0 * APART) for x in X.T])
    return float(abs(0.5 * c @ least_squares(0.5 * (H + H.T), c, RANK)))


def _rows(m: Mechanism, q: np.ndarray, t: float) -> np.ndarray:
    B: np.ndarray = closure(m.state(m.admissible(q), np.zeros(m.n_u), t))[1]
    return B


def _where(m: Mechanism, named: list[str]) -> str:
    loops = {cut.name: "–".join(bodies) for cut, bodies in zip(m.cuts, m.loops)}
    described = [
        f'the loop {loops[name]} closed by "{name}"' if name in loops else f'constraint "{name}"' for name in named
    ]
    return listed(described)
