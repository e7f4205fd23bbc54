"""Step-size control: how long the next step is, or the next trial of one, by the errors of this step and of the last.

Errors are measured so that 1 is what the tolerances allow: by the state alone, or under constraints also by the size of what moves, as
a dependent coordinate or speed may pass through zero while others of its kind are large; its error is then theirs. `limited`, `arrival`
and their neighbours make steps end where they must.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from dalembert.mechanism import Mechanism
from dalembert.simulation.error_sizes import speed_units
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import PartPointers
from dalembert.trace.native import Bool, FunctionBuilder, Real, Variables, maximum, minimum, select

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
KINDS = ("rad/s", "m/s", "1/s")
"""Kinds of speeds: turning, sliding, deforming."""


class StepControl(Protocol):
    """`p` is the memory of the run; `v` holds what a step under way knows: `h`, `error` and `safety` of its last trial."""

    def parts(self) -> dict[str, int]:
        """Sizes of its parts of the memory."""

    def first_values(self) -> dict[str, Any]:
        """What they begin with."""

    def shortened(self, p: PartPointers, v: Variables) -> Real:
        """The length of the next trial after one whose error was too large."""

    def factor(self, p: PartPointers, v: Variables) -> Real:
        """How many times as long the next step may be as this one, which was accepted."""

    def remember(self, p: PartPointers, v: Variables) -> None:
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

    def shortened(self, p: PartPointers, v: Variables) -> Real:
        error = v.error
        part = maximum(self.shrink, v.safety / error**self.exponent)
        length: Real = v.h * select(error < FINITE, part, AFTER_NOT_FINITE)
        return length

    def factor(self, p: PartPointers, v: Variables) -> Real:
        before = p.last_error[0] ** self.beta
        return maximum(self.shrink, minimum(self.grow, v.safety * before / maximum(v.error, 1e-300) ** self.exponent))

    def remember(self, p: PartPointers, v: Variables) -> None:
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

    def shortened(self, p: PartPointers, v: Variables) -> Real:
        part = maximum(self.shrink, minimum(self._wanted(p, v), REFUSED))
        length: Real = v.h * select(v.error < FINITE, part, AFTER_NOT_FINITE)
        return length

    def factor(self, p: PartPointers, v: Variables) -> Real:
        return maximum(self.shrink, minimum(self._wanted(p, v), self.grow))

    def remember(self, p: PartPointers, v: Variables) -> None:
        p.last_step[0], p.last_error[0] = v.h, maximum(v.error, self.least_remembered)

    def _wanted(self, p: PartPointers, v: Variables) -> Real:
        h, error = v.h, v.error
        trend = h / p.last_step[0] * (p.last_error[0] / error) ** self.exponent
        wanted: Real = v.safety * select(p.last_step[0] <= 0.0, 1.0, minimum(1.0, trend)) / error**self.exponent
        return wanted


def limited(p: PartPointers, h: Real) -> Real:
    """Not longer than allowed, and ending at `end` where that is near."""
    h = minimum(h, p.longest_step[0])
    rest = p.end[0] - p.t_old[0]
    return select(TO_END * h >= rest, rest, h)


def unlimited(p: PartPointers, h: Real, following: Real) -> Real:
    """The next step; after one that only `end` made short, not shorter than was planned."""
    return select(h < p.step[0], maximum(following, p.step[0]), following)


def arrival(p: PartPointers, h: Real) -> Real:
    """Time after the step, exactly `end` where the step leads there."""
    return select(h >= p.end[0] - p.t_old[0], p.end[0], p.t_old[0] + h)


def least_step(p: PartPointers, t: Any) -> Real:
    """What is lost in the rounding of time."""
    least: Real = LEAST_STEP * ROUNDING * maximum(abs(t), abs(p.end[0]))
    return least


def too_small(p: PartPointers, h: Real) -> Bool:
    """Whether a step is lost in the rounding of time (unless `end` is that near)."""
    return ((h <= least_step(p, p.t_old[0])) & (h < p.end[0] - p.t_old[0])).all()


def by_state(p: PartPointers, rtol: Real, i: Any) -> Real:
    """atol + rtol max(|y₀|, |y₁|)."""
    scale: Real = p.atol[i] + rtol * maximum(abs(p.y_old[i]), abs(p.y[i]))
    return scale


class StateScale:
    """Measures errors by the state at both ends of the step."""

    @staticmethod
    def parts(m: Unknowns) -> dict[str, int]:
        return {}

    @staticmethod
    def first_values(m: Mechanism) -> dict[str, Any]:
        return {}

    def of(self, p: PartPointers, rtol: Real, i: Any) -> Real:
        """The error of component i that the tolerances allow."""
        return by_state(p, rtol, i)

    def measure(self, f: FunctionBuilder, h: Real | float) -> None:
        """Prepare to measure a trial of length h, whose end is in y."""

    def accept(self, f: FunctionBuilder) -> None:
        """Take note of the state in y, at which a step has arrived."""


class SizeScale(StateScale):
    """Measures them by sizes too: 1 rad or a length for coordinates, the fastest yet of its kind and connected part for a
    speed. Speeds of a formulation that are not the mechanism's are of one kind, each measured by its absolute tolerance.

    Memory: `size` of every component; `fastest` speed of each kind, part by part, in the steps accepted so far.
    """

    def __init__(self, e: MarchedEquations):
        m = e.mechanism
        self._own = e.rhs.uses_mechanism_speeds
        units = speed_units(m) if self._own else [KINDS[0]] * e.n_u
        self._kinds = [len(KINDS) * part + KINDS.index(unit) for part, unit in zip(e.rhs.parts_of_speeds, units)]
        self._measure, self._accept = self._emit_measure(e), self._emit_accept(e)

    def _unit(self, p: PartPointers, at: Any) -> Any:
        """What a speed is measured in, among those of its kind."""
        return 1.0 if self._own else p.atol[at]

    @staticmethod
    def parts(m: Unknowns) -> dict[str, int]:
        return {"size": m.n, "fastest": m.n_parts * len(KINDS)}

    @staticmethod
    def first_values(m: Mechanism) -> dict[str, Any]:
        return {"size": [*m.scales.coordinates]}

    def of(self, p: PartPointers, rtol: Real, i: Any) -> Real:
        """atol + rtol max(|y₀|, |y₁|, size)."""
        scale: Real = p.atol[i] + rtol * maximum(maximum(abs(p.y_old[i]), abs(p.y[i])), p.size[i])
        return scale

    def measure(self, f: FunctionBuilder, h: Real | float) -> None:
        f.call(self._measure, f.memory, f.inputs, f.work, h)

    def accept(self, f: FunctionBuilder) -> None:
        f.call(self._accept, f.memory, f.inputs, f.work)

    def _emit_measure(self, e: MarchedEquations) -> Any:
        """`sizes(memory, inputs, work, h)`: of a speed, the fastest of its kind and part yet, in the trial, or by its rate over h."""
        kinds = e.module.int_table(self._kinds)
        with e.function("sizes", h=Real) as f:
            count = len(e.mechanism.parts) * len(KINDS)
            p, top = e.layout.of(f.memory), f.array(count)
            with f.loop(count) as kind:
                top[kind] = p.fastest[kind]
            with f.loop(e.n_u) as i:
                kind, at = kinds[i], i + e.n_q
                largest = maximum(maximum(abs(p.y_old[at]), abs(p.y[at])), abs(f.h * p.dy[at]))
                top[kind] = maximum(top[kind], largest / self._unit(p, at))
            with f.loop(e.n_u) as i:
                p.size[i + e.n_q] = top[kinds[i]] * self._unit(p, i + e.n_q)
        return f.signature

    def _emit_accept(self, e: MarchedEquations) -> Any:
        """`fastest_yet(memory, inputs, work)`: the fastest of each kind and part, with the speeds of a step that was accepted."""
        kinds = e.module.int_table(self._kinds)
        with e.function("fastest_yet") as f:
            p = e.layout.of(f.memory)
            with f.loop(e.n_u) as i:
                at = i + e.n_q
                p.fastest[kinds[i]] = maximum(p.fastest[kinds[i]], abs(p.y[at]) / self._unit(p, at))
        return f.signature
