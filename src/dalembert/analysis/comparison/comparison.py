"""What a comparison of formulations and constraint methods found: as text, as a DataFrame, as a plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.analysis.comparison.whole_motion import MotionCost
from dalembert.errors import DalembertError
from dalembert.optional import optional
from dalembert.trace import Operations
from dalembert.words import counted

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

NO_ROWS = "no rows"
"""In place of a constraint method where a formulation leaves nothing to constrain."""

_MARGIN, _BAR = 1.2, 0.22
"""Height of a figure without its bars, and of one bar, in inches."""


@dataclass(frozen=True)
class ComparisonEntry:
    """One formulation with one constraint method."""

    formulation: str
    constraints: str
    accelerations: float
    """Largest difference of any body's accelerations from the reference, relative to the largest with or without constraints."""
    multipliers: float
    """The same for the loops' determined multipliers; nan where there are none to compare."""
    unknowns: int
    """Own speeds and multipliers together: the size of the linear system."""
    first_order: int
    operations: Operations
    """In the traced graph of A, f, B and γ; the solution's own work is not among them."""
    trace_seconds: float
    compile_seconds: float
    nanoseconds: float
    """One evaluation of all accelerations in machine code: A, f, B, γ and the solution."""
    motion: MotionCost | None = None
    """What a whole motion costs, of each formulation's fastest entry, where one was asked for."""

    def row(self) -> dict[str, Any]:
        """Every number by name; those of a whole motion are nan where there was none."""
        o, whole = self.operations, self.motion
        return {
            "formulation": self.formulation,
            "constraints": self.constraints,
            "accelerations": self.accelerations,
            "multipliers": self.multipliers,
            "unknowns": self.unknowns,
            "first order": self.first_order,
            "multiplications": o.multiplications,
            "additions": o.additions,
            "trigonometric": o.trigonometric,
            "divisions": o.divisions,
            "trace ms": 1e3 * self.trace_seconds,
            "compile ms": 1e3 * self.compile_seconds,
            "ns": self.nanoseconds,
            "steps": math.nan if whole is None else whole.steps,
            "motion ms": math.nan if whole is None else 1e3 * whole.seconds,
        }


@dataclass(frozen=True)
class Refusal:
    """What was not compared, and why."""

    formulation: str
    constraints: str
    reason: str

    def __str__(self) -> str:
        pair = f"{self.formulation} with {self.constraints}" if self.constraints else self.formulation
        return f"{pair}: {self.reason}"


@dataclass(frozen=True)
class Comparison:
    """Entries from the fastest to the slowest, and what was refused; `print` it, or take `to_dataframe()` or `plot()`."""

    mechanism: str
    states: int
    entries: tuple[ComparisonEntry, ...]
    refusals: tuple[Refusal, ...]
    approximations: tuple[Refusal, ...] = ()
    """Which formulations are others' equations only nearly, and why."""
    duration: float | None = None
    """Seconds of the whole motion that was compared, if one was."""
    accuracy: float | None = None
    """How near the reference its coordinates had to be, in rad and in the mechanism's own length."""

    def __str__(self) -> str:
        title = f"{self.mechanism}: {counted(len(self.entries), 'pair')} on {counted(self.states, 'consistent state')}, fastest first"
        lines = [title, *table(self.entries)]
        if self.duration is not None:
            lines.append(f"A motion of {self.duration:g} s to {self.accuracy:g}, by each formulation's fastest pair.")
        lines += ["Approximate:", *(f"  {a}" for a in self.approximations)] if self.approximations else []
        if self.refusals:
            lines += ["Refused:", *(f"  {r}" for r in self.refusals)]
        return "\n".join(lines)

    def best(self, formulation: str) -> ComparisonEntry:
        """The fastest entry of a formulation."""
        for entry in self.entries:
            if entry.formulation == formulation:
                return entry
        raise DalembertError(f"the comparison has no entry of {formulation!r}")

    def to_dataframe(self) -> pandas.DataFrame:
        """One row per entry, as a pandas DataFrame."""
        return optional("pandas", "to_dataframe()").DataFrame([entry.row() for entry in self.entries])

    def plot(self) -> Figure:
        """Nanoseconds per evaluation of every pair, one bar each, as a Matplotlib figure."""
        names = list(dict.fromkeys(e.formulation for e in self.entries))
        figure: Figure = optional("matplotlib.figure", "plot()").Figure(
            figsize=(8.0, _MARGIN + _BAR * len(self.entries)), layout="constrained"
        )
        axes = figure.add_subplot()
        for place, entry in enumerate(self.entries):
            axes.barh(place, entry.nanoseconds, color=f"C{names.index(entry.formulation) % 10}")
        axes.set_yticks(range(len(self.entries)), [f"{e.formulation} · {e.constraints}" for e in self.entries])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlabel("nanoseconds per evaluation")
        axes.set_title(self.mechanism)
        return figure


HEADS = {
    "formulation": "formulation", "constraints": "constraints", "accelerations": "Δ accel.", "multipliers": "Δ mult.",
    "unknowns": "unknowns", "first order": "1st order", "multiplications": "×", "additions": "+", "trigonometric": "trig",
    "divisions": "÷", "trace ms": "trace ms", "compile ms": "compile ms", "ns": "ns", "steps": "steps", "motion ms": "motion ms",
}  # fmt: skip
OF_MOTION = ("steps", "motion ms")
"""Columns that are there only where a whole motion was compared."""


def columns(entries: Sequence[ComparisonEntry]) -> list[str]:
    """Names of the columns that have something to show."""
    whole = any(e.motion is not None for e in entries)
    return [key for key in HEADS if whole or key not in OF_MOTION]


def table(entries: tuple[ComparisonEntry, ...]) -> list[str]:
    """Aligned lines: names to the left, numbers to the right."""
    heads = columns(entries)
    cells = [[HEADS[key] for key in heads], *([written(key, e.row()[key]) for key in heads] for e in entries)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = []
    for row in cells:
        aligned = [x.ljust(n) if i < 2 else x.rjust(n) for i, (x, n) in enumerate(zip(row, widths))]
        lines.append("  ".join(aligned).rstrip())
    return [lines[0], "─" * max(map(len, lines)), *lines[1:]]


def written(key: str, value: Any) -> str:
    """A cell's text."""
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        if key in ("accelerations", "multipliers"):
            return f"{value:.0e}"
        if key == "motion ms":
            return f"{value:.3g}"
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}"
    return str(value)
