"""The options of a run, checked and complete: what decides, with model and initial values, every number it gives."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.arguments import numbers
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.integrator import Method
from dalembert.simulation.integrators.registry import METHODS, method_named
from dalembert.simulation.scales import SMALL, sizes_at

RTOL, RTOL_HELD = 1e-10, 1e-12
"""Of trees; and of mechanisms with loops or constraints, whose energy is to be kept to 1e-10 as their loops are closed to rounding."""
SAMPLES = 201
"""Output times of a run whose `output` is not given."""
STEPS, STEPS_FIXED = 1_000_000, 10_000_000
"""Most steps of a run: of methods that choose them, and of those whose number is known beforehand."""
MOST_SAMPLES = 100_000_000


@dataclass(frozen=True, eq=False)
class Options:
    """Method, step or tolerances, output times."""

    method: Method
    start: float
    times: np.ndarray
    step: float
    rtol: float
    atol: np.ndarray
    sizes: np.ndarray
    """Of (q, u), by which errors are judged where no absolute tolerance was asked for."""
    asked: bool
    """Whether `atol` was."""
    max_step: float
    max_steps: int

    @property
    def end(self) -> float:
        return float(self.times[-1])

    def beginning(self, m: Mechanism, q: np.ndarray, u: np.ndarray) -> Options:
        """The same for runs from these states: where nothing in a mechanism says a length, they do."""
        sizes = sizes_at(m, q, u)
        return replace(self, sizes=sizes, atol=self.atol if self.asked else self.rtol * SMALL * sizes)

    def record(self) -> dict[str, Any]:
        """For the result and for files."""
        made: dict[str, Any] = {"method": self.method.name, "start": self.start, "end": self.end}
        if not self.method.adaptive:
            return made | {"step": self.step}
        return made | {
            "rtol": self.rtol,
            "atol": self.atol.tolist(),
            "max_step": self.max_step if math.isfinite(self.max_step) else None,
        }


def options(
    m: Mechanism,
    duration: Any,
    method: str | None = None,
    step: float | None = None,
    rtol: float | None = None,
    atol: Any = None,
    output: Any = None,
    start: float = 0.0,
    max_step: float | None = None,
    max_steps: int | None = None,
) -> Options:
    """Everything filled in. A step without a method means RK4; nothing at all means DOP853 at its default tolerance."""
    if duration is None:
        raise SimulationError(
            "say how long to simulate: m.simulate(10.0), or simulation: {duration: 10.0} in the model file"
        )
    length = _positive(duration, "duration")
    if not math.isfinite(start):
        raise SimulationError(f"start={start!r} must be a finite time")
    chosen = method_named(method if method is not None else "rk4" if step is not None else "dop853")
    if chosen.adaptive and step is not None:
        fixed = " or ".join(repr(name) for name, x in METHODS.items() if not x.adaptive)
        raise SimulationError(
            f"method={chosen.name!r} chooses its step by tolerance, but step={step!r} was given; leave out step, or choose {fixed}"
        )
    if not chosen.adaptive:
        if step is None:
            raise SimulationError(f"method={chosen.name!r} has a fixed step; give it with step=")
        if rtol is not None or atol is not None or max_step is not None:
            raise SimulationError(f"method={chosen.name!r} has a fixed step, so it takes no tolerances")
    usual = RTOL_HELD if m.cuts or m.constraints else RTOL
    relative = usual if rtol is None else _positive(rtol, "rtol")
    if relative < 1e-14:
        raise SimulationError(f"rtol={relative!r} is below what double precision can meet; give at least 1e-14")
    return Options(
        chosen,
        float(start),
        _times(length, output, float(start)),
        0.0 if step is None else _positive(step, "step"),
        relative,
        relative * SMALL * m.scales.sizes if atol is None else _absolute(m, atol),
        m.scales.sizes,
        atol is not None,
        _longest_step(m, length) if max_step is None else _positive(max_step, "max_step"),
        (STEPS if chosen.adaptive else STEPS_FIXED) if max_steps is None else int(_positive(max_steps, "max_steps")),
    )


def _longest_step(m: Mechanism, duration: float) -> float:
    """As long as tolerances allow. Where time alone moves everything there is no error to limit it, yet events must be seen."""
    return math.inf if m.n_u else duration / (SAMPLES - 1)


def _times(duration: float, output: Any, start: float) -> np.ndarray:
    """None: evenly spaced; a number: that interval; a sequence: those times, after which the run ends at `duration`."""
    end = start + duration
    times: np.ndarray
    if output is None:
        times = np.linspace(start, end, SAMPLES)
    elif np.ndim(output) == 0:
        interval = _positive(output, "output")
        intervals = duration / interval * (1 + 1e-12)
        if not intervals <= MOST_SAMPLES:
            raise SimulationError(
                f"output={output!r} makes {intervals:.0f} samples; give a longer interval, or the times wanted"
            )
        count = math.floor(intervals)
        times = start + interval * np.arange(count + 1)
        if end - times[-1] > 1e-9 * interval:
            times = np.append(times, end)
        times[-1] = min(times[-1], end) if count else end
    else:
        times = numbers(output, "simulate: output")
        if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0):
            raise SimulationError("output must be an interval or increasing times")
        if times[0] < start or times[-1] > end * (1 + 1e-12):
            raise SimulationError(
                f"output times must lie between {start:g} and {end:g} s, not {times[0]:g} … {times[-1]:g}"
            )
    times.flags.writeable = False
    return times


def _absolute(m: Mechanism, atol: Any) -> np.ndarray:
    try:
        values = np.broadcast_to(np.asarray(atol, dtype=float), (m.n_q + m.n_u,)).copy()
    except (TypeError, ValueError, OverflowError) as problem:
        raise SimulationError(f"atol must be one number, or one for each of the {m.n_q + m.n_u} of (q, u)") from problem
    if not (np.isfinite(values).all() and (values > 0.0).all()):
        raise SimulationError("atol must be positive")
    return values


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
