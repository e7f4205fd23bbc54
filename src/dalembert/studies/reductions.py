"""What is kept of a quantity over time: its end, its extremes with their times, its mean, its percentiles, or all of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.mechanism import Mechanism
from dalembert.studies.extremes import extreme
from dalembert.studies.percentiles import level
from dalembert.studies.studied_quantities import PARTS, StudyQuantity, quantity

Reduced = dict[str, np.ndarray]
"""Columns by their suffix, "" or ".time": (K, width)."""
Reduce = Callable[[np.ndarray, np.ndarray], Reduced]
"""(times (T,), values (K, T, width)) → what is kept."""


def _end(t: np.ndarray, y: np.ndarray) -> Reduced:
    return {"": y[:, -1]}


def _start(t: np.ndarray, y: np.ndarray) -> Reduced:
    return {"": y[:, 0]}


def _at(t: np.ndarray, y: np.ndarray, k: np.ndarray) -> Reduced:
    """Extremes near a sample of each run, with their instants."""
    values, at = extreme(t, np.moveaxis(y, 1, 2), k)
    return {"": values, ".time": at}


def _min(t: np.ndarray, y: np.ndarray) -> Reduced:
    return _at(t, y, y.argmin(axis=1))


def _max(t: np.ndarray, y: np.ndarray) -> Reduced:
    return _at(t, y, y.argmax(axis=1))


def _peak(t: np.ndarray, y: np.ndarray) -> Reduced:
    found = _at(t, y, np.abs(y).argmax(axis=1))
    return {"": np.abs(found[""]), ".time": found[".time"]}


def _mean_over_time(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    if len(t) < 2 or t[-1] == t[0]:
        return np.asarray(y[:, -1])
    step = np.diff(t) / (t[-1] - t[0])
    made: np.ndarray = 0.5 * ((y[:, 1:] + y[:, :-1]) * step[None, :, None]).sum(axis=1)
    return made


def _mean(t: np.ndarray, y: np.ndarray) -> Reduced:
    return {"": _mean_over_time(t, y)}


def _rms(t: np.ndarray, y: np.ndarray) -> Reduced:
    return {"": np.sqrt(_mean_over_time(t, y * y))}


def _range(t: np.ndarray, y: np.ndarray) -> Reduced:
    return {"": _max(t, y)[""] - _min(t, y)[""]}


def _percentile(p: float) -> Reduce:
    return lambda t, y: {"": level(t, y, p)}


REDUCTIONS: dict[str, Reduce] = {
    "end": _end, "start": _start, "min": _min, "max": _max, "peak": _peak, "mean": _mean, "rms": _rms, "range": _range,
}  # fmt: skip
"""Reductions by word; "p95" is the 95th percentile over time, "series" keeps all times, or those after "at"."""
OF_EVENTS = ("count", "first", "last")
"""What is kept of an event: how often it happened, and when first and last."""
_PERCENTILE = re.compile(r"^p(\d+(?:\.\d+)?)$")
_MOTION = re.compile(r"^motion(?:\s+at\s+(.+))?$")
_SERIES = re.compile(r"^series\s+(.+?)(?:\s+at\s+(.+))?$")


@dataclass(frozen=True)
class OfMotion:
    """A user's function of a whole motion, a number or several."""

    function: Callable[[Any], Any]
    unit: str = ""


def of_motion(function: Callable[[Any], Any], unit: str = "") -> OfMotion:
    """An output by a function of the whole `Motion`: `outputs={"drift": da.studies.of_motion(lambda motion: np.ptp(motion["A"]))}`."""
    if not callable(function):
        raise ArgumentError(f"of_motion must be given a function of a motion, not {function!r}")
    return OfMotion(function, unit)


