"""Independent speeds: m of the speeds solved for from the constraints, the rest kept [C 55–57].

B w = b is split as B = (B_i, B_d) with an invertible B_d, so that w = T w_i + c and ẇ = T ẇ_i + d. The dependent speeds are chosen by
pivoting; rows that depend on others are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.formulations.elimination import solve_in_order
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

RANK_TOLERANCE = 1e-9
"""Pivots below this fraction of the largest count as zero."""
POOR = 1e-3
"""Where the usual B_d's smallest singular value falls below this fraction of its largest, others are chosen."""

RowsOf = Callable[[State], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""(B, b, γ) of B w = b and B ẇ = γ in a state."""


@dataclass(frozen=True, eq=False)
class Choice:
    """Rows kept and dependent speeds, paired in the order of their pivots; and the independent speeds."""

    rows: list[int]
    dependent: list[int]
    independent: list[int]

    def suits(self, B: np.ndarray) -> bool:
        """Whether it takes as many rows as there are, with a well conditioned B_d."""
        sizes = np.linalg.svd(B[np.ix_(self.rows, self.dependent)], compute_uv=False)
        well = not len(sizes) or sizes[-1] > POOR * sizes[0]
        return bool(well) and len(self.rows) == _rank(B)[0]


@dataclass(frozen=True, eq=False)
class Reduction:
    """w = T w_i + c, ẇ = T ẇ_i + d."""

    choice: Choice
    T: np.ndarray
    c: np.ndarray
    d: np.ndarray


def choose(B: np.ndarray) -> Choice:
    """By pivoted QR, rows first, then columns; then elimination with complete pivoting pairs them."""
    from scipy.linalg import qr  # writing equations of trees needs NumPy alone

    B = _scaled(B)
    rank, order = _rank(B)
    rows = np.sort(order[:rank])
    columns = qr(B[rows], mode="r", pivoting=True)[1] if rank else np.arange(B.shape[1])
    dependent = columns[:rank]
    left, pairs = B[np.ix_(rows, dependent)].copy(), []
    for _ in range(rank):
        i, j = np.unravel_index(np.argmax(np.abs(left)), left.shape)
        pairs.append((int(rows[i]), int(dependent[j])))
        left = left - np.outer(left[:, j], left[i]) / left[i, j]
        left[i], left[:, j] = 0.0, 0.0
    return Choice([i for i, _ in pairs], [j for _, j in pairs], sorted(int(j) for j in columns[rank:]))


def _scaled(B: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(B, axis=1)
    return B / np.where(norms > RANK_TOLERANCE * norms.max(initial=0.0), norms, 1.0)[:, None]


def _rank(B: np.ndarray) -> tuple[int, np.ndarray]:
    """The rank, and the rows in the order of their pivots."""
    if not B.size:
        return 0, np.arange(len(B))
    from scipy.linalg import qr

    _, R, order = qr(_scaled(B).T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    return int(np.sum(sizes > RANK_TOLERANCE * sizes.max())) if sizes.max() > 0.0 else 0, order


class Independent:
    """The independent speeds of mechanisms, whose constraints in these speeds are `rows_of` a state."""

    def __init__(self, rows_of: RowsOf):
        self._rows_of = rows_of
        self._usual: WeakKeyDictionary[Mechanism, Choice] = WeakKeyDictionary()

    def usual(self, m: Mechanism) -> Choice:
        """Chosen once, where the mechanism is assembled near its reference; of a few such places the one of highest rank."""
        if m not in self._usual:
            rng = np.random.default_rng(0)
            choices = []
            for _ in range(3 if m.constraint_rows else 1):
                q, _ = m.assemble(m.somewhere(rng, 0.3))
                choices.append(choose(self._rows_of(m.state(q))[0]))
            self._usual[m] = max(choices, key=lambda c: len(c.rows))
        return self._usual[m]

    def at(self, s: State) -> Reduction:
        """At a state: the usual choice, unless on numbers another is needed there."""
        B, b, gamma = self._rows_of(s)
        choice = self.usual(s.mechanism)
        if not s.traced and not choice.suits(B):
            choice = choose(B)
        return reduced(B, b, gamma, choice)


def reduced(B: np.ndarray, b: np.ndarray, gamma: np.ndarray, choice: Choice) -> Reduction:
    n, rows, dependent, independent = B.shape[1], choice.rows, choice.dependent, choice.independent
    kind: Any = object if object in (B.dtype, b.dtype, gamma.dtype) else float
    T, c, d = np.zeros((n, len(independent)), dtype=kind), np.zeros(n, dtype=kind), np.zeros(n, dtype=kind)
    T[independent] = np.eye(len(independent))
    if rows:
        right = np.column_stack([-B[np.ix_(rows, independent)], b[rows], gamma[rows]])
        solved = solve_in_order(B[np.ix_(rows, dependent)], right)
        T[dependent], c[dependent], d[dependent] = solved[:, :-2], solved[:, -2], solved[:, -1]
    return Reduction(choice, T, c, d)
