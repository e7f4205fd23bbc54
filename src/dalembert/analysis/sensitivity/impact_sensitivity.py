"""How the speeds after an impact change: its equations, differentiated.

By Newton's law, A(u⁺ − u⁻) = Rᵀp with R u⁺ = b of loops, latches and what sticks, v⁺ = −e v⁻ of what is hit, p = −μ p_N v_T⁺/|v_T⁺|
along what slides on and p = 0 of the rest. By Poisson's law there are two such phases, of which the second begins with what gaps give
back of the first and friction is pressed by that too. By Stronge's law impulses change along Routh's path. Which row is which is read
off the impact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.analysis.sensitivity.event_time import StateSensitivity
from dalembert.analysis.sensitivity.law_variation import Frozen
from dalembert.analysis.sensitivity.mode_forces import term_change
from dalembert.constraints.nonsmooth.choose import NO_FORCE
from dalembert.constraints.nonsmooth.energetic import Changes, hit_in_turn
from dalembert.constraints.nonsmooth.impact import STILL, Impact, poisson_phases
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.kinematics.law_mode import LawMode
from dalembert.pivoting import least_squares

SAME = 1e-6
"""Part by which the restitution seen in an impact may differ from that of the law: less was taken where it differs more."""
RANK = 1e-11
"""Part of the largest singular value below which a share of impulses is left open."""


SHARED = 1e-8
"""Part of an open share of impulses that a row has from which on its impulse is not unique."""
REDUCED = "restitution was reduced there, as it would have gained energy or contradicted what sticks"
NOT_UNIQUE = (
    "by Poisson's law gaps give back parts of their impulses, and single impulses are not unique there: rows depend on each other, as "
    "where loops leave what sticks one way to go. By Newton's law, only the speeds matter"
)
STOPPED = "its impulses do not follow the path of one contact after the other"


class NoDerivative(Exception):
    """Speeds after an impact that have no derivative, and why."""


class Changed(NamedTuple):
    """Changes of speeds, and of impulses by row; which of these impulses are not unique."""

    speeds: np.ndarray
    impulses: np.ndarray
    shared: np.ndarray


@dataclass(frozen=True, eq=False)
class ImpactSensitivity:
    """An impact in the state `k`, with the mode after it; the directions `D` are those at the event."""

    s: StateSensitivity
    k: Kinetics
    hit: Impact
    next_mode: LawMode
    D: np.ndarray

    def speeds(self, du: np.ndarray) -> np.ndarray:
        """Change of the speeds after it, from that before it."""
        if self.hit.capped:
            raise NoDerivative(REDUCED)
        if self.hit.law == "stronge":
            return self._along_the_path(du)
        if self.hit.law == "poisson":
            return self._in_two_phases(du)
        return Phase(self.s, self.k, self.hit.impulses, self.next_mode, self.D, rebounds=True).change(du).speeds

    def _in_two_phases(self, du: np.ndarray) -> np.ndarray:
        k, hit = self.k, self.hit
        compression, back, more = poisson_phases(k, hit.which, hit.restitution)
        first = Phase(self.s, k, compression, self.next_mode, self.D)
        pressed = first.change(du)
        d, given = first.along(du), np.zeros(pressed.impulses.shape)
        for i in hit.which:
            normal, e = k.elements[i].normal, float(hit.restitution[i])
            if normal is not None and e > 0.0:
                row = k.n_loops + normal
                if pressed.shared[row]:
                    raise NoDerivative(NOT_UNIQUE)
                given[row] = e * pressed.impulses[row] + d["restitution"][i] * compression[row]
        between = k.at_speeds(k.u + k.Y @ compression)
        jump = Phase(self.s, between, back, self.next_mode, self.D).along(pressed.speeds)
        begun = pressed.speeds + k.per_inertia(k.rows.T @ given - jump["inertia"] - jump["exerted"])
        second = Phase(
            self.s, between.at_speeds(between.u + k.Y @ back), more, self.next_mode, self.D, back, pressed._replace(impulses=given)
        )  # fmt: skip
        return second.change(begun).speeds

    def _along_the_path(self, du: np.ndarray) -> np.ndarray:
        k, whole = self.k, Phase(self.s, self.k, self.hit.impulses, self.next_mode, self.D)
        d = whole.along(du)
        dW = np.zeros((len(k.rows), *d["rate"].shape))
        for r, column in enumerate(k.Y.T):  # δW = δR Y + (δR Y)ᵀ − Yᵀ δA Y
            moved = whole.along(du, column)
            dW[:, r] += moved["rate"] - k.Y.T @ moved["inertia"]
            dW[r] += moved["rate"]
        kept = (self.hit.restitution > 0.0)[:, None]
        changes = Changes(dW, d["speed"], kept * d["restitution"], d["coefficient"], d["static_coefficient"])
        found = hit_in_turn(k, self.hit.which, self.hit.restitution, changes)
        if found is None or found.changes is None:
            raise NoDerivative(STOPPED)
        return du + k.per_inertia(k.rows.T @ found.changes - d["inertia"] - d["exerted"])


@dataclass(frozen=True, eq=False)
class Phase:
    """Impulses that act at once on the speeds of `k`; `released` press besides, and have acted already, from `loaded` on."""

    s: StateSensitivity
    k: Kinetics
    impulses: np.ndarray
    next_mode: LawMode
    D: np.ndarray
    released: np.ndarray | None = None
    loaded: Changed | None = None
    """Changes of the speeds before what is released, and of it."""
    rebounds: bool = False
    """Whether gaps part at e times the speed of their approach, not at none."""

    @property
    def _udelta(self) -> np.ndarray:
        return np.asarray(self.k.Y @ self.impulses)

    @property
    def _after(self) -> np.ndarray:
        """Speeds of the laws' rows after it."""
        return np.asarray(self.k.v + self.k.J @ self._udelta)

    @property
    def _pressing(self) -> np.ndarray:
        """Impulses that load friction."""
        return self.impulses if self.released is None else self.impulses + self.released

    def along(self, du: np.ndarray, jump: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Changes of everything with impulses and jumps frozen: those of the phase, or another jump."""
        udelta = self._udelta if jump is None else jump
        return self._frozen(du, udelta, self.impulses)

    def _frozen(self, du: np.ndarray, udelta: np.ndarray, impulses: np.ndarray) -> dict[str, np.ndarray]:
        s, k, D = self.s, self.k, self.D.copy()
        D[1 + s.n_q : 1 + s.n_q + len(k.u)] = du
        directions = self.next_mode.part("direction")
        frozen = Frozen(udelta, -impulses, k.u + udelta, np.zeros(len(k.elements)), directions)
        return s.variation.along(s.t, s.q, k.u, s.p, D, frozen)

    def change(self, du: np.ndarray) -> Changed:
        """Changes of the speeds after it, and of its impulses."""
        k, n, rows, d = self.k, len(self.k.u), len(self.k.rows), self.along(du)
        M, right = np.zeros((n + rows, n + rows)), np.zeros((n + rows, du.shape[1]))
        M[:n, :n], M[:n, n:] = k.A, -k.rows.T
        right[:n] = k.A @ du - d["inertia"] - d["exerted"]
        M[n:, n:] = np.eye(rows)
        holds = [r for i, e in enumerate(k.elements) if k.on[i] for r in e.holds]
        enforced = [*range(k.n_loops), *(k.n_loops + r for r in holds)]
        self._rows_hit(M, right, d, du, enforced)
        for r in enforced:
            M[n + r] = 0.0
            M[n + r, :n] = k.rows[r]
            right[n + r] += -d["speed_after"][r]
        scale = 1.0 / np.maximum(np.abs(M).max(axis=1), 1e-300)
        M *= scale[:, None]
        found = least_squares(M, right * scale[:, None], RANK)
        return Changed(found[:n], found[n:], _shared(M)[n:])

    def _rows_hit(
        self, M: np.ndarray, right: np.ndarray, d: dict[str, np.ndarray], du: np.ndarray, enforced: list[int]
    ) -> None:
        """Equations of gaps and of friction; rows with a stated speed join `enforced`."""
        k, p, first, pressing = self.k, self.impulses, self.k.n_loops, self._pressing
        least = NO_FORCE * np.abs(pressing).max(initial=0.0)
        for i, e in enumerate(k.elements):
            if e.holds or not k.on[i]:
                continue
            if e.normal is not None:
                r = e.normal
                opens = not self.rebounds and self._after[r] > STILL * k.speed_scale(i)
                if p[first + r] > least or (self.next_mode.part("enforced")[r] and not opens):
                    enforced.append(first + r)
                    kept = self._restitution(i) if self.rebounds else 0.0
                    if kept:
                        right[len(k.u) + first + r] = -d["restitution"][i] * k.v[r] - kept * d["speed"][first + r]
                elif not pressing[first + r] > least:
                    continue
            elif e.pressed is not None and not pressing[first + e.pressed] > least:
                continue
            if k.static_coefficient[i] and e.tangents:
                self._rubs(M, right, d, du, i, enforced)

    def _restitution(self, i: int) -> float:
        """e as it was taken: that of the law, or none of a bounce left out."""
        k, r = self.k, self.k.elements[i].normal
        before, after, e = float(k.v[r]), float(self._after[r]), float(k.restitution[i])
        fast = STILL * k.speed_scale(i)
        if before >= -fast or after <= fast:
            return 0.0
        if abs(after + e * before) > SAME * abs(e * before):
            raise NoDerivative(REDUCED)
        return e

    def _rubs(
        self, M: np.ndarray, right: np.ndarray, d: dict[str, np.ndarray], du: np.ndarray, i: int, enforced: list[int]
    ) -> None:
        """Friction of an element: what sticks after the impact has no slip, what slides is resisted along it."""
        k, e, first, n = self.k, self.k.elements[i], self.k.n_loops, len(self.k.u)
        tangents = list(e.tangents)
        slip = self._after[tangents]
        fast = float(np.linalg.norm(slip))
        rows = [first + r for r in tangents]
        if fast <= STILL * k.speed_scale(i):
            if np.abs(self.impulses[rows]).any() or self.next_mode.part("enforced")[tangents].any():
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
        pressing, by_released = self._pressing, np.zeros((rows, du.shape[1]))
        struck, since = d["struck"], du
        if self.loaded is not None:
            since, by_released = self.loaded.speeds, self.loaded.impulses
        by_impulses, by_speeds, change = np.zeros(rows), np.zeros(len(k.u)), np.zeros(du.shape[1])
        if e.load_row is not None:
            at = k.n_loops + e.load_row
            by_impulses[at] = 1.0
            return float(pressing[at]), by_speeds, by_impulses, by_released[at]
        if self.released is not None:
            struck = self._frozen(du, k.Y @ pressing, pressing)["struck"]
        z, load = k.per_force @ pressing, 0.0
        for t, place in enumerate(k.table.load_terms):
            if place.element == i:
                term = term_change(k, t, z, d, struck)
                load += float(k.loads.arms[t]) * float(np.linalg.norm(z[place.start : place.start + place.size]))
                by_speeds = by_speeds + term.by_speeds
                by_impulses = by_impulses - term.by_forces
                change = change + term.frozen - term.by_speeds @ since - term.by_forces @ by_released
        return load, by_speeds, by_impulses, change


def _shared(M: np.ndarray) -> np.ndarray:
    """Unknowns of which M x = r leaves open a part."""
    _, sizes, directions = np.linalg.svd(M)
    return np.asarray(np.abs(directions[sizes <= RANK * sizes.max(initial=0.0)]).max(axis=0, initial=0.0) > SHARED)
