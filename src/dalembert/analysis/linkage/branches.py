"""All assembly modes, the poses in which the loops close while the freedoms stand still. Damped Gauss–Newton from many
starts, all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.equations_batch import samples
from dalembert.analysis.linkage.assembly_modes import OFTEN, Branches
from dalembert.constraints.assembly.assemble import (
    DAMPING_GROWS,
    DAMPING_SHRINKS,
    ENOUGH,
    FIRST_DAMPING,
    LARGEST_DAMPING,
    LARGEST_STEP,
    MOST_STEPS,
    NO_DAMPING,
    NO_DIRECTION,
    assemble,
    close,
    displaced,
    places,
    starts_from,
    turned_over,
)
from dalembert.kinematics.constraint_rows import closure, constraint_rows, row_scales
from dalembert.kinematics.initial import initial_state, named_coordinates
from dalembert.mechanism import Mechanism
from dalembert.motion.samples import evaluator, one_by_one
from dalembert.pivoting import rank_of

if TYPE_CHECKING:
    from dalembert.aliases import JointValues
    from dalembert.kinematics.state import State


ROUNDS = (120, 120, 240, 480, 960)
"""Starts, as many more as it takes until each way has been found several times."""
MOST_MODES = 200
"""Number of assembly modes beyond which there is no counting: something moves that is not fixed."""
LEADS = 0.2
"""Part of the most mobile speed's motion from which on a speed can stand for a freedom."""
STALLED = 1e-4
"""Part of the squared residual by which a step must lessen it: two that do not end an attempt."""
SAME = 1e-6
"""Distance of all bodies, in lengths of the mechanism, rad and slight deformations, below which two poses are one."""
LARGEST_COMPILED = 40
"""Bodies up to which residuals are worth compiling."""
MOVES = 1e-7
"""Singular value of the rows, scaled to one, below which a direction is free to move."""
ASIDE = 0.1
"""Step, in rad and lengths, by which a pose that may be singular is left to see how it moves beside it."""


def branches(m: Mechanism, initial: JointValues | None, t: float) -> Branches:
    """See `Mechanism.branches`."""
    start, _ = initial_state(m, initial, None, t)
    if not m.constraint_rows or not m.n_u:
        return Branches([assemble(m, start, (), t) if m.constraint_rows else start])
    fixed = named_coordinates(m, initial)
    first = assemble(m, start, fixed, t)
    fixed = sorted({*fixed, *leading(m, first, fixed, t)})
    modes = _AssemblyModes(m, t)
    begin, tried = start, 0
    for seed, count in enumerate(ROUNDS):
        poses = _all_closed(m, begin, fixed, t, count, seed)
        if not len(poses) and begin is start:  # the freedoms cannot be exactly where the start has them
            begin = first
            poses = _all_closed(m, begin, fixed, t, count, seed)
        tried += count
        for q in poses:
            modes.count(q)
        if min(modes.found, default=0) >= OFTEN or len(modes.found) > MOST_MODES:
            break
    here = places(m, start, t)
    order = sorted(range(len(modes.poses)), key=lambda k: float(np.abs(modes.places[k] - here).sum()))
    return Branches([modes.poses[k] for k in order], [modes.found[k] for k in order], tried)


class _AssemblyModes:
    """Poses that differ, and how often each was found."""

    def __init__(self, m: Mechanism, t: float):
        self.m, self.t = m, t
        self.poses: list[np.ndarray] = []
        self.places: list[np.ndarray] = []
        self.found: list[int] = []

    def count(self, q: np.ndarray) -> None:
        """One more closed pose."""
        m, there = self.m, places(self.m, q, self.t)
        for k, other in enumerate(self.places):
            if np.abs(there - other).max() <= SAME:
                self.found[k] += 1
                return
        if not turned_over(m, q, self.t):
            self.poses.append(q)
            self.places.append(there)
            self.found.append(1)


def _all_closed(m: Mechanism, start: np.ndarray, fixed: Sequence[int], t: float, count: int, seed: int) -> np.ndarray:
    """Closed poses with the `fixed` speeds' coordinates as at the start, the nearest of those that differ by whole turns first."""
    found = _closed(m, np.array([*starts_from(m, start, fixed, count, seed)]), fixed, t)
    return found[np.argsort(np.linalg.norm(found - start, axis=1), kind="stable")]


def leading(m: Mechanism, q: np.ndarray, fixed: Sequence[int], t: float) -> list[int]:
    """The first speeds, from the ground outward, that with the `fixed` ones decide how everything moves."""
    Z = _motions(m, q, fixed, t)
    if Z.shape[1]:  # a singular pose seems to move in more ways than it can
        step = Z @ np.random.default_rng(0).normal(size=Z.shape[1])
        beside = close(m, displaced(m, q, ASIDE * m.scales.speeds * step / np.abs(step).max(), t), fixed, t)
        other = _motions(m, beside.q, fixed, t) if beside.closed else Z
        Z = other if other.shape[1] < Z.shape[1] else Z
    chosen = []
    for _ in range(Z.shape[1]):
        sizes = np.linalg.norm(Z, axis=1)
        chosen.append(int(np.argmax(sizes > LEADS * sizes.max())))
        along = Z[chosen[-1]] / sizes[chosen[-1]]
        Z = Z - np.outer(Z @ along, along)
    return chosen


