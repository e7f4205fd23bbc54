"""Stronge's law of impacts: a contact gives back e² of the work that was spent on it in compression.

The impulse grows along Routh's path: with every bit of the normal impulse, friction acts against the slip of that moment, which may
stop, stay at rest or turn round. Compression ends where the gap no longer closes; expansion where the work of the normal impulse
since then is e² of that before. Contacts that approach at once are hit in turn, the fastest first, until none approaches: the limit of
vanishing gaps between them.

With everything goes its change, where what the impact hangs on changes along directions: one in each last axis.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.constraints.nonsmooth.complementarity import Cone, Problem, Radius, solve
from dalembert.constraints.nonsmooth.kinetics import RANK, Kinetics
from dalembert.constraints.nonsmooth.law_problem import LawProblem

HITS = 500
"""Impacts in turn after which what still approaches is stopped at once."""
AT_REST = 1e-10
"""Speed, by the fastest of the impact, at which a slip has stopped, or a gap does not close."""
SEGMENTS = 50
"""Changes between slip and stick in one impact: there are three at most but for rounding."""
FAR = 1e6
"""Length of the longest path followed, by what of it moves the contact by as much as it slips."""
ACCURACY = 1e-11
"""Tolerance of the path where a slip turns in a plane."""
SMALL = 1e-8
"""Part of the impulses that may be needed after all hits for their changes to be known."""


@dataclass(frozen=True, eq=False)
class Changes:
    """How Delassus's matrix, the speeds of all rows and the coefficients of all elements change along directions."""

    W: np.ndarray
    v: np.ndarray
    restitution: np.ndarray
    coefficient: np.ndarray
    static_coefficient: np.ndarray

    @classmethod
    def none(cls, k: Kinetics) -> Changes:
        """Along no directions."""
        n, e = len(k.rows), len(k.elements)
        return cls(np.zeros((n, n, 0)), np.zeros((n, 0)), np.zeros((e, 0)), np.zeros((e, 0)), np.zeros((e, 0)))


@dataclass(frozen=True, eq=False)
class Hits:
    """Impulses of all rows of loops and laws, and their changes; None where these are not known."""

    impulses: np.ndarray
    changes: np.ndarray | None


def hit_in_turn(k: Kinetics, which: frozenset[int], e: np.ndarray, d: Changes | None = None) -> Hits | None:
    """The impulses; None where none were found."""
    d = Changes.none(k) if d is None else d
    bilateral = [*range(k.n_loops), *(k.n_loops + r for i in sorted(which) for r in k.elements[i].holds)]
    held = np.ix_(bilateral, bilateral)
    inverse, d_inverse = _inverse(k.W[held], d.W[held])
    v = np.concatenate([k.v_B, k.v])
    P, dP = np.zeros(len(v)), np.zeros(d.v.shape)
    P[bilateral] = -inverse @ v[bilateral]
    dP[bilateral] = -_times(d_inverse, v[bilateral]) - inverse @ d.v[bilateral]
    contacts = [i for i in sorted(which) if k.elements[i].normal is not None]
    for _ in range(HITS):
        now, d_now = v + k.W @ P, d.v + _times(d.W, P) + k.W @ dP
        speeds = {i: now[k.n_loops + _normal(k, i)] / k.size(i) for i in contacts}
        fastest = float(np.abs(now).max(initial=0.0))
        closing = [i for i in contacts if speeds[i] * k.size(i) < -AT_REST * fastest]
        if not closing:
            return Hits(P, dP)
        i = min(closing, key=lambda i: speeds[i])
        rows = [k.n_loops + r for r in (_normal(k, i), *k.elements[i].tangents)]
        own, across, back = np.ix_(rows, rows), np.ix_(rows, bilateral), np.ix_(bilateral, rows)
        into = -inverse @ k.W[back]
        d_into = -np.einsum("ijm,jk->ikm", d_inverse, k.W[back]) - np.einsum("ij,jkm->ikm", inverse, d.W[back])
        W = k.W[own] + k.W[across] @ into
        dW = d.W[own] + np.einsum("ijm,jk->ikm", d.W[across], into) + np.einsum("ij,jkm->ikm", k.W[across], d_into)
        if W[0, 0] <= RANK * k.W[rows[0], rows[0]]:
            return None  # loops hold it: no impulse stops it
        coefficients = (float(e[i]), float(k.coefficient[i]), float(k.static_coefficient[i]))
        their = (d.restitution[i], d.coefficient[i], d.static_coefficient[i])
        path = _Path(W, now[rows], *coefficients, dW, d_now[rows], *their)
        if not path.followed():
            return None
        P[rows] += path.P
        P[bilateral] += into @ path.P
        dP[rows] += path.dP
        dP[bilateral] += _times(d_into, path.P) + into @ path.dP
    more = LawProblem(k, which, {}, np.zeros(len(e)), stored=P).solve()
    if more is None:
        return None
    small = np.abs(more).max(initial=0.0) <= SMALL * np.abs(P).max(initial=0.0)
    return Hits(P + more, dP if small else None)


