"""How the speeds after an impact change: its equations, differentiated.

A(u⁺ − u⁻) = Rᵀp with R u⁺ = b of loops, latches and what sticks, v⁺ = −e v⁻ of what is hit, p = −μ p_N v_T⁺/|v_T⁺| along what slides on
and p = 0 of the rest. Which row is which is read off the impact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.sensitivity.event_time import StateSensitivity
from dalembert.analysis.sensitivity.law_variation import Frozen
from dalembert.analysis.sensitivity.mode_forces import term_change
from dalembert.constraints.nonsmooth.choose import NO_FORCE
from dalembert.constraints.nonsmooth.impact import STILL, Impact
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.kinematics.law_mode import LawMode
from dalembert.pivoting import least_squares

SAME = 1e-6
"""Part by which the restitution seen in an impact may differ from that of the law: less was taken where it differs more."""
RANK = 1e-11
"""Part of the largest singular value below which a share of impulses is left open."""


@dataclass(frozen=True, eq=False)
class ImpactSensitivity:
    """An impact from a state with speeds `u`, which `du` is the change of along the directions `D` at the event."""

    s: StateSensitivity
    k: Kinetics
    hit: Impact
    next_mode: LawMode
    D: np.ndarray

    def speeds(self, du: np.ndarray) -> np.ndarray | None:
        """Change of the speeds after it; None where it has none, as restitution was reduced."""
        k, hit, n = self.k, self.hit, len(self.k.u)
        if hit.capped:
            return None
        after = k.u + hit.udelta
        rows, count = len(k.rows), self.D.shape[1]
        frozen = Frozen(hit.udelta, -hit.impulses, after, np.zeros(len(k.elements)), self.next_mode.part("direction"))
        D = self.D.copy()
        D[1 + self.s.n_q : 1 + self.s.n_q + n] = du
        d = self.s.variation.along(self.s.t, self.s.q, k.u, self.s.p, D, frozen)
        M, right = np.zeros((n + rows, n + rows)), np.zeros((n + rows, count))
        M[:n, :n], M[:n, n:] = k.A, -k.rows.T
        right[:n] = k.A @ du - d["inertia"] - d["exerted"]
        M[n:, n:] = np.eye(rows)
        holds = [r for i, e in enumerate(k.elements) if k.on[i] for r in e.holds]
        enforced = [*range(k.n_loops), *(k.n_loops + r for r in holds)]
        if not self._rows_hit(M, right, d, du, enforced):
            return None
        for r in enforced:
            M[n + r] = 0.0
            M[n + r, :n] = k.rows[r]
            right[n + r] += -d["speed_after"][r]
        scale = 1.0 / np.maximum(np.abs(M).max(axis=1), 1e-300)
        return np.asarray(least_squares(M * scale[:, None], right * scale[:, None], RANK)[:n])

    def _rows_hit(
        self, M: np.ndarray, right: np.ndarray, d: dict[str, np.ndarray], du: np.ndarray, enforced: list[int]
    ) -> bool:
        """Equations of gaps and of friction; rows with a stated speed join `enforced`. Whether restitution is that of the laws."""
        k, p, first = self.k, self.hit.impulses, self.k.n_loops
        least = NO_FORCE * np.abs(p).max(initial=0.0)
        for i, e in enumerate(k.elements):
            if e.holds or not k.on[i]:
                continue
            if e.normal is not None:
                r = e.normal
                if not (p[first + r] > least or self.next_mode.part("enforced")[r]):
                    continue
                enforced.append(first + r)
                kept = self._restitution(i)
                if kept is None:
                    return False
                if kept:
                    right[len(k.u) + first + r] = -d["restitution"][i] * k.v[r] - kept * d["speed"][first + r]
            elif e.pressed is not None and not p[first + e.pressed] > least:
                continue
            if k.static_coefficient[i] and e.tangents:
                self._rubs(M, right, d, du, i, enforced)
        return True

    def _restitution(self, i: int) -> float | None:
        """e as it was taken: that of the law, none of a bounce left out; None where it is something else."""
        k, r = self.k, self.k.elements[i].normal
        before, after, e = float(k.v[r]), float(self.hit.after[r]), float(k.restitution[i])
        fast = STILL * k.speed_scale(i)
        if before >= -fast or after <= fast:
            return 0.0
        return e if abs(after + e * before) <= SAME * abs(e * before) else None

    def _rubs(
        self, M: np.ndarray, right: np.ndarray, d: dict[str, np.ndarray], du: np.ndarray, i: int, enforced: list[int]
    ) -> None:
        """Friction of an element: what sticks after the impact has no slip, what slides is resisted along it."""
        k, e, first, n = self.k, self.k.elements[i], self.k.n_loops, len(self.k.u)
        tangents = list(e.tangents)
        slip = self.hit.after[tangents]
        fast = float(np.linalg.norm(slip))
        rows = [first + r for r in tangents]
        if fast <= STILL * k.speed_scale(i):
            if np.abs(self.hit.impulses[rows]).any() or self.next_mode.part("enforced")[tangents].any():
                enforced += rows
            return
        way, c = slip / fast, float(k.static_coefficient[i])
        turning = (np.eye(len(rows)) - np.outer(way, way)) / fast
        load, by_speeds, by_impulses, change = self._load(i, d, du)
        for a, r in enumerate(rows):
            M[n + r, :n] += c * (load * (turning[a] @ k.rows[rows]) + way[a] * by_speeds)
            M[n + r, n:] += c * way[a] * by_impulses
            right[n + r] -= way[a] * (d["static_coefficient"][i] * load + c * change)
            right[n + r] -= c * load * (turning[a] @ d["speed_after"][rows])

    def _load(
        self, i: int, d: dict[str, np.ndarray], du: np.ndarray
    ) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Impulse that loads friction; it per unit of u⁺ and of impulses, and its change else."""
        k, e, rows = self.k, self.k.elements[i], len(self.k.rows)
        by_impulses, by_speeds, change = np.zeros(rows), np.zeros(len(k.u)), np.zeros(du.shape[1])
        if e.load_row is not None:
            at = k.n_loops + e.load_row
            by_impulses[at] = 1.0
            return float(self.hit.impulses[at]), by_speeds, by_impulses, change
        z, load = k.per_force @ self.hit.impulses, 0.0
        for t, place in enumerate(k.table.load_terms):
            if place.element == i:
                term = term_change(k, t, z, d, d["struck"])
                load += float(k.loads.arms[t]) * float(np.linalg.norm(z[place.start : place.start + place.size]))
                by_speeds = by_speeds + term.by_speeds
                by_impulses = by_impulses - term.by_forces
                change = change + term.frozen - term.by_speeds @ du
        return load, by_speeds, by_impulses, change