def _motions(m: Mechanism, q: np.ndarray, fixed: Sequence[int], t: float) -> np.ndarray:
    """Z (n_u × freedoms): what moves while loops stay closed and the `fixed` speeds are zero, in large steps."""
    _, B = closure(m.state(q, np.zeros(m.n_u), t))
    rows = np.vstack([(B * m.scales.speeds)[m.rows.holonomic], np.eye(m.n_u)[list(fixed)]])
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    _, sigma, Vt = np.linalg.svd(rows / np.where(norms > 0.0, norms, 1.0))
    Z: np.ndarray = Vt[rank_of(sigma, MOVES) :].T
    return Z


def _closed(m: Mechanism, q: np.ndarray, fixed: Sequence[int], t: float) -> np.ndarray:
    """The rows of q from which the loops could be closed, closed."""
    free = [i for i in range(m.n_u) if i not in set(fixed)]
    residual = _Residual(m, q, t)
    steps, sizes, tolerance = m.scales.speeds, m.scales.sizes[m.n_q :], m.scales.closed
    g, B = residual(q)
    damping, idle = np.zeros(len(q)), np.zeros(len(q), dtype=int)
    going = np.isfinite(g).all(axis=1)
    for _ in range(MOST_STEPS if free else 0):
        going &= (np.abs(g).max(axis=1, initial=0.0) > ENOUGH * tolerance) & (idle < 2) & (damping <= LARGEST_DAMPING)
        at = np.flatnonzero(going)
        if not len(at):
            break
        step = np.zeros((len(at), m.n_u))
        step[:, free] = steps[free] * _damped(B[at][:, :, free] * steps[free], g[at], damping[at])
        longest = np.abs(step / sizes).max(axis=1, initial=1e-300, keepdims=True)
        q_new = residual.displaced(q[at], step * np.minimum(1.0, LARGEST_STEP / longest))
        g_new, B_new = residual(q_new)
        before, after = (g[at] ** 2).sum(axis=1), (g_new**2).sum(axis=1)
        better = after < before
        taken, refused = at[better], at[~better]
        q[taken], g[taken], B[taken] = q_new[better], g_new[better], B_new[better]
        idle[taken] = np.where(before[better] - after[better] < STALLED * before[better], idle[taken] + 1, 0)
        damping[taken] = np.where(damping[taken] > NO_DAMPING, DAMPING_SHRINKS * damping[taken], 0.0)
        damping[refused] = np.maximum(DAMPING_GROWS * damping[refused], FIRST_DAMPING)
    found: np.ndarray = q[np.isfinite(g).all(axis=1) & (np.abs(g).max(axis=1, initial=0.0) <= tolerance)]
    return found


class _Residual:
    """g and B of the holonomic rows, by their scales at the first pose, at many poses at once; compiled where the mechanism is not too
    large for that."""

    def __init__(self, m: Mechanism, q: np.ndarray, t: float):
        self.m, self.t = m, t
        self.holonomic = m.rows.holonomic
        self.size = row_scales(m.state(q[0], np.zeros(m.n_u), t))[self.holonomic]
        if m.n_bodies <= LARGEST_COMPILED:
            self.run = evaluator(self._samples(q), self._formula, 0)
        else:
            self.run = lambda x, _: one_by_one(x, self._formula, None)

    def _samples(self, q: np.ndarray) -> Any:
        return samples(self.m, q, np.zeros(self.m.n_u), self.t, None)

    def _formula(self, s: State, _: Any) -> Any:
        rows = constraint_rows(s)
        return np.concatenate([rows.g[self.holonomic], rows.B[self.holonomic].ravel()])

    def __call__(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = sum(self.holonomic)
        values = self.run(self._samples(q), None)
        return values[:, :n] / self.size, values[:, n:].reshape(len(q), n, self.m.n_u) / self.size[:, None]

    def displaced(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Moved along the speeds' directions."""
        m, rates = self.m, self.m.kernels.rates
        moved = q + rates(q, step, None, self.t) - rates(q, np.zeros_like(step), None, self.t)
        return moved if m.n_q == m.n_u else np.array([m.admissible(row) for row in moved])


def _damped(B: np.ndarray, g: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """Least squares in every one of a stack, damped."""
    U, sigma, Vt = np.linalg.svd(B, full_matrices=False)
    keep = sigma > NO_DIRECTION * sigma.max(axis=1, initial=0.0, keepdims=True)
    gain = np.where(keep, sigma / np.where(keep, sigma**2 + damping[:, None], 1.0), 0.0)
    step: np.ndarray = -np.einsum("kij,ki->kj", Vt, gain * np.einsum("kij,ki->kj", U, g))
    return step
