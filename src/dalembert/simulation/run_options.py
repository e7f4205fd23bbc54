"""The options of a run, checked and complete: what decides, with model and initial values, every number it gives."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.mechanism.formulation_settings import FormulationSettings, recorded_formulation
from dalembert.mechanism.simulation_options import (
    EVENTS,
    RTOL,
    RTOL_CONSTRAINED,
    SAMPLES,
    STEPS,
    STEPS_FIXED,
    STEPS_IMPLICIT,
    THETA,
    USUAL,
    SimulationOptions,
    Stabilisation,
    recorded,
    stabilisation,
)
from dalembert.mechanism.simulation_options import options as every_option
from dalembert.simulation.error_sizes import SMALL, sizes_at, state_sizes
from dalembert.simulation.integrators.integrator import ADAPTIVE, FIXED, Integrator, fixed_step_names, integrator_named

MOST_SAMPLES = 100_000_000
LEAST_RTOL = 1e-14
"""Relative tolerance below which double precision meets none."""
ROUNDED_UP, AT_END = 1e-12, 1e-9
"""Part of a count of outputs, or of a time, that is rounding; part of an interval within which the last output is the end."""


@dataclass(frozen=True, eq=False)
class Options:
    """`SimulationOptions` for one mechanism and one duration: what was left open is decided, names have become what they name."""

    chosen: SimulationOptions
    """What was said, by call or plan."""
    method: Integrator
    start: float
    times: np.ndarray
    step: float
    rtol: float
    atol: np.ndarray
    sizes: np.ndarray
    """Sizes of (q, u), by which errors are judged where no absolute tolerance was asked for."""
    max_step: float
    max_steps: int
    stabilise: Stabilisation
    constraints: str
    formulation: str | FormulationSettings
    restitution: str
    max_events: int
    assemble: bool
    theta: float
    state_sizes: np.ndarray
    """What is large for each state of an element."""

    @property
    def end(self) -> float:
        return float(self.times[-1])

    @property
    def state_atol(self) -> np.ndarray:
        """Absolute tolerances of the states of elements."""
        asked = np.asarray(self.chosen.atol if self.chosen.atol is not None else np.zeros(0), dtype=float)
        if asked.ndim == 0:
            return np.full(len(self.state_sizes), float(asked))
        if asked.size == len(self.sizes) + len(self.state_sizes):
            return asked[len(self.sizes) :]
        return self.rtol * SMALL * self.state_sizes

    def beginning(self, m: Mechanism, q: np.ndarray, u: np.ndarray) -> Options:
        """The same for runs from these states: where nothing in a mechanism says a length, they do."""
        sizes = sizes_at(m, q, u)
        asked = self.chosen.atol is not None
        return replace(self, sizes=sizes, atol=self.atol if asked else self.rtol * SMALL * sizes)

    def record(self) -> dict[str, Any]:
        """For the result and for files: every option that its integrator has, as it was decided; of outputs the end."""
        names = recorded_options(self.method.adaptive, self.method.takes_impacts)
        found = {name: _plain(getattr(self if decided else self.chosen, name)) for name, decided in names.items()}
        found["end"] = self.end
        if "atol" in found:
            found["atol"] = [*self.atol.tolist(), *self.state_atol.tolist()]
        return found


@cache
def recorded_options(adaptive: bool, takes_impacts: bool) -> dict[str, bool]:
    """Options that such an integrator has; and whether `Options` decides them, or they are as they were said."""
    of = ("", "any", "adaptive" if adaptive else "fixed")
    others = ("output",) if takes_impacts else ("output", "theta")
    decided = {f.name for f in fields(Options)}
    return {name: name in decided for name, x in every_option().items() if x.steps in of and name not in others}


def _plain(x: Any) -> Any:
    """As it can be written down."""
    if x is None or type(x) in (str, int, bool):
        return x
    if isinstance(x, Integrator):
        return x.name
    if isinstance(x, Stabilisation):
        return recorded(x)
    if isinstance(x, FormulationSettings):
        return recorded_formulation(x)
    if isinstance(x, float) and not math.isfinite(x):
        return None
    return x.tolist() if isinstance(x, np.ndarray) else x


def options(m: Mechanism, duration: float | None, said: SimulationOptions) -> Options:
    """Everything filled in. A step without a method means RK4; nothing at all means DOP853 at its default tolerance."""
    if duration is None:
        raise SimulationError(
            "say how long to simulate: m.simulate(10.0), or simulation: {duration: 10.0} in the model file"
        )
    length = _positive(duration, "duration")
    chosen = said.completed(USUAL)
    method = integrator_named(chosen.method or (FIXED if chosen.step is not None else ADAPTIVE))
    _check_steps(method, chosen, length)
    relative = chosen.rtol or (RTOL_CONSTRAINED if m.cuts or m.constraints or m.laws else RTOL)
    if relative < LEAST_RTOL:
        raise SimulationError(
            f"rtol={relative!r} is below what double precision can meet; give at least {LEAST_RTOL:g}"
        )
    assert chosen.start is not None and chosen.stabilise is not None
    assert chosen.constraints is not None and chosen.formulation is not None and chosen.assemble is not None
    return Options(
        chosen,
        method,
        chosen.start,
        _times(length, chosen.output, chosen.start),
        chosen.step or 0.0,
        relative,
        relative * SMALL * m.scales.sizes if chosen.atol is None else _absolute(m, chosen.atol),
        m.scales.sizes,
        chosen.max_step or _longest_step(m, length),
        chosen.max_steps or _most_steps(method),
        stabilisation(chosen.stabilise),
        chosen.constraints,
        chosen.formulation,
        chosen.restitution or "newton",
        chosen.max_events or EVENTS,
        chosen.assemble,
        chosen.theta or THETA,
        state_sizes(m),
    )


def _check_steps(method: Integrator, chosen: SimulationOptions, length: float) -> None:
    """A fixed step for integrators that have one, tolerances for those that choose it."""
    if method.adaptive and chosen.step is not None:
        fixed = " or ".join(map(repr, fixed_step_names()))
        raise SimulationError(
            f"method={method.name!r} chooses its step by tolerance, but step={chosen.step!r} was given; "
            f"leave out step, or choose {fixed}"
        )
    if chosen.theta is not None and not method.takes_impacts:
        raise SimulationError(f'theta={chosen.theta!r} is for method="moreau", not for {method.name!r}; leave it out')
    if chosen.theta is not None and not 0.5 <= chosen.theta <= 1.0:
        raise SimulationError(f"theta={chosen.theta!r} must lie between 0.5, the most accurate, and 1, the most damped")
    if method.adaptive:
        return
    if chosen.step is None:
        raise SimulationError(f"method={method.name!r} has a fixed step; give it with step=")
    latest = max(abs(chosen.start or 0.0), abs((chosen.start or 0.0) + length))
    if chosen.step < math.ulp(latest):
        raise SimulationError(
            f"step={chosen.step!r} s is below the rounding of time at t = {latest:g} s, so that time would not go on; give a longer one"
        )
    if any(every_option()[name].steps == "adaptive" for name in chosen.said):
        raise SimulationError(f"method={method.name!r} has a fixed step, so it takes no tolerances")


def _most_steps(method: Integrator) -> int:
    if not method.adaptive:
        return STEPS_FIXED
    return STEPS_IMPLICIT if method.implicit else STEPS


def _longest_step(m: Mechanism, duration: float) -> float:
    """As long as tolerances allow. Where time alone moves everything there is no error to limit it, yet events must be seen."""
    return math.inf if m.n_u else duration / (SAMPLES - 1)


def _times(duration: float, output: Any, start: float) -> np.ndarray:
    """None: evenly spaced; a number: that interval; a sequence: those times, after which the run ends at `duration`."""
    end = start + duration
    times: np.ndarray
    if output is None:
        times = np.linspace(start, end, SAMPLES)
    elif isinstance(output, float):
        intervals = duration / output * (1 + ROUNDED_UP)
        if not intervals <= MOST_SAMPLES:
            raise SimulationError(
                f"output={output!r} makes {intervals:.0f} samples; give a longer interval, or the times wanted"
            )
        count = math.floor(intervals)
        times = start + output * np.arange(count + 1)
        if end - times[-1] > AT_END * output:
            times = np.append(times, end)
        times[-1] = min(times[-1], end) if count else end
    else:
        times = np.array(output)
        if times[0] < start or times[-1] > end * (1 + ROUNDED_UP):
            raise SimulationError(
                f"output times must lie between {start:g} and {end:g} s, not {times[0]:g} … {times[-1]:g}"
            )
    times.flags.writeable = False
    return times


def _absolute(m: Mechanism, atol: Any) -> np.ndarray:
    n = m.n_q + m.n_u
    if np.shape(atol) == (n + m.n_z,):
        return np.asarray(atol, dtype=float)[:n].copy()
    try:
        return np.broadcast_to(atol, (n,)).copy()
    except ValueError:
        raise SimulationError(f"atol must be one number, or one for each of the {n} of (q, u)") from None


def _positive(given: Any, what: str) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError) as problem:
        raise SimulationError(f"{what}={given!r} must be a positive number") from problem
    if isinstance(given, str):
        raise SimulationError(f"{what}={given!r} is text; give a positive number")
    if not (math.isfinite(value) and value > 0.0):
        raise SimulationError(f"{what}={given!r} must be positive and finite")
    return value
