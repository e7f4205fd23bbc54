"""Stronge's law of impacts: a contact gives back e² of the work that was spent on it in compression.

The impulse grows along Routh's path: with every bit of the normal impulse, friction acts against the slip of that moment, which may
stop, stay at rest or turn round. Compression ends where the gap no longer closes; expansion where the work of the normal impulse
since then is e² of that before. Contacts that approach at once are hit in turn, the fastest first, until none approaches: the limit of
vanishing gaps between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from dalembert.constraints.nonsmooth.complementarity import Cone, Problem, Radius, solve
from dalembert.constraints.nonsmooth.kinetics import RANK, Kinetics
from dalembert.constraints.nonsmooth.law_problem import LawProblem

HITS = 500
"""Impacts in turn after which what still approaches is stopped at once."""
AT_REST = 1e-10
"""Speed, by the fastest of the impact, at which a slip has stopped, or a gap does not close."""
SEGMENTS = 50
"""Changes between slip and stick in one impact: there are three at most but for rounding."""
ACCURACY = 1e-11
"""Tolerance of the path where a slip turns in a plane."""


def hit_in_turn(k: Kinetics, which: frozenset[int], e: np.ndarray) -> np.ndarray | None:
    """Impulses of all rows of loops and laws; None where none were found."""
    bilateral = [*range(k.n_loops), *(k.n_loops + r for i in sorted(which) for r in k.elements[i].holds)]
    inverse = (
        np.linalg.pinv(k.W[np.ix_(bilateral, bilateral)], rcond=RANK, hermitian=True) if bilateral else np.zeros((0, 0))
    )
    v = np.concatenate([k.v_B, k.v])
    P = np.zeros(len(v))
    P[bilateral] = -inverse @ v[bilateral]
    contacts = [i for i in sorted(which) if k.elements[i].normal is not None]
    for _ in range(HITS):
        now = v + k.W @ P
        speeds = {i: now[k.n_loops + _normal(k, i)] / k.size(i) for i in contacts}
        fastest = float(np.abs(now).max(initial=0.0))
        closing = [i for i in contacts if speeds[i] * k.size(i) < -AT_REST * fastest]
        if not closing:
            return P
        i = min(closing, key=lambda i: speeds[i])
        rows = [k.n_loops + r for r in (_normal(k, i), *k.elements[i].tangents)]
        into = -inverse @ k.W[np.ix_(bilateral, rows)]
        W = k.W[np.ix_(rows, rows)] + k.W[np.ix_(rows, bilateral)] @ into
        if W[0, 0] <= RANK * k.W[rows[0], rows[0]]:
            return None  # loops hold it: no impulse stops it
        found = _Path(W, now[rows], float(e[i]), float(k.coefficient[i]), float(k.static_coefficient[i])).impulse()
        if found is None:
            return None
        P[rows] += found
        P[bilateral] += into @ found
    more = LawProblem(k, which, {}, np.zeros(len(e)), stored=P).solve()
    return None if more is None else np.asarray(P + more)


def _normal(k: Kinetics, i: int) -> int:
    normal = k.elements[i].normal
    assert normal is not None
    return normal


@dataclass(eq=False)
class _Path:
    """Routh's path of one contact: W of its normal row and of its slips, loops eliminated; speeds v before."""

    W: np.ndarray
    v: np.ndarray
    e: float
    mu: float
    mu_static: float
    P: np.ndarray = field(init=False)
    work: float = 0.0
    """∫ v_n dP_n."""
    spent: float = 0.0
    """The same at the end of compression."""
    expands: bool = False

    def __post_init__(self) -> None:
        self.P = np.zeros(len(self.v))
        self.still = AT_REST * float(np.abs(self.v).max())

    def impulse(self) -> np.ndarray | None:
        """Impulses along its rows, at the end of it; None where it has none."""
        for _ in range(SEGMENTS):
            slides = len(self.v) > 1 and float(np.linalg.norm(self.v[1:])) > self.still
            turns = slides and len(self.v) > 2
            if self._turning() if turns else self._straight(self._rates(slides), slides):
                break
        return self.P if np.isfinite(self.P).all() else None

    def _rates(self, slides: bool) -> np.ndarray:
        """Impulses of friction with every unit of the normal one."""
        n = len(self.v)
        rate = np.zeros(n)
        rate[0] = 1.0
        if n == 1:
            return rate
        if slides:
            rate[1:] = -self.mu * self.v[1:] / np.linalg.norm(self.v[1:])
            return rate
        bound = Cone(None, list(range(n - 1)), Radius(self.mu_static))
        sticking = solve(Problem(self.W[1:, 1:], self.W[1:, 0], [], [bound]))
        if sticking is None:
            return rate
        pulled = self.W[1:, 0] + self.W[1:, 1:] @ sticking
        if np.linalg.norm(pulled) > AT_REST * np.linalg.norm(self.W[1:, 0]):  # it slips off again
            sticking = -self.mu * pulled / np.linalg.norm(pulled)
        rate[1:] = sticking
        return rate

    def _straight(self, rate: np.ndarray, slides: bool) -> bool:
        """Go on with constant rates until slip stops, compression ends, or all of it ends; whether that is so."""
        gives = self.W @ rate
        ends = [self._to_end(float(self.v[0]), float(gives[0]))]
        if slides and gives[1] * self.v[1] < 0.0:
            ends.append(-float(self.v[1] / gives[1]))
        s = min(ends)
        if not np.isfinite(s):
            self.P[:] = np.inf
            return True
        stops = slides and s == ends[-1] and len(ends) > 1
        self.work += s * float(self.v[0]) + 0.5 * s * s * float(gives[0])
        self.v, self.P = self.v + s * gives, self.P + s * rate
        if stops:
            self.v[1] = 0.0
            return False
        return self._phase_ended()

    def _to_end(self, v: float, gives: float) -> float:
        """Normal impulse at which this phase ends, if the gap's speed changes at a constant rate; infinite where it does not."""
        if not self.expands:
            return -v / gives if gives > 0.0 else np.inf
        left = self.spent * (1.0 - self.e * self.e) - self.work  # of the work that comes back: v s + gives s²/2
        if left <= 0.0:
            return 0.0
        root = v * v + 2.0 * gives * left
        if root < 0.0:
            return np.inf
        return float(2.0 * left / (v + np.sqrt(root)))

    def _phase_ended(self) -> bool:
        if self.expands:
            return True
        self.v[0], self.spent, self.expands = 0.0, self.work, True
        return self.e == 0.0

    def _turning(self) -> bool:
        """The same where the slip has a direction in a plane, which turns."""

        def slope(_: float, y: np.ndarray) -> np.ndarray:
            d = y[1:3] / max(float(np.linalg.norm(y[1:3])), 1e-300)
            rate = np.array([1.0, *(-self.mu * d)])
            return np.concatenate([self.W @ rate, rate, [y[0]]])

        def stops(_: float, y: np.ndarray) -> float:
            return float(np.linalg.norm(y[1:3])) - self.still

        def ends(_: float, y: np.ndarray) -> float:
            return float(y[6] - self.spent * (1.0 - self.e * self.e)) if self.expands else float(y[0])

        for event, direction in ((stops, -1.0), (ends, 1.0)):
            event.terminal, event.direction = True, direction  # type: ignore[attr-defined]
        y = np.concatenate([self.v, self.P, [self.work]])
        far = (
            1e3
            * (abs(float(self.v[0])) + float(np.linalg.norm(self.v)))
            / max(float(np.linalg.eigvalsh(self.W)[0]), 1e-300)
        )
        events: Any = (stops, ends)
        size = np.abs(y).max(initial=1e-300)
        run = solve_ivp(slope, (0.0, far), y, method="DOP853", rtol=ACCURACY, atol=ACCURACY * size, events=events)
        y = run.y[:, -1]
        self.v, self.P, self.work = y[:3].copy(), y[3:6].copy(), float(y[6])
        if run.t_events is not None and len(run.t_events[0]):
            self.v[1:] = 0.0
            return False
        return self._phase_ended()
