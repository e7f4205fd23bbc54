"""A, f, B and γ of a mechanism with loops at many states at once, and by how much each state and acceleration breaks the loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import StateError
from dalembert.formulations.tree import kane
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.mechanism import Mechanism
from dalembert.motion.samples import FEW, Samples, evaluator, one_by_one

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


LARGEST_BATCH = 4_000_000
"""Numbers worked on at once."""


@dataclass(frozen=True, eq=False)
class Written:
    """At K states: A (K, n, n), the forces `needed` = A u̇ − f (K, n), B (K, rows, n), and what is left open of g, B u − b, B u̇ − γ."""

    A: np.ndarray
    needed: np.ndarray
    B: np.ndarray
    gap: np.ndarray
    slip: np.ndarray
    strain: np.ndarray


def samples(m: Mechanism, q: Any, u: Any, t: Any, parameters: Any) -> Samples:
    """One state (n,) or many (K, n), as samples; time and parameters hold for all, time may also be one for each."""
    q, u = np.atleast_2d(np.asarray(q, dtype=float)), np.atleast_2d(np.asarray(u, dtype=float))
    count = max(len(q), len(u), np.size(t))
    for rows, names, what in ((q, m.coordinates, "coordinates q"), (u, m.speeds, "speeds u")):
        if rows.ndim != 2 or rows.shape[1] != len(names) or len(rows) not in (1, count):
            raise StateError(
                f'mechanism "{m.name}" has {len(names)} {what}: give ({len(names)},) or (K, {len(names)}) numbers, not {rows.shape}'
            )
    q, u = (np.ascontiguousarray(np.broadcast_to(x, (count, x.shape[1]))) for x in (q, u))
    times = np.ascontiguousarray(np.broadcast_to(np.asarray(t, dtype=float), count))
    values = {**m.parameters, **(parameters or {})}
    return Samples(m, times, q, u, np.zeros((count, m.n_u)), values)


def written(x: Samples, udot: np.ndarray) -> Iterator[Written]:
    """In batches, in order."""
    m, n = x.mechanism, x.mechanism.n_u
    rows = len(m.rows)
    size = max(1, LARGEST_BATCH // max(1, (n + rows) ** 2))
    parts = [slice(start, start + size) for start in range(0, len(x), size)]

    def formula(s: State, rate: Any) -> Any:
        e, closed = kane.equations(s), constraint_rows(s)
        slip, strain = closed.B @ s.speeds - closed.b, closed.B @ rate - closed.gamma
        return np.concatenate([e.A.ravel(), e.A @ rate - e.f, e.B.ravel(), closed.g, slip, strain])

    plain = len(x) <= FEW or m.kernels.opaque is not None
    run = (lambda y, extra: one_by_one(y, formula, extra)) if plain else evaluator(x, formula, n)
    for part in parts:
        values = run(x.at(part), udot[part])
        A, needed, B, *left = np.split(values, np.cumsum([n * n, n, rows * n, rows, rows]), axis=1)
        yield Written(A.reshape(-1, n, n), needed, B.reshape(-1, rows, n), *left)
