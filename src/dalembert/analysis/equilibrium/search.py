"""Finding equilibria: Newton's method on forces and gaps where it makes a small step, and settling where it does not.

Newton solves K η + Bᵀδλ = −r, B η = −g, and finds unstable equilibria as well as stable ones. Far away the mechanism settles as it
would in a viscous bath, by descent steps among displacements that keep the loops closed, and having settled it stays only where it is
stable. Loops that are far from closed are drawn together by elastic bands k g, ever stiffer, while it settles.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import TypeVar

import numpy as np

from dalembert.analysis.equilibrium.descent import Descent, Drag
from dalembert.analysis.equilibrium.search_equations import (
    BALANCED,
    SearchEquations,
    SearchResult,
    SearchStart,
    SearchState,
    solved,
)
from dalembert.analysis.equilibrium.static_residual import NotFinite, StaticResidual
from dalembert.analysis.equilibrium.steady_speeds import SteadySpeeds
from dalembert.analysis.linear.can_rest import stands
from dalembert.constraints.assembly.assemble import ROUNDED, close

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
MOST_STEPS = 200
AWAY = tuple(1.2345 * 10.0**k for k in range(-1, 7))
"""Large steps to either side at which it is tested whether a force is the same everywhere."""
MOMENT, LASTS = 1e-3, 1e-4
"""Seconds after which an equilibrium is examined again where time moves something; by what it may then change in a second."""
PUSHES = 6
"""How often it is pushed off an unstable equilibrium it has settled into."""
FIRST, STIFFER, STIFFEST = 1.0, 100.0, 1e6
"""Strength of bands beside the mechanism's own forces."""
SETTLED, CLOSE = 2e-2, 1e-3
"""Step after which bands are made stiffer; gap, by its row's scale, at which they have done their part."""
GAINED, LITTLE_LEFT = 0.7, 1e-10
"""Part of what was left over above which Newton's step has gained too little, unless no more than this is left."""
NO_FORCE = 1e-13
"""Part of the mechanism's forces below which nothing is left to settle."""
LEAST_MU, MU_SHRINKS, MU_GROWS, MOST_TRIALS = 1e-3, 0.1, 4.0, 40
"""Damping of a descent step: the least beside the steepest slope, what it begins the next with, how it grows; and how often."""
UPHILL = 0.5
"""Part of the slope, uphill, that a descent step may end at."""
PUSH = 0.1
"""How far it is pushed off an unstable equilibrium, in rad or sizes of the mechanism."""


