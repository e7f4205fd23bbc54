"""One search: from a start to the best values near it, with exact derivatives, within regions that are trusted.

Sums of squares are sought by SciPy's `least_squares`, with what exceeds its limit as further residuals whose weights grow; everything
else by its SLSQP, in boxes about the best so far that shrink where they do not help, and in which limits may give way at a price that
no objective pays, so that every box has a best point. What is largest over time is the largest of its parts, each of which is smooth:
the search sees all of them. Values are measured by their ranges. Where there is no such mechanism the step is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.optimize import least_squares, minimize

from dalembert.blas import one_thread
from dalembert.errors import DalembertError

FORBIDDEN = 1e6
"""How many times the value at the start is said where there is no such mechanism."""
MOST_STEPS = 150
"""Evaluations after which a least-squares search ends where it is."""
WEIGHTS = (1e2, 1e5, 1e8)
"""Weights of the squares of what is exceeded, one after the other."""
SETTLED = 1e-12
"""Relative change of the values, of the objective and of its slope at which a search ends."""
ALLOWED = 1e-7
"""Part of its own size by which a limit may be exceeded."""
PRICE = 100.0
"""Price of exceeding a limit by its own size, in objectives of the start."""
FIRST_BOX, LAST_BOX, SMALLER = 0.25, 1e-8, 0.25
"""Half the width of the first box and of the last, in parts of the ranges, and how boxes shrink."""
AT_EDGE = 0.99
"""Part of a box beyond which its best point is at its edge."""
IN_A_BOX, MOST_BOXES = 15, 40
"""Steps within a box, and boxes of a search."""


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The objective is the largest of `parts` (P,), with gradients (P, n); `over` (C,) must not be positive, by its own sizes. For sums
    of squares the one part is Σ r², with the residuals (R,) and their gradients."""

    parts: np.ndarray
    gradient: np.ndarray
    over: np.ndarray = field(default_factory=lambda: np.zeros(0))
    over_gradient: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    residual: np.ndarray | None = None
    jacobian: np.ndarray | None = None

    @property
    def value(self) -> float:
        """The objective."""
        return float(self.parts.max())

    @property
    def exceeded(self) -> float:
        """The largest excess over a limit."""
        return float(self.over.max(initial=0.0))


def squares(residual: np.ndarray, jacobian: np.ndarray, over: np.ndarray, of_over: np.ndarray) -> Evaluated:
    """Σ r² as an objective."""
    slope = 2.0 * residual @ jacobian
    return Evaluated(np.array([residual @ residual]), slope[None], over, of_over, residual, jacobian)


class Sought(Protocol):
    """What is sought: values between `low` and `high`."""

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    squares: bool
    """Whether the objective is a sum of squares."""

    def begun(self, start: np.ndarray) -> tuple[Sought, np.ndarray]:
        """The problem for one search, with what it remembers between evaluations, and the values to begin at."""

    def evaluate(self, x: np.ndarray) -> Evaluated:
        """At these values; a `DalembertError` where there is no such mechanism."""

    def keep(self) -> None:
        """The last evaluation was the best so far: begin from there what is found by steps, such as poses."""

    def reached(self) -> np.ndarray:
        """What was kept."""


@dataclass(frozen=True, eq=False)
class SearchEnd:
    """Where a search from one start ended: the values, the objective, by how much limits are exceeded, and why it went no further."""

    start: np.ndarray
    x: np.ndarray
    value: float
    exceeded: float
    evaluations: int
    settled: bool
    problem: str = ""
    """Why there was no search from here."""
    reached: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """What the problem remembered at the end."""

    @property
    def good(self) -> bool:
        """Whether it ended where everything is within its limits."""
        return not self.problem and self.exceeded <= ALLOWED


def search(problem: Sought, start: np.ndarray) -> SearchEnd:
    """The best values that are reached from a start."""
    with one_thread():
        problem, begun = problem.begun(np.asarray(start, dtype=float))
        begun = np.clip(begun, problem.low, problem.high)
        at = _Scaled(problem)
        try:
            first = at.evaluated(at.scaled(begun))
        except DalembertError as why:
            return SearchEnd(begun, begun, np.inf, np.inf, at.evaluations, False, str(why))
        at.begin(at.scaled(begun), first)
        settled = (_least_squares if problem.squares else _in_boxes)(at)
        found = at.found
        return SearchEnd(
            begun, at.values(at.best), found.value, found.exceeded, at.evaluations, settled, reached=problem.reached()
        )


