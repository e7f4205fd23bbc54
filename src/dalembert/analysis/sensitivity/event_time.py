"""How the time of an event changes: δt = −δh / ḣ, h being the margin that came to zero there.

Of a gap h is the gap, of a slip that ends its speed; of what lifts, begins to slip or breaks it is the force that is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dalembert.analysis.sensitivity.law_variation import LawVariation
from dalembert.analysis.sensitivity.mode_forces import ModeForces, frozen_at, smooth_at, vary_forces
from dalembert.cached import cached_property
from dalembert.kinematics.law_mode import LawMode
from dalembert.simulation.event_driven.recorded_run import RecordedRun, Side

GRAZED = 1e-14
"""Height, by the scale of a gap, through which a free motion passes at the speed of a touch that is taken for none: grazing."""


class Margin(NamedTuple):
    """A margin at its event: its change along directions at a fixed time, its rate, and whether it is only grazed."""

    change: np.ndarray
    rate: float
    grazes: bool = False


class StateSensitivity:
    """A state in a mode, with how everything in it changes along columns X = (δq, δu, δz) and δp at a fixed time, and along the motion
    itself, which is the last column of all that is found here."""

    def __init__(self, run: RecordedRun, variation: LawVariation, side: Side, t: float, X: np.ndarray, dP: np.ndarray):
        self.run, self.variation, self.side, self.t = run, variation, side, t
        m = self.m = run.model
        run.put(side)
        self.n_q, self.n_u = m.n_q, m.n_u
        self.n = m.n_q + m.n_u + m.n_z
        self.q, self.u = side.y[: m.n_q].copy(), side.y[m.n_q : m.n_q + m.n_u].copy()
        self.p = run.parameters_at(side.y)
        self.k = run.kinetics(t, side.y)
        self.mode = LawMode(run.program.rhs.mode, run.program.table, side.mode)
        self.smooth = smooth_at(run, side, t)
        self.rates = self.smooth.dy[: self.n]
        flow = np.zeros((len(m.parameters), 1))
        self.D = self.directions(
            np.concatenate([np.zeros(X.shape[1]), [1.0]]), np.column_stack([X, self.rates]), np.hstack([dP, flow])
        )

    def directions(self, dt: np.ndarray, X: np.ndarray, dP: np.ndarray) -> np.ndarray:
        """(δt, δq, δu, δp), with δz where parameters stand."""
        n, at = self.n_q + self.n_u, self.m.states_at
        dp = dP.copy()
        dp[at : at + self.m.n_z] = X[n:]
        return np.vstack([dt, X[:n], dp])

    @cached_property
    def changes(self) -> dict[str, np.ndarray]:
        """Along all directions, with accelerations, forces and loads frozen."""
        frozen = frozen_at(self.mode, self.smooth, self.u, self.n_q)
        return self.variation.along(self.t, self.q, self.u, self.p, self.D, frozen)

    @cached_property
    def forces(self) -> ModeForces:
        return vary_forces(self.k, self.mode, self.smooth, self.changes)

    def margin(self, i: int, reason: str) -> Margin | None:
        """The margin of element i by which a mode ended; None where it has none of its own, or needs none."""
        k, e = self.k, self.k.elements[i]
        if reason == "gap" and e.normal is not None and e.has_gap:
            speed = float(k.v[e.normal])
            pull = float(k.J[e.normal] @ self.udot - k.gamma[e.normal])
            grazes = speed * speed <= 2.0 * abs(pull) * GRAZED * k.size(i)
            return Margin(self.changes["gap"][e.normal][:-1], speed, grazes)
        if reason in ("gap", "slide"):
            rows = list(e.tangents) if reason == "slide" else [r for r in (e.normal,) if r is not None]
            way = self._way(i) if reason == "slide" else np.ones(1)
            moved = way @ self.changes["speed"][[k.n_loops + r for r in rows]]
            return Margin(moved[:-1], float(way @ (k.J[rows] @ self.udot - k.gamma[rows])))
        lam, first = self.forces.lam, k.n_loops
        if reason == "lift" and e.normal is not None:
            h = -lam[first + e.normal]
        elif reason == "grip":
            h = self._grip(i)
        elif reason == "let go":
            rows = [first + r for r in e.holds]
            now = self.smooth.lam[rows]
            h = self.changes["strength"][i] - now @ lam[rows] / np.linalg.norm(now)
        else:
            return None
        return Margin(h[:-1], float(h[-1]))

    def _grip(self, i: int) -> np.ndarray:
        """Change of what is left of the grip, c₀ + c₁ load − |λ|."""
        k, e, d = self.k, self.k.elements[i], self.changes
        rows = [k.n_loops + r for r in e.tangents]
        now = self.smooth.lam[rows]
        if e.load_row is not None:
            load, change = -float(self.smooth.lam[k.n_loops + e.load_row]), -self.forces.lam[k.n_loops + e.load_row]
        else:
            load, change = self._load(i), self.forces.loads[i]
        pull = now @ self.forces.lam[rows] / max(float(np.linalg.norm(now)), 1e-300)
        grip = d["static_force"][i] + d["static_coefficient"][i] * load + k.static_coefficient[i] * change
        return np.asarray(grip - pull)

    def _load(self, i: int) -> float:
        terms = [(t, x) for t, x in enumerate(self.k.table.load_terms) if x.element == i]
        z, arms = self.smooth.z, self.k.loads.arms
        return sum(float(arms[t]) * float(np.linalg.norm(z[x.start : x.start + x.size])) for t, x in terms)

    def _way(self, i: int) -> np.ndarray:
        """Direction in which what slides goes."""
        v = self.k.slip(i)
        speed = float(np.linalg.norm(v))
        return v / speed if len(v) > 1 and speed > 0.0 else self.mode.direction(i)

    @property
    def udot(self) -> np.ndarray:
        return self.rates[self.n_q : self.n_q + self.n_u]


def times_of(margins: Sequence[Margin]) -> np.ndarray:
    """δt by each of several margins."""
    return np.array([-x.change / x.rate for x in margins])