class Search(SearchEquations):
    """Search for an equilibrium from one start after the other."""

    def lasts(self, a: SearchResult) -> bool:
        """Whether what time prescribes leaves the equilibrium as it is: a moment later it is still one."""
        if stands(self.m):
            return True
        later = copy(self)
        later.t = self.t + MOMENT
        later.statics = self.statics.at_time(later.t)
        later.steady = SteadySpeeds(later.statics, self.moving, self.find)
        q = self.m.admissible(a.q + MOMENT * self.m.state(a.q, a.u, self.t).rates) if np.any(a.u) else a.q
        try:
            place = later.at(q, np.array(a.u))
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
                self.displaced(start.q, sign * x * steps * (np.arange(len(steps)) == i))
                for x in AWAY
                for sign in (1, -1)
            ]
            there = self.statics.forces(np.array(away))[:, i]
            if (np.abs(there - b.r[i]) <= BALANCED * abs(b.r[i])).all():
                return int(i)
        return None

    # -- rows that depend on each other ---------------------------------------------------------------------------------
    def _begun(self, start: SearchStart) -> SearchState:
        """The first place, its loops drawn together if they are open; and whether rows depend on each other there."""
        self.redundant = False
        here = (self._drawn_together(start) if start.open else None) or self.at(start.q, start.u)
        attempt = close(self.m, here.q, self.fixed, self.t) if len(here.b.B) else None
        if attempt is None or not attempt.closed:
            return here
        self.redundant = bool(self.spare(self.at(attempt.q, here.u).b, attempt.q).any())
        return self.at(attempt.q, here.u) if self.redundant else here

    def _exact(self, at: SearchState) -> bool:
        """Balanced to rounding."""
        left = np.abs(at.b.r * self.steps)[self.rows].max(initial=0.0)
        return bool(left <= ROUNDING * self.scale(at) and self.off(at.b, at.q) <= ROUNDING)

    def _newton(self, at: SearchState) -> tuple[SearchState, float] | None:
        """A step of Newton's method and its size; None where it is too long or does not help."""
        eta, du, dlam = self.newton_step(at.q, at.u, at.b)
        step = self.size(eta)
        if step > NEAR:
            return None
        q: np.ndarray | None = self.displaced(at.q, eta)
        q = self.closed(q) if self.redundant and q is not None else q
        if q is None or not self.defined(q):
            return None
        u = self.steady.consistent(q, at.u + du)
        new = SearchState(q, u, at.lam + dlam, self.residual(q, u, at.lam + dlam))
        before, after = (self.left(x) for x in (at, new))
        least = (
            LITTLE_LEFT if step > CONVERGED else BALANCED
        )  # where nothing resists, the shortest step is none, and no force changes
        if not np.isfinite(after) or (after > GAINED * before and after > least):
            return None
        sped = float(np.abs(du / self.steps).max(initial=0.0)) / max(
            1.0, float(np.abs(u / self.steps).max(initial=0.0))
        )
        return new, max(step, sped)

    # -- settling -------------------------------------------------------------------------------------------------------

    def _settle(self, at: SearchState, mu: float) -> tuple[SearchState, float, float] | None:
        """A descent step that keeps the loops closed, its size and its μ; None where there is none left to make."""
        Z = self.closing(at.b)
        if not Z.shape[1] or not np.linalg.norm(Z.T @ at.b.r[self.free]) > NO_FORCE * self.scale(at):
            return None

        def arrive(eta: np.ndarray) -> SearchState | None:
            q = self.closed(self.displaced(at.q, eta))
            return None if q is None else self.at(q, at.u)

        drag = self.drag(at)
        return self._descend(self.descent(at, Z, drag), Z, drag, at.b, mu, REACH, lambda eta: _tried(arrive, eta))

    def _descend(
        self, slope: Descent, Z: np.ndarray, drag: Drag, b: StaticResidual, mu: float, reach: float,
        arrive: Callable[[np.ndarray], SearchState | None],
    ) -> tuple[SearchState, float, float] | None:  # fmt: skip
        """The longest step that is allowed and leads to where it does not go up steeply again: where to, its size, and its μ."""
        least = LEAST_MU * slope.first / (reach * drag.unit)
        mu = 0.0 if slope.definite and MU_SHRINKS * mu < least else max(MU_SHRINKS * mu, least)
        for _ in range(MOST_TRIALS):
            eta = np.zeros(self.m.n_u)
            eta[self.free] = Z @ slope.step(mu)
            size = drag.size(eta)
            if size <= reach:
                new = arrive(eta)
                if new is not None and eta @ new.b.r <= UPHILL * abs(eta @ b.r):
                    return new, size, mu
            mu = max(MU_GROWS * mu, least)
        return None

    def _pushed(self, at: SearchState) -> SearchState | None:
        """Off an equilibrium at rest that is not stable; None where it is, or where nothing says so."""
        if np.any(at.u):
            return None
        Z, drag = self.closing(at.b), self.drag(at)
        away = self.descent(at, Z, drag).away if Z.shape[1] else None
        if away is None:
            return None
        eta = np.zeros(self.m.n_u)
        eta[self.free] = Z @ away
        q = self.closed(self.displaced(at.q, eta * (PUSH / drag.size(eta))))
        return None if q is None else self.at(q, at.u)

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
            if self.off(here.b, here.q) <= CLOSE or k >= STIFFEST * first:
                return SearchState(here.q, u, here.lam, self.statics.at(here.q, u, here.lam))
            k *= STIFFER
            here = self._banded(here.q, u, k)
        return None

    def _first_bands(self, q: np.ndarray, u: np.ndarray) -> float:
        """As strong as the mechanism's own forces."""
        b = self.statics.at(q, u, np.zeros(len(self.statics.multipliers)))
        own = max(np.abs(b.r * self.steps).max(initial=0.0), (np.diag(b.A) * self.steps**2).max(initial=0.0))
        B = b.B * self.steps / self.row_scales(q)[:, None]
        return float(own / max(np.abs(B).max() * self.off(b, q), 1e-300))

    def _banded(self, q: np.ndarray, u: np.ndarray, k: float) -> SearchState:
        """Each band measured by its row's scale."""
        bands = k / self.row_scales(q) ** 2
        lam = bands * self.statics.gaps(q)
        b = self.statics.at(q, u, lam)
        return SearchState(q, u, lam, replace(b, R_q=b.R_q + (b.B.T * (bands * self.statics.holonomic)) @ b.B))

    def _descend_banded(self, at: SearchState, k: float, mu: float) -> tuple[SearchState, float, float] | None:
        Z, drag = np.eye(len(self.free)), self.drag(at)

        def arrive(eta: np.ndarray) -> SearchState | None:
            q = self.displaced(at.q, eta)
            return self._banded(q, at.u, k) if self.defined(q) else None

        return self._descend(self.descent(at, Z, drag), Z, drag, at.b, mu, REACH_OPEN, lambda eta: _tried(arrive, eta))

    def _attempt(self, at: SearchState) -> SearchResult:
        left, tau = np.array(at.b.r), np.zeros(self.m.n_u)
        left[self.moving], tau[self.moving] = 0.0, at.b.r[self.moving]
        gap = float(np.abs(self.statics.gaps(at.q) / self.row_scales(at.q)).max(initial=0.0)) if len(at.b.B) else 0.0
        change = at.b.R_q @ at.u
        passing = change - at.b.B.T @ solved(at.b.B.T, change) if len(at.b.B) else change
        return SearchResult(
            at.q,
            at.u,
            at.lam,
            left,
            tau,
            gap,
            self.scale(at),
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
