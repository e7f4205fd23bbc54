"""Step-size control: how long the next step is, or the next trial of one, by the errors of this step and of the last.

Errors are measured so that 1 is what the tolerances allow. `limited`, `arrival` and their neighbours make steps end where they must.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from dalembert.trace.native import Bool, Real, maximum, minimum, select

ROUNDING = 2.0**-52
"""Distance of neighbouring numbers, relative."""
FINITE = 1e100
"""Error above which a trial is taken for not finite."""
AFTER_NOT_FINITE = 0.1
"""Part of a step that is tried next if it led to what is not finite."""
LEAST_REMEMBERED = 1e-4
"""Error of the last step that is remembered at least, and at the start: a lucky step says little about the next."""
BETA_SHARE = 0.2
"""Part of β by which the exponent of the last error is lessened, so that the step's order stays right [Hairer and Wanner, IV.2]."""
REFUSED = 0.9
"""Most that is left of a step's length after one that was refused."""
TO_END = 1.01
"""How many steps' length before the end the step is drawn out to reach it."""
LEAST_STEP = 10.0
"""Roundings of time below which no step is made."""


class StepControl(Protocol):
    """`p` is the memory of the run; `v` holds what a step under way knows: `h`, `error` and `safety` of its last trial."""

    def parts(self) -> dict[str, int]:
        """Sizes of its parts of the memory."""

    def first_values(self) -> dict[str, Any]:
        """What they begin with."""

    def shortened(self, p: Any, v: Any) -> Real:
        """The length of the next trial after one whose error was too large."""

    def factor(self, p: Any, v: Any) -> Real:
        """How many times as long the next step may be as this one, which was accepted."""

    def remember(self, p: Any, v: Any) -> None:
        """Keep what the choice after the next step needs of this one."""


@dataclass(frozen=True)
class PIControl:
    """PI control of explicit methods: h' = h · safety · e₋₁^β / e^α, α = 1/order − 0.2 β (Hairer, Nørsett and Wanner I, IV.2)."""

    order: int
    beta: float = 0.0
    """Weight of the last step's error; 0 for the elementary controller."""
    shrink: float = 0.333
    grow: float = 6.0

    @property
    def exponent(self) -> float:
        return 1.0 / self.order - BETA_SHARE * self.beta

    def parts(self) -> dict[str, int]:
        return {"last_error": 1}

    def first_values(self) -> dict[str, Any]:
        return {"last_error": LEAST_REMEMBERED}

    def shortened(self, p: Any, v: Any) -> Real:
        error = v.error
        part = maximum(self.shrink, v.safety / error**self.exponent)
        length: Real = v.h * select(error < FINITE, part, AFTER_NOT_FINITE)
        return length

    def factor(self, p: Any, v: Any) -> Real:
        before = p.last_error[0] ** self.beta
        return maximum(self.shrink, minimum(self.grow, v.safety * before / maximum(v.error, 1e-300) ** self.exponent))

    def remember(self, p: Any, v: Any) -> None:
        p.last_error[0] = maximum(v.error, LEAST_REMEMBERED)


@dataclass(frozen=True)
class GustafssonControl:
    """Gustafsson's predictive control of implicit methods: the trend of the last two errors goes on (Hairer and Wanner II, IV.8)."""

    exponent: float
    shrink: float = 0.2
    grow: float = 8.0
    least_remembered: float = 1e-2

    def parts(self) -> dict[str, int]:
        return {"last_error": 1, "last_step": 1}

    def first_values(self) -> dict[str, Any]:
        return {"last_error": LEAST_REMEMBERED}

    def shortened(self, p: Any, v: Any) -> Real:
        part = maximum(self.shrink, minimum(self._wanted(p, v), REFUSED))
        length: Real = v.h * select(v.error < FINITE, part, AFTER_NOT_FINITE)
        return length

    def factor(self, p: Any, v: Any) -> Real:
        return maximum(self.shrink, minimum(self._wanted(p, v), self.grow))

    def remember(self, p: Any, v: Any) -> None:
        p.last_step[0], p.last_error[0] = v.h, maximum(v.error, self.least_remembered)

    def _wanted(self, p: Any, v: Any) -> Real:
        h, error = v.h, v.error
        trend = h / p.last_step[0] * (p.last_error[0] / error) ** self.exponent
        wanted: Real = v.safety * select(p.last_step[0] <= 0.0, 1.0, minimum(1.0, trend)) / error**self.exponent
        return wanted


def limited(p: Any, h: Real) -> Real:
    """Not longer than allowed, and ending at `end` where that is near."""
    h = minimum(h, p.longest_step[0])
    rest = p.end[0] - p.t_old[0]
    return select(TO_END * h >= rest, rest, h)


def unlimited(p: Any, h: Real, following: Real) -> Real:
    """The next step; after one that only `end` made short, not shorter than was planned."""
    return select(h < p.step[0], maximum(following, p.step[0]), following)


def arrival(p: Any, h: Real) -> Real:
    """Time after the step, exactly `end` where the step leads there."""
    return select(h >= p.end[0] - p.t_old[0], p.end[0], p.t_old[0] + h)


def too_small(p: Any, h: Real) -> Bool:
    """Whether a step is lost in the rounding of time (unless `end` is that near)."""
    least = LEAST_STEP * ROUNDING * maximum(abs(p.t_old[0]), abs(p.end[0]))
    return ((h <= least) & (h < p.end[0] - p.t_old[0])).all()
