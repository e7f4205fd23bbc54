"""Finding equilibria: Newton's method on forces and gaps where it makes a small step, and settling where it does not.

Newton solves K η + Bᵀδλ = −r, B η = −g, and finds unstable equilibria as well as stable ones. Far away the mechanism settles as it
would in a viscous bath, by descent steps among displacements that keep the loops closed, and having settled it stays only where it is
stable. Loops that are far from closed are drawn together by elastic bands k g, ever stiffer, while it settles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy.linalg import lapack, lstsq, qr

from dalembert.analysis.equilibrium.descent import Descent, Drag, MovedBodies
from dalembert.analysis.equilibrium.static_residual import NotFinite, StaticEquations, StaticResidual
from dalembert.analysis.equilibrium.steady_speeds import SteadySpeeds
from dalembert.analysis.linear.can_rest import stands
from dalembert.constraints.assembly.assemble import DEPENDENT, ROUNDED, close, displaced
from dalembert.constraints.rest import STILL, own_rates
from dalembert.kinematics.constraint_rows import row_scales
from dalembert.kinematics.initial import named_speeds
from dalembert.mechanism import Mechanism
from dalembert.pivoting import RANK_TOLERANCE

X = TypeVar("X")
R = TypeVar("R")

REACH, REACH_OPEN = 0.5, 2.0
"""Longest step while settling: how far, in rad or sizes of the mechanism, a body turns or a joint slides; and with loops still open."""
NEAR = 0.2
"""Longest step of Newton's method, in rad or sizes of the mechanism, that is tried."""
CONVERGED = 1e-11
"""Step after which none follows."""
ROUNDING = 1e-14
"""Part of the mechanism's forces, and of its size, that is not worth a further step."""
BALANCED = 1e-8
"""Part of the mechanism's forces that may be left over."""
MOST_STEPS = 200
AWAY = tuple(1.2345 * 10.0**k for k in range(-1, 7))
"""Large steps to either side at which it is looked whether a force is the same everywhere."""
MOMENT, LASTS = 1e-3, 1e-4
"""Seconds after which a balance is examined again where time moves something; by what it may then change in a second."""
PUSHES = 6
"""How often it is pushed off an unstable balance it has settled into."""
FIRST, STIFFER, STIFFEST = 1.0, 100.0, 1e6
"""Strength of bands beside the mechanism's own forces."""
SETTLED, CLOSE = 2e-2, 1e-3
"""Step after which bands are made stiffer; gap, by its row's scale, at which they have done their part."""
RANK = 1e-13
REGULAR = 1e-12
"""Reciprocal condition number above which a matrix is solved with as it is."""


@dataclass(frozen=True, eq=False)
class SearchStart:
    """Where a search begins; `open` if its loops are not closed."""

    q: np.ndarray
    u: np.ndarray
    open: bool = False


@dataclass(frozen=True, eq=False)
class SearchState:
    """A state on the way, with what is left over there."""

    q: np.ndarray
    u: np.ndarray
    lam: np.ndarray
    b: StaticResidual


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Where one start led."""

    q: np.ndarray
    u: np.ndarray
    lam: np.ndarray
    left: np.ndarray
    """Force left over on each speed, zero on those that are driven; nan where it is no number."""
    tau: np.ndarray
    gap: float
    scale: float
    passing: np.ndarray
    """What is left over on each speed a second later, the constraints' forces having followed: zero in steady motion."""
    steps: np.ndarray
    """Steps of the speeds, by which forces can be compared with each other and with the scale."""
    closed: float
    """Gap at which the loops count as closed."""
    took: int = 0
    """Steps that led there."""

    @property
    def worst(self) -> float:
        """The largest force left over; infinite where one is no number."""
        left = np.abs(self.left) * self.steps
        return float(left.max(initial=0.0)) if np.isfinite(left).all() else np.inf

    @property
    def balanced(self) -> bool:
        return np.isfinite(self.worst) and self.worst <= BALANCED * self.scale and self.gap <= self.closed