@dataclass(frozen=True, eq=False)
class WantedOutput:
    """One thing that is wanted of every run."""

    name: str
    how: str
    quantity: StudyQuantity | None = None
    event: str = ""
    function: Callable[[Any], Any] | None = None
    own_unit: str = ""
    times: np.ndarray | None = field(default=None)
    """Times of a series; None for all output times."""

    @property
    def unit(self) -> str:
        return self.own_unit if self.quantity is None else self.quantity.unit

    @property
    def series(self) -> bool:
        return self.how == "series"

    @property
    def reduce(self) -> Reduce:
        percentile = _PERCENTILE.match(self.how)
        return _percentile(float(percentile[1])) if percentile else REDUCTIONS[self.how]

    def columns(self, t: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        """(K,) columns by name, from values (K, T, width) at the times."""
        found = {}
        for suffix, values in self.reduce(t, y).items():
            for part, column in zip(parts(values.shape[1]), values.T):
                found[self.name + part + suffix] = np.ascontiguousarray(column)
        return found

    def recorded(self) -> list[Any]:
        """For files."""
        said = "" if self.quantity is None else self.quantity.said
        return [self.name, self.how, said, self.event, None if self.times is None else self.times.tolist()]

    @property
    def functions(self) -> list[Any]:
        """What is called to have it."""
        return [self.function, None if self.quantity is None else self.quantity.of_state]


def parts(width: int) -> list[str]:
    """Endings of the columns of one quantity."""
    if width == 1:
        return [""]
    return [f".{p}" for p in PARTS[:3]] if width == 3 else [f".{i + 1}" for i in range(width)]


def outputs_of(m: Mechanism, asked: Any, events: Mapping[str, Any]) -> tuple[WantedOutput, ...]:
    """The outputs that a study asks for: text, (how, quantity or function), or `of_motion`, by name or in a list."""
    if isinstance(asked, str):
        asked = [asked]
    if isinstance(asked, Mapping):
        named = list(asked.items())
    elif isinstance(asked, Sequence) and asked:
        named = [(x if isinstance(x, str) else "", x) for each in asked for x in _whole_motion(m, each)]
    else:
        named = []
    if not named:
        raise ArgumentError('study: outputs must say what is wanted, for example outputs=["max swing", "end A"]')
    made = tuple(_output_of(m, str(name), x, events) for name, x in named)
    names = [x.name for x in made]
    twice = {name for name in names if names.count(name) > 1}
    if twice or "" in names:
        raise ArgumentError(
            f"study: outputs need names of their own, {{name: output}}: {sorted(twice) or 'some have none'}"
        )
    return made


def _whole_motion(m: Mechanism, asked: Any) -> list[Any]:
    """All coordinates and speeds as series, where "motion" or "motion at 0, 0.5, 1" is asked for; anything else as it is."""
    found = _MOTION.match(asked.strip()) if isinstance(asked, str) else None
    if not found or "motion" in (*m.coordinates, *m.plan.outputs):
        return [asked]
    at = f" at {found[1]}" if found[1] else ""
    return [f"series {name}{at}" for name in (*m.coordinates, *(f"{u}'" for u in m.speeds))]


def _output_of(m: Mechanism, name: str, asked: Any, events: Mapping[str, Any]) -> WantedOutput:
    where = f"study: output {name!r}"
    if isinstance(asked, OfMotion):
        return WantedOutput(name, "function", function=asked.function, own_unit=asked.unit)
    if isinstance(asked, tuple) and len(asked) == 2 and isinstance(asked[0], str):
        how, of = asked
    elif isinstance(asked, str):
        series = _SERIES.match(asked.strip())
        if series:
            return WantedOutput(name, "series", quantity(m, series[1], where), times=_times(series[2], where))
        how, _, of = asked.strip().partition(" ")
        if not of or not _is_reduction(how):
            how, of = "end", asked
    else:
        raise ArgumentError(
            f'{where}: {asked!r} is no output; give text such as "max swing", a pair ("max", function of the state), or '
            "da.studies.of_motion(function)"
        )
    if how in OF_EVENTS:
        event = str(of).removeprefix("event ").strip()
        if event not in events:
            known = ", ".join(events) or "none: give events={name: function}"
            raise ArgumentError(f"{where}: there is no event {event!r}; known: {known}")
        return WantedOutput(name, how, event=event, own_unit="" if how == "count" else "s")
    if how != "series" and not _is_reduction(how):
        known = ", ".join([*REDUCTIONS, "p95", "series", *OF_EVENTS])
        raise ArgumentError(f"{where}: {how!r} is not known; say one of {known}")
    return WantedOutput(name, how, quantity(m, of, where))


def _is_reduction(word: str) -> bool:
    percentile = _PERCENTILE.match(word)
    return word in REDUCTIONS or word in OF_EVENTS or bool(percentile and float(percentile[1]) <= 100.0)


def _times(text: str | None, where: str) -> np.ndarray | None:
    if text is None:
        return None
    try:
        times = np.array([float(x) for x in text.split(",")])
    except ValueError:
        raise ArgumentError(f'{where}: the times after "at" must be numbers, 0, 0.5, 1; not {text!r}') from None
    if np.any(np.diff(times) <= 0.0):
        raise ArgumentError(f'{where}: the times after "at" must increase')
    return times