class _Scaled:
    """A problem in values by their ranges, evaluated once at each; where there is none, the last slope and a large value."""

    def __init__(self, problem: Sought):
        self.problem, self.evaluations, self.size = problem, 0, 1.0
        self._span = problem.high - problem.low
        self._last: tuple[bytes, Evaluated | DalembertError] | None = None

    def scaled(self, x: np.ndarray) -> np.ndarray:
        return np.asarray((x - self.problem.low) / self._span)

    def values(self, z: np.ndarray) -> np.ndarray:
        return np.clip(self.problem.low + self._span * z, self.problem.low, self.problem.high)

    def begin(self, z: np.ndarray, first: Evaluated) -> None:
        self.size = abs(first.value) or 1.0
        self._good = first
        self._take(z, first)

    def _take(self, z: np.ndarray, found: Evaluated) -> None:
        self.best, self.found, self.least = z.copy(), found, self._merit(found)
        self.problem.keep()

    def _merit(self, found: Evaluated) -> float:
        """The objective with the price of what is exceeded."""
        return found.value / self.size + PRICE * found.exceeded

    def evaluated(self, z: np.ndarray) -> Evaluated:
        key = z.tobytes()
        if self._last is None or self._last[0] != key:
            self.evaluations += 1
            try:
                self._last = key, self.problem.evaluate(self.values(z))
            except DalembertError as problem:
                self._last = key, problem
        found = self._last[1]
        if isinstance(found, DalembertError):
            raise found
        return found

    def tried(self, z: np.ndarray) -> Evaluated | None:
        """None where there is no such mechanism."""
        try:
            self._good = self.evaluated(z)
        except DalembertError:
            return None
        if self._merit(self._good) < self.least:
            self._take(z, self._good)
        return self._good

    def residual(self, z: np.ndarray, weight: float) -> np.ndarray:
        """Residuals, and what is exceeded by its weight."""
        found = self.tried(z)
        if found is None:
            assert self._good.residual is not None
            return np.full(len(self._good.residual) + len(self._good.over), FORBIDDEN)
        assert found.residual is not None
        return np.concatenate([found.residual / np.sqrt(self.size), np.sqrt(weight) * np.maximum(found.over, 0.0)])

    def jacobian(self, z: np.ndarray, weight: float) -> np.ndarray:
        found = self.tried(z) or self._good
        assert found.jacobian is not None
        J = found.jacobian * self._span / np.sqrt(self.size)
        if not len(found.over):
            return np.asarray(J)
        beyond = (found.over > 0.0)[:, None] * found.over_gradient * self._span
        return np.vstack([J, np.sqrt(weight) * beyond])

    def within(self, y: np.ndarray) -> np.ndarray:
        """Room left at y = (z, objective, what limits give way by): none of it may be negative."""
        found = self.tried(y[:-2])
        if found is None:
            return np.full(len(self._good.parts) + len(self._good.over), -FORBIDDEN)
        return np.concatenate([y[-2] - found.parts / self.size, y[-1] - found.over])

    def within_gradient(self, y: np.ndarray) -> np.ndarray:
        found = self.tried(y[:-2]) or self._good
        of_parts = np.hstack([-found.gradient * self._span / self.size, np.tile([1.0, 0.0], (len(found.parts), 1))])
        of_over = np.hstack([-found.over_gradient * self._span, np.tile([0.0, 1.0], (len(found.over), 1))])
        return np.vstack([of_parts, of_over]) if len(found.over) else of_parts


def _least_squares(at: _Scaled) -> bool:
    """Search from the best so far; whether it settled."""
    settled = False
    for weight in WEIGHTS if len(at.found.over) else WEIGHTS[:1]:
        found = least_squares(
            at.residual, at.best, at.jacobian, bounds=(0.0, 1.0), xtol=SETTLED, ftol=SETTLED, gtol=SETTLED, max_nfev=MOST_STEPS,
            args=(weight,),
        )  # fmt: skip
        settled = bool(found.status > 0)
        at.tried(found.x)
        if at.found.exceeded == 0.0:  # no limit stands in the way
            break
    return settled


def _in_boxes(at: _Scaled) -> bool:
    """Search in boxes about the best so far; whether it settled."""
    box = FIRST_BOX
    for _ in range(MOST_BOXES):
        before, least = at.best, at.least
        ended = _in_a_box(at, box)
        at_edge = float(np.abs(at.best - before).max(initial=0.0)) >= AT_EDGE * box
        if not at_edge:
            gain = least - at.least
            if gain > 0.0 and (ended or gain <= SETTLED * abs(least)):
                return True
            box *= SMALLER
        if box < LAST_BOX:
            return True
    return False


def _in_a_box(at: _Scaled, box: float) -> bool:
    """Look about the best so far; whether a best point of the box was settled on."""
    z, found = at.best, at.found
    begun = np.concatenate([z, [found.value / at.size, max(0.0, found.exceeded)]])
    price = np.concatenate([np.zeros(len(z)), [1.0, PRICE]])
    ends = [(max(0.0, x - box), min(1.0, x + box)) for x in z.tolist()]
    slsqp: Any = minimize
    made = slsqp(
        lambda y: float(price @ y), begun, jac=lambda y: price, method="SLSQP", bounds=[*ends, (None, None), (0.0, None)],
        constraints={"type": "ineq", "fun": at.within, "jac": at.within_gradient},
        options={"ftol": SETTLED, "maxiter": IN_A_BOX},
    )  # fmt: skip
    at.tried(np.clip(made.x[:-2], *np.array(ends).T))
    return bool(made.status == 0)