def _times(d: np.ndarray, x: np.ndarray) -> np.ndarray:
    """δM x, of a matrix M that changes along directions."""
    return np.asarray(np.einsum("ijm,j->im", d, x))


def _inverse(W: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pseudoinverse of a symmetric matrix whose rank stays, and its change [Golub and Pereyra]."""
    if not len(W):
        return W, d
    inverse = np.linalg.pinv(W, rcond=RANK, hermitian=True)
    left_over, twice = np.eye(len(W)) - W @ inverse, inverse @ inverse
    beside = np.einsum("ij,jkm,kl->ilm", twice, d, left_over)
    return inverse, beside + beside.transpose(1, 0, 2) - np.einsum("ij,jkm,kl->ilm", inverse, d, inverse)


def _normal(k: Kinetics, i: int) -> int:
    normal = k.elements[i].normal
    assert normal is not None
    return normal


@dataclass(eq=False)
class _Path:
    """Routh's path of one contact: W of its normal row and of its slips, loops eliminated; speeds v before; the change of everything
    behind it."""

    W: np.ndarray
    v: np.ndarray
    e: float
    mu: float
    mu_static: float
    dW: np.ndarray
    dv: np.ndarray
    de: np.ndarray
    d_mu: np.ndarray
    d_mu_static: np.ndarray
    P: np.ndarray = field(init=False)
    dP: np.ndarray = field(init=False)
    work: float = 0.0
    """∫ v_n dP_n."""
    spent: float = 0.0
    """The same at the end of compression."""
    d_work: np.ndarray = field(init=False)
    d_spent: np.ndarray = field(init=False)
    expands: bool = False

    def __post_init__(self) -> None:
        self.v, self.dv = self.v.copy(), self.dv.copy()
        self.P, self.dP = np.zeros(len(self.v)), np.zeros(self.dv.shape)
        self.d_work = self.d_spent = np.zeros(self.dv.shape[1])
        self.still = AT_REST * float(np.abs(self.v).max())

    def followed(self) -> bool:
        """Follow it to its end, where P is its impulse; whether it has one."""
        for _ in range(SEGMENTS):
            slides = len(self.v) > 1 and float(np.linalg.norm(self.v[1:])) > self.still
            turns = slides and len(self.v) > 2
            if self._turning() if turns else self._straight(*self._rates(slides), slides):
                break
        return bool(np.isfinite(self.P).all())

    def _rates(self, slides: bool) -> tuple[np.ndarray, np.ndarray]:
        """Impulses of friction with every unit of the normal one."""
        n, W, dW = len(self.v), self.W, self.dW
        rate, change = np.zeros(n), np.zeros(self.dv.shape)
        rate[0] = 1.0
        if n == 1:
            return rate, change
        if slides:
            rate[1:], change[1:] = self._against(self.v[1:], self.dv[1:])
            return rate, change
        bound = Cone(None, list(range(n - 1)), Radius(self.mu_static))
        sticking = solve(Problem(W[1:, 1:], W[1:, 0], [], [bound]))
        if sticking is None:
            return rate, change
        rate[1:], slope = sticking, W[1:, 1:]
        pulled = W[1:, 0] + W[1:, 1:] @ sticking
        frozen = dW[1:, 0] + _times(dW[1:, 1:], sticking)
        fast = float(np.linalg.norm(pulled))
        if fast <= AT_REST * np.linalg.norm(W[1:, 0]):
            change[1:] = -np.linalg.solve(slope, frozen)
            return rate, change
        way = pulled / fast  # it slips off again
        turning = self.mu_static / fast * (np.eye(n - 1) - np.outer(way, way))
        held = -np.outer(way, self.d_mu_static) - turning @ frozen
        held = np.linalg.solve(np.eye(n - 1) + turning @ slope, held)
        rate[1:], change[1:] = self._against(pulled, frozen + slope @ held)
        return rate, change

    def _against(self, slip: np.ndarray, change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Friction against a slip, and its change with that of the slip."""
        fast = float(np.linalg.norm(slip))
        way = slip / fast
        return -self.mu * way, -np.outer(way, self.d_mu) - self.mu / fast * (change - np.outer(way, way @ change))

    def _straight(self, rate: np.ndarray, d_rate: np.ndarray, slides: bool) -> bool:
        """Go on with constant rates until slip stops, compression ends, or all of it ends; whether that is so."""
        gives, d_gives = self.W @ rate, _times(self.dW, rate) + self.W @ d_rate
        s, ds = self._to_end(float(self.v[0]), float(gives[0]), self.dv[0], d_gives[0])
        stops = slides and gives[1] * self.v[1] < 0.0 and -self.v[1] / gives[1] <= s
        if stops:
            s = -float(self.v[1] / gives[1])
            ds = -(self.dv[1] + s * d_gives[1]) / gives[1]
        if not np.isfinite(s):
            self.P[:] = np.inf
            return True
        self._go(s, ds, rate, d_rate, gives, d_gives)
        if stops:
            self.v[1], self.dv[1] = 0.0, 0.0
            return False
        return self._phase_ended()

    def _go(
        self, s: float, ds: np.ndarray, rate: np.ndarray, d_rate: np.ndarray, gives: np.ndarray, d_gives: np.ndarray
    ) -> None:
        v, g = float(self.v[0]), float(gives[0])
        self.work += s * v + 0.5 * s * s * g
        self.d_work = self.d_work + s * self.dv[0] + 0.5 * s * s * d_gives[0] + (v + s * g) * ds
        self.v, self.P = self.v + s * gives, self.P + s * rate
        self.dv = self.dv + s * d_gives + np.outer(gives, ds)
        self.dP = self.dP + s * d_rate + np.outer(rate, ds)

    def _to_end(self, v: float, gives: float, dv: np.ndarray, d_gives: np.ndarray) -> tuple[float, np.ndarray]:
        """Normal impulse at which this phase ends, if the gap's speed changes at a constant rate; infinite where it does not."""
        if not self.expands:
            s = -v / gives if gives > 0.0 else np.inf
            return s, -(dv + s * d_gives) / gives if gives > 0.0 else 0.0 * dv
        left = self._to_give_back - self.work  # v s + gives s²/2
        root = v * v + 2.0 * gives * left
        if left <= 0.0 or root < 0.0:
            return (0.0 if left <= 0.0 else np.inf), 0.0 * dv
        s = float(2.0 * left / (v + np.sqrt(root)))
        return s, (self._d_to_give_back - self.d_work - s * dv - 0.5 * s * s * d_gives) / np.sqrt(root)

    @property
    def _to_give_back(self) -> float:
        """The work at the end of expansion."""
        return self.spent * (1.0 - self.e * self.e)

    @property
    def _d_to_give_back(self) -> np.ndarray:
        return np.asarray(self.d_spent * (1.0 - self.e * self.e) - 2.0 * self.spent * self.e * self.de)

    def _phase_ended(self) -> bool:
        if self.expands:
            return True
        self.v[0], self.dv[0] = 0.0, 0.0
        self.spent, self.d_spent, self.expands = self.work, self.d_work, True
        return self.e == 0.0

    def _turning(self) -> bool:
        """The same where the slip has a direction in a plane, which turns: over σ with dP_n = |v_T| dσ, in which it is smooth, and a
        slip that stops decays."""
        count = self.dv.shape[1]

        def parts(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """v and its changes."""
            return y[:3], y[7 : 7 + 3 * count].reshape(3, count)

        def slope(_: float, y: np.ndarray) -> np.ndarray:
            v, dv = parts(y)
            fast = float(np.linalg.norm(v[1:]))
            d_fast = v[1:] @ dv[1:] / max(fast, 1e-300)
            rate = np.array([fast, *(-self.mu * v[1:])])
            d_rate = np.vstack([d_fast, -self.mu * dv[1:] - np.outer(v[1:], self.d_mu)])
            d_gives = _times(self.dW, rate) + self.W @ d_rate
            changes = [d_gives.ravel(), d_rate.ravel(), fast * dv[0] + v[0] * d_fast]
            return np.concatenate([self.W @ rate, rate, [fast * v[0]], *changes])

        def stops(_: float, y: np.ndarray) -> float:
            return float(np.linalg.norm(y[1:3])) - self.still

        def ends(_: float, y: np.ndarray) -> float:
            return float(y[6] - self._to_give_back if self.expands else y[0])

        for event, direction in ((stops, -1.0), (ends, 1.0)):
            event.terminal, event.direction = True, direction  # type: ignore[attr-defined]
        y = np.concatenate([self.v, self.P, [self.work], self.dv.ravel(), self.dP.ravel(), self.d_work])
        far = FAR / max(float(np.linalg.eigvalsh(self.W)[0]), 1e-300)
        fast = float(np.abs(self.v).max())
        sizes = np.full(len(y), np.abs(y[:7]).max(initial=1e-300))
        driven = [self.dv, fast * self.d_mu, fast * self.dW / self.W[0, 0]]
        sizes[7:] = max(np.abs(x).max(initial=0.0) for x in (y[7:], *driven)) or 1.0
        events: Any = (stops, ends)
        from scipy.integrate import solve_ivp  # takes long to import; most impacts are not of this kind

        run = solve_ivp(slope, (0.0, far), y, method="DOP853", rtol=ACCURACY, atol=ACCURACY * sizes, events=events)
        y, going = run.y[:, -1], slope(0.0, run.y[:, -1])
        (v, dv), (gives, _) = parts(y), parts(going)
        stopped = run.t_events is not None and len(run.t_events[0]) > 0
        if stopped:
            later = -(v[1:] @ dv[1:]) / float(v[1:] @ gives[1:])
        elif self.expands:
            later = (self._d_to_give_back - y[7 + 6 * count :]) / going[6]
        else:
            later = -dv[0] / gives[0]
        self.v, self.P, self.work = v.copy(), y[3:6].copy(), float(y[6])
        self.dv = dv + np.outer(gives, later)
        self.dP = y[7 + 3 * count : 7 + 6 * count].reshape(3, count) + np.outer(going[3:6], later)
        self.d_work = y[7 + 6 * count :] + going[6] * later
        if stopped:
            self.v[1:], self.dv[1:] = 0.0, 0.0
            return False
        return self._phase_ended()