class Search:
    """Search for an equilibrium: given speeds stay, speeds to be found and all coordinates that are not fixed may change."""

    def __init__(self, m: Mechanism, speeds: Any, find: Any, hold: Sequence[str], t: float):
        self.m, self.t = m, t
        self.find = named_speeds(m, find or {})
        self.moving = sorted({*named_speeds(m, speeds or {}), *self.find})
        self.statics = StaticEquations(m, t, at_rest=not self.moving and stands(m))
        fixed = named_speeds(m, dict.fromkeys(hold, 0.0))
        self.free = [i for i in range(m.n_u) if i not in {*fixed, *self.moving}]
        self.rows = [i for i in range(m.n_u) if i not in self.moving]
        self.fixed = sorted({*fixed, *self.moving})
        self.steady = SteadySpeeds(self.statics, self.moving, self.find)
        self.steps = m.scales.speeds

    def with_values(self, values: Mapping[str, float]) -> Search:
        """The same search at other values of parameters."""
        if not values:
            return self
        other = copy(self)
        other.statics = self.statics.with_values(values)
        other.m = other.statics.m
        other.steady = SteadySpeeds(other.statics, other.moving, other.find)
        return other

    def lasts(self, a: SearchResult) -> bool:
        """Whether what time prescribes leaves the balance as it is: a moment later it is still one."""
        if stands(self.m):
            return True
        later = copy(self)
        later.t = self.t + MOMENT
        later.statics = self.statics.at_time(later.t)
        later.steady = SteadySpeeds(later.statics, self.moving, self.find)
        q = self.m.admissible(a.q + MOMENT * self.m.state(a.q, a.u, self.t).rates) if np.any(a.u) else a.q
        try:
            place = later._at(q, np.array(a.u))
        except NotFinite:
            return False
        change = np.abs((place.u - a.u) / self.steps).max(initial=0.0) / MOMENT
        left = np.abs(place.b.r * self.steps)[self.rows].max(initial=0.0) / MOMENT
        return bool(
            change <= LASTS * max(1.0, float(np.abs(a.u / self.steps).max(initial=0.0))) and left <= LASTS * a.scale
        )

    def run(self, start: SearchStart) -> SearchResult:
        """Search from one start."""
        try:
            here = self._begun(start)
        except NotFinite as problem:
            return self._nowhere(start, problem.speeds)
        mu, descending, pushes, took = 0.0, start.open, 0, 0
        while took < MOST_STEPS:
            took += 1
            # where the matrix is singular, as at a limit of stability, one more step would enlarge rounding
            moved = (here, 0.0) if self._exact(here) else _tried(self._newton, here)
            if moved is not None:
                here, step = moved
                if step <= CONVERGED:
                    pushed = _tried(self._pushed, here) if descending and pushes < PUSHES else None
                    if pushed is None:
                        break
                    here, pushes = pushed, pushes + 1
                continue
            settled = self._settle(here, mu)
            if settled is None:
                break
            here, size, mu = settled
            descending = True
            if size <= CONVERGED:  # up against a pose beyond which nothing is defined
                break
        return replace(self._attempt(here), took=took)

    def never_balanced(self, start: SearchStart) -> int | None:
        """A speed on which one and the same force acts wherever it goes, and that no constraint resists; None where there is none.

        Nothing near the start depends on its displacement, and the force is the same from a tenth to a million large steps away.
        """
        if self.moving or not self.m.n_u:
            return None
        try:
            b = self.statics.at(start.q, start.u, np.zeros(len(self.statics.multipliers)))
        except NotFinite:
            return None
        steps = self.steps
        work, force = np.abs(b.R_q) * np.outer(steps, steps), np.abs(b.r) * steps
        depends = np.maximum(work.max(axis=0, initial=0.0), work.max(axis=1, initial=0.0))
        resisted = np.abs(b.B).max(axis=0, initial=0.0)
        for i in np.flatnonzero((force > 0.0) & (depends <= ROUNDING * force) & (resisted == 0.0)):
            away = [
                self._displaced(start.q, sign * x * steps * (np.arange(len(steps)) == i))
                for x in AWAY
                for sign in (1, -1)
            ]
            there = self.statics.forces(np.array(away))[:, i]
            if (np.abs(there - b.r[i]) <= BALANCED * abs(b.r[i])).all():
                return int(i)
        return None

    def _at(self, q: np.ndarray, u: np.ndarray) -> SearchState:
        """A pose with the speeds that follow from it and the multipliers that balance it best, in least squares.

        Those of a motion from rest would do too, but a slack cable falls almost freely, and its stiffness is in its tension.
        """
        u = self.steady.consistent(q, u)
        b = self._balance(q, u, np.zeros(len(self.statics.multipliers)))
        if not len(b.B):
            return SearchState(q, u, np.zeros(0), b)
        lam = _solve(b.B[:, self.rows].T, -b.r[self.rows])
        return SearchState(q, u, lam, self._balance(q, u, lam))

    # -- rows that depend on each other ---------------------------------------------------------------------------------
    def _begun(self, start: SearchStart) -> SearchState:
        """The first place, its loops drawn together if they are open; and whether rows depend on each other there."""
        self.redundant = False
        here = (self._drawn_together(start) if start.open else None) or self._at(start.q, start.u)
        attempt = close(self.m, here.q, self.fixed, self.t) if len(here.b.B) else None
        if attempt is None or not attempt.closed:
            return here
        self.redundant = bool(self._spare(self._at(attempt.q, here.u).b, attempt.q).any())
        return self._at(attempt.q, here.u) if self.redundant else here

    def _balance(self, q: np.ndarray, u: np.ndarray, lam: np.ndarray) -> StaticResidual:
        """What is left over; of rows that depend on each other only those that say most take part, their loops closed as far as can be.

        In a pose not quite closed such rows differ a little, and forces without bound along the difference could balance anything.
        """
        b = self.statics.at(q, u, lam)
        if not self.redundant:
            return b
        spare = self._spare(b, q)
        return replace(b, B=np.where(spare[:, None], 0.0, b.B), g=np.zeros(len(b.g)))

    def _spare(self, b: StaticResidual, q: np.ndarray) -> np.ndarray:
        """Rows that say nothing beside the others, as far as can be seen with the loops as open as they are."""
        B = b.B * self.steps
        norms = np.linalg.norm(B, axis=1)
        alive = norms > RANK_TOLERANCE * self._row_scales(q)
        R, order = qr((B / np.where(alive, norms, np.inf)[:, None]).T, mode="r", pivoting=True)
        size = np.abs(np.diag(R))
        rank = int(np.sum(size > max(RANK_TOLERANCE, DEPENDENT * self._off(b, q)) * size.max(initial=0.0)))
        out = alive.copy()
        out[order[:rank]] = False
        return out

    def _off(self, b: StaticResidual, q: np.ndarray) -> float:
        return float(np.abs(b.g / self._row_scales(q)).max(initial=0.0)) if len(b.g) else 0.0

    def _row_scales(self, q: np.ndarray) -> np.ndarray:
        return row_scales(self.m.state(q, np.zeros(self.m.n_u), self.t))

    def _exact(self, at: SearchState) -> bool:
        """Balanced to rounding."""
        left = np.abs(at.b.r * self.steps)[self.rows].max(initial=0.0)
        return bool(left <= ROUNDING * self._scale(at) and self._off(at.b, at.q) <= ROUNDING)

    def _newton(self, at: SearchState) -> tuple[SearchState, float] | None:
        """A step of Newton's method and its size; None where it is too long or does not help."""
        eta, du, dlam = self._step(at.q, at.u, at.b)
        step = self._size(eta)
        if step > NEAR:
            return None
        q: np.ndarray | None = self._displaced(at.q, eta)
        q = self._closed(q) if self.redundant and q is not None else q
        if q is None or not self._defined(q):
            return None
        u = self.steady.consistent(q, at.u + du)
        new = SearchState(q, u, at.lam + dlam, self._balance(q, u, at.lam + dlam))
        before, after = (self._left(x) for x in (at, new))
        least = (
            1e-10 if step > CONVERGED else BALANCED
        )  # where nothing resists, the shortest step is none, and balances nothing
        if not np.isfinite(after) or (after > 0.7 * before and after > least):
            return None
        sped = float(np.abs(du / self.steps).max(initial=0.0)) / max(
            1.0, float(np.abs(u / self.steps).max(initial=0.0))
        )
        return new, max(step, sped)

    # -- settling -------------------------------------------------------------------------------------------------------
    def _closing(self, b: StaticResidual) -> np.ndarray:
        """Z: free displacements that keep the loops closed."""
        steps = self.steps[self.free]
        B = b.B[self.statics.holonomic][:, self.free] * steps
        if not len(B):
            return np.diag(steps)
        norms = np.linalg.norm(B, axis=1)
        Q, R, _ = qr((B / np.where(norms > 0.0, norms, 1.0)[:, None]).T, pivoting=True)
        size = np.abs(np.diag(R))
        return np.asarray(steps[:, None] * Q[:, int(np.sum(size > RANK_TOLERANCE * size.max(initial=0.0))) :])

    def _slope(self, at: SearchState, Z: np.ndarray, drag: Drag) -> Descent:
        b, free = at.b, np.ix_(self.free, self.free)
        return Descent(Z.T @ b.R_q[free] @ Z, Z.T @ drag.matrix[free] @ Z, Z.T @ b.r[self.free])

    @cached_property
    def _bodies(self) -> MovedBodies:
        return MovedBodies(self.m)

    def _drag(self, at: SearchState) -> Drag:
        return self._bodies.drag(self.statics.axes(at.q), np.diag(at.b.A))

    def _displaced(self, q: np.ndarray, eta: np.ndarray) -> np.ndarray:
        if self.m.kernels.straight:
            return displaced(self.m, q, eta, self.t)
        rates = self.m.kernels.rates(np.vstack([q, q]), np.vstack([eta, 0.0 * eta]), None, self.t)
        return self.m.admissible(q + rates[0] - rates[1])

    def _settle(self, at: SearchState, mu: float) -> tuple[SearchState, float, float] | None:
        """A descent step that keeps the loops closed, its size and its μ; None where there is none left to make."""
        Z = self._closing(at.b)
        if not Z.shape[1] or not np.linalg.norm(Z.T @ at.b.r[self.free]) > 1e-13 * self._scale(at):
            return None

        def arrive(eta: np.ndarray) -> SearchState | None:
            q = self._closed(self._displaced(at.q, eta))
            return None if q is None else self._at(q, at.u)

        drag = self._drag(at)
        return self._descend(self._slope(at, Z, drag), Z, drag, at.b, mu, REACH, lambda eta: _tried(arrive, eta))

    def _descend(
        self, slope: Descent, Z: np.ndarray, drag: Drag, b: StaticResidual, mu: float, reach: float,
        arrive: Callable[[np.ndarray], SearchState | None],
    ) -> tuple[SearchState, float, float] | None:  # fmt: skip
        """The longest step that is allowed and leads to where it does not go up steeply again: where to, its size, and its μ."""
        least = 1e-3 * slope.first / (reach * drag.unit)
        mu = 0.0 if slope.definite and 0.1 * mu < least else max(0.1 * mu, least)
        for _ in range(40):
            eta = np.zeros(self.m.n_u)
            eta[self.free] = Z @ slope.step(mu)
            size = drag.size(eta)
            if size <= reach:
                new = arrive(eta)
                if new is not None and eta @ new.b.r <= 0.5 * abs(eta @ b.r):
                    return new, size, mu
            mu = max(4.0 * mu, least)
        return None

    def _pushed(self, at: SearchState) -> SearchState | None:
        """Off a balance at rest that is not stable; None where it is, or where nothing says so."""
        if np.any(at.u):
            return None
        Z, drag = self._closing(at.b), self._drag(at)
        away = self._slope(at, Z, drag).away if Z.shape[1] else None
        if away is None:
            return None
        eta = np.zeros(self.m.n_u)
        eta[self.free] = Z @ away
        q = self._closed(self._displaced(at.q, eta * (0.1 / drag.size(eta))))
        return None if q is None else self._at(q, at.u)

    def _drawn_together(self, start: SearchStart) -> SearchState | None:
        """Settled with bands k g in place of the loops, stiffer and stiffer until they are nearly closed."""
        u = self.steady.consistent(start.q, start.u)
        k = first = self._first_bands(start.q, u)
        here, mu = self._banded(start.q, u, k), 0.0
        for _ in range(MOST_STEPS):
            found = self._descend_banded(here, k, mu)
            if found is None:
                return None
            here, step, mu = found
            if step > SETTLED:
                continue
            if self._off(here.b, here.q) <= CLOSE or k >= STIFFEST * first:
                return SearchState(here.q, u, here.lam, self.statics.at(here.q, u, here.lam))
            k *= STIFFER
            here = self._banded(here.q, u, k)
        return None

    def _first_bands(self, q: np.ndarray, u: np.ndarray) -> float:
        """As strong as the mechanism's own forces."""
        b = self.statics.at(q, u, np.zeros(len(self.statics.multipliers)))
        own = max(np.abs(b.r * self.steps).max(initial=0.0), (np.diag(b.A) * self.steps**2).max(initial=0.0))
        B = b.B * self.steps / self._row_scales(q)[:, None]
        return float(own / max(np.abs(B).max() * self._off(b, q), 1e-300))

    def _banded(self, q: np.ndarray, u: np.ndarray, k: float) -> SearchState:
        """Each band measured by its row's scale."""
        bands = k / self._row_scales(q) ** 2
        lam = bands * self.statics.gaps(q)
        b = self.statics.at(q, u, lam)
        return SearchState(q, u, lam, replace(b, R_q=b.R_q + (b.B.T * (bands * self.statics.holonomic)) @ b.B))

    def _descend_banded(self, at: SearchState, k: float, mu: float) -> tuple[SearchState, float, float] | None:
        Z, drag = np.eye(len(self.free)), self._drag(at)

        def arrive(eta: np.ndarray) -> SearchState | None:
            q = self._displaced(at.q, eta)
            return self._banded(q, at.u, k) if self._defined(q) else None

        return self._descend(self._slope(at, Z, drag), Z, drag, at.b, mu, REACH_OPEN, lambda eta: _tried(arrive, eta))

    def _closed(self, q: np.ndarray) -> np.ndarray | None:
        """The loops closed again after a step, by what is free; to rounding where rows depend on each other."""
        if self.redundant:
            attempt = close(self.m, q, self.fixed, self.t)
            return attempt.q if attempt.closed else None
        none = np.zeros(len(self.statics.multipliers))
        for _ in range(10 if len(none) else 0):
            size = self._row_scales(q)
            if np.abs(self.statics.gaps(q) / size).max() <= 1e-9:
                return q
            b = self.statics.at(q, np.zeros(self.m.n_u), none)
            if not (np.isfinite(b.g).all() and np.isfinite(b.B).all()):
                return None
            B = b.B * self.steps / size[:, None]
            eta = np.zeros(self.m.n_u)
            eta[self.free] = -self.steps[self.free] * np.linalg.lstsq(B[:, self.free], b.g / size, rcond=1e-9)[0]
            if self._size(eta) > 1.0:
                return None
            q = self._displaced(q, eta)
        return None if len(none) else q

    def _defined(self, q: np.ndarray) -> bool:
        """Whether every function in the constraints is inside its domain."""
        return bool(np.isfinite(self.statics.gaps(q)).all())

    def _size(self, eta: np.ndarray) -> float:
        return self.m.scales.of_step(eta)

    def _left(self, at: SearchState) -> float:
        """The acceleration that sets in where nothing but the given speeds is fixed, √(aᵀAa), by that of the forces; and the gaps."""
        b = at.b
        A, B = b.A[np.ix_(self.rows, self.rows)], b.B[:, self.rows]
        inertia = float((np.diag(b.A) * self.steps**2).max(initial=1e-300))
        steps, B = self.steps[self.rows], B * self.steps[self.rows] / self._row_scales(at.q)[:, None]
        kkt = np.block([[A * np.outer(steps, steps) / inertia, B.T], [B, np.zeros((len(B), len(B)))]])
        a = steps * _solve(kkt, np.concatenate([-b.r[self.rows] * steps / inertia, np.zeros(len(B))]))[: len(A)]
        return float(np.sqrt(max(a @ A @ a, 0.0) * inertia) / self._scale(at) + self._off(b, at.q))

    def _step(self, q: np.ndarray, u: np.ndarray, b: StaticResidual) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(η, δu of the speeds looked for, δλ).

        Displacements are taken by large steps, rows of forces by the largest work along these, and rows of constraints by their own
        scales: so that no unit makes some of them small beside others.
        """
        m, free, rows, find = self.m, self.free, self.rows, self.find
        B_h, g = b.B[self.statics.holonomic], b.g[self.statics.holonomic]
        K = b.R_q + b.R_u @ self.steady.along_displacements(q, u, b) if np.any(u) else b.R_q
        n, k, h = len(free), len(find), len(B_h)
        steps, sizes = self.steps, self._row_scales(q) if len(b.B) else np.zeros(0)
        work = float((np.abs(K) * np.outer(steps, steps)).max(initial=0.0)) or 1.0
        J = np.zeros((len(rows) + h, n + k + len(b.B)))
        J[: len(rows), :n] = K[np.ix_(rows, free)]
        J[: len(rows), n : n + k] = (b.R_u @ self.steady.along_speeds(b))[rows]
        J[: len(rows), n + k :] = b.B[:, rows].T
        J[len(rows) :, :n] = B_h[:, free]
        by_row = np.concatenate([steps[rows] / work, 1.0 / sizes[self.statics.holonomic]])
        by_column = np.concatenate([steps[free], np.ones(k), work / sizes])
        x = by_column * _solve(by_row[:, None] * J * by_column, -by_row * np.concatenate([b.r[rows], g]))
        eta, du = np.zeros(m.n_u), np.zeros(m.n_u)
        eta[free], du[find] = x[:n], x[n : n + k]
        return eta, du, x[n + k :]

    @cached_property
    def _own_rate(self) -> float:
        """Rate of the mechanism, as its forces set it in motion, in 1/s."""
        return float(own_rates(self.m).max(initial=0.0))

    def _scale(self, at: SearchState) -> float:
        """The size of the forces that balance, by the work they do along a large step."""
        steps = self.steps
        constraint_forces = (
            np.abs(self.statics.at(at.q, at.u, at.lam).B.T @ at.lam) if self.redundant else np.abs(at.b.B.T @ at.lam)
        )
        forces = [
            np.abs(at.b.R_q) * np.outer(steps, steps),
            constraint_forces * steps,
            STILL * self._own_rate**2 * np.abs(at.b.A) * np.outer(steps, steps),
        ]
        return max(1e-300, *(float(x.max(initial=0.0)) for x in forces))

    def _attempt(self, at: SearchState) -> SearchResult:
        left, tau = np.array(at.b.r), np.zeros(self.m.n_u)
        left[self.moving], tau[self.moving] = 0.0, at.b.r[self.moving]
        gap = float(np.abs(self.statics.gaps(at.q) / self._row_scales(at.q)).max(initial=0.0)) if len(at.b.B) else 0.0
        change = at.b.R_q @ at.u
        passing = change - at.b.B.T @ _solve(at.b.B.T, change) if len(at.b.B) else change
        return SearchResult(
            at.q,
            at.u,
            at.lam,
            left,
            tau,
            gap,
            self._scale(at),
            passing,
            self.steps,
            ROUNDED if self.redundant else BALANCED,
        )

    def _nowhere(self, start: SearchStart, undefined: np.ndarray) -> SearchResult:
        """Where forces are no numbers from the beginning."""
        left, none = np.where(undefined, np.nan, 0.0), np.zeros(self.m.n_u)
        return SearchResult(start.q, start.u, np.zeros(0), left, none, 0.0, 0.0, none, self.steps, BALANCED)


def _tried(step: Callable[[X], R | None], at: X) -> R | None:
    """What a step leads to; None where forces are no numbers there."""
    try:
        return step(at)
    except NotFinite:
        return None


def _solve(J: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution in columns of equal size; where it is not unique the shortest, so that cyclic coordinates stay put."""
    size = np.linalg.norm(J, axis=0)
    size = np.where(size > RANK * size.max(initial=1e-300), size, 1.0)
    scaled = J / size
    if len(J) == J.shape[1]:
        lu, pivots, info = lapack.dgetrf(scaled)
        if info == 0 and lapack.dgecon(lu, np.abs(scaled).sum(axis=0).max(initial=0.0))[0] > REGULAR:
            return np.asarray(lapack.dgetrs(lu, pivots, right)[0] / size)
    return np.asarray(lstsq(scaled, right, cond=RANK, lapack_driver="gelsy")[0] / size)
