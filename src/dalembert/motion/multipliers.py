"""Rates of the speeds and multipliers at all samples of a motion: A u̇ + Bᵀλ = f, B u̇ = γ, solved in batches.

With A = L Lᵀ and rows scaled by the largest norm each has in the metric of A⁻¹, Y = L⁻¹Bᵀ = U Σ Vᵀ gives
Lᵀu̇ = (1 − UUᵀ) L⁻¹f + U Σ⁻¹Vᵀγ and the shortest λ = V Σ⁻¹ (UᵀL⁻¹f − Σ⁻¹Vᵀγ), all rows taken, dependent ones too.
What λ leaves open are the directions outside V.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.constraints.massless import carried, mass_factor
from dalembert.formulations.equations import Equations
from dalembert.formulations.tree import kane
from dalembert.kinematics.constraint_rows import alive, closure, row_scales
from dalembert.mechanism.connected import largest_in
from dalembert.motion.samples import FEW, Samples, evaluator, one_by_one
from dalembert.pivoting import RANK_TOLERANCE

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


SPREAD = 100
"""Samples at which the rows' norms are measured."""
SAMPLED = 25
"""Samples of full rank that decide what the multipliers leave open."""
LARGEST_BATCH = 4_000_000
"""Numbers worked on at once."""


@dataclass(frozen=True, eq=False)
class Solved:
    """u̇ (K, n_u), λ (K, rows) and the rank of the rows (K,) at all samples; at some of full rank, what λ leaves open."""

    udot: np.ndarray
    lam: np.ndarray
    rank: np.ndarray
    sampled: np.ndarray
    """Numbers of those samples."""
    open: np.ndarray
    """(len(sampled), rows, rows): for each, the projector on the changes of scaled λ that change no motion."""
    scale: np.ndarray
    """λ = scaled λ / scale, row by row."""

    @property
    def momentary(self) -> int:
        """At how many samples rows are dependent that are not so elsewhere."""
        return int(np.sum(self.rank < self.rank.max(initial=0)))


def spread(count: int, most: int = SPREAD) -> np.ndarray:
    """At most so many numbers of samples, evenly over all."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).astype(int))


def solve(x: Samples) -> Solved:
    """See the module's text."""
    write = _writer(x)
    some = [_in_metric(write(part))[0] for part in _batches(x.at(spread(len(x))))]
    scale = np.max([np.linalg.norm(Y, axis=1).max(axis=0) for Y in some], axis=0)
    sizes = _sizes(x, len(scale))
    live = alive(x.mechanism, scale, sizes) & _say_something(x, len(scale))
    largest = largest_in(x.mechanism.row_parts, scale / sizes)
    scale = np.where(
        live, scale, sizes * np.where(largest > 0.0, largest, 1.0)
    )  # as if it were as large as the largest
    parts = [_solved(write(part), scale, live)[:3] for part in _batches(x)]
    udot, lam, rank = (np.concatenate([p[i] for p in parts]) for i in range(3))
    regular = np.flatnonzero(rank == rank.max(initial=0))
    sampled = regular[spread(len(regular), SAMPLED)]
    open_to = np.tile(np.eye(len(scale)), (len(sampled), 1, 1))
    Vt = np.concatenate([_solved(write(part), scale, live)[3] for part in _batches(x.at(sampled))])
    open_to[np.ix_(np.arange(len(sampled)), live, live)] -= Vt.transpose(0, 2, 1) @ Vt
    return Solved(udot, lam, rank, sampled, open_to, scale)


def _writer(x: Samples) -> Callable[[Samples], Equations]:
    """A, f, B and γ at all of some samples."""
    n = x.mechanism.n_u

    def formula(s: State, _: Any) -> Any:
        e = kane.equations(s)
        return np.concatenate([e.A.ravel(), e.f, e.B.ravel(), e.gamma])

    plain = len(x) <= FEW or x.mechanism.kernels.opaque is not None
    run = (lambda y, extra: one_by_one(y, formula, extra)) if plain else evaluator(x, formula, 0)

    def write(y: Samples) -> Equations:
        values = run(y, None)
        n_rows = (values.shape[1] - n * n - n) // (n + 1)
        A, f, B, gamma = np.split(values, np.cumsum([n * n, n, n_rows * n]), axis=1)
        A, B = A.reshape(len(y), n, n), B.reshape(len(y), n_rows, n)
        A, f = carried(x.mechanism, A, f + y.forces, B, gamma)
        return Equations(A, f, B, gamma)

    return write


def _in_metric(e: Equations) -> tuple[np.ndarray, ...]:
    """Y = L⁻¹Bᵀ, L⁻¹f and L."""
    L = mass_factor(e.A)
    return np.linalg.solve(L, e.B.transpose(0, 2, 1)), np.linalg.solve(L, e.f[..., None])[..., 0], L


def _sizes(x: Samples, n_rows: int) -> np.ndarray:
    """The rows' scales, as the first sample shows them."""
    if not len(x):
        return np.ones(n_rows)
    m = x.model().numeric
    return row_scales(m.state(x.q[0], x.u[0], x.t[0]))


def _say_something(x: Samples, n_rows: int) -> np.ndarray:
    """Which rows are more than the rounding of their terms at some samples: where all are no more, none is large beside the others."""
    m, some = x.model().numeric, x.at(spread(len(x), FEW))
    rows = [closure(m.state(q, u, t))[1].any(axis=1) for t, q, u in zip(some.t, some.q, some.u)]
    return np.any([np.zeros(n_rows, dtype=bool), *rows], axis=0)


def _solved(e: Equations, scale: np.ndarray, live: np.ndarray) -> tuple[np.ndarray, ...]:
    """u̇, λ, rank and Vᵀ, the combinations of scaled λ, of rows that say something, that are determined."""
    Y, h, L = _in_metric(replace(e, B=(e.B / scale[:, None])[:, live]))
    U, sigma, Vt = np.linalg.svd(Y, full_matrices=False)
    kept = sigma > RANK_TOLERANCE * sigma.max(axis=1, initial=0.0, keepdims=True)
    inverse = np.where(kept, 1.0, 0.0) / np.where(kept, sigma, 1.0)
    Vt = Vt * kept[..., None]
    along = np.einsum("kij,ki->kj", U, h) * kept
    wanted = inverse * np.einsum("kij,kj->ki", Vt, (e.gamma / scale)[:, live])
    lam = np.zeros_like(e.gamma)
    lam[:, live] = np.einsum("kij,ki->kj", Vt, inverse * (along - wanted)) / scale[live]
    w = h + np.einsum("kij,kj->ki", U, wanted - along)
    udot = np.linalg.solve(L.transpose(0, 2, 1), w[..., None])[..., 0]
    return udot, lam, kept.sum(axis=1), Vt


def _batches(x: Samples) -> Iterator[Samples]:
    n = x.mechanism.n_u
    n_rows = len(x.mechanism.rows)
    size = max(1, LARGEST_BATCH // max(1, (n + n_rows) ** 2))
    for start in range(0, max(len(x), 1), size):
        yield x.at(slice(start, start + size))
