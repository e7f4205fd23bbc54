"""Estimates from runs: means with confidence intervals, deviations, percentiles, and how the mean settles with the number of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.tabular import Tabular, over
from dalembert.errors import ArgumentError
from dalembert.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.studies.answers.study_result import StudyResult

PERCENTILES = (5.0, 50.0, 95.0)
"""Percentiles of a table of estimates."""
FAINT = 0.3
"""How opaque an interval is drawn."""
FEWEST = 16
"""Runs from which the convergence of a mean is told."""


@dataclass(frozen=True, eq=False)
class Estimates(Tabular):
    """Estimates of every answer with one number for a run; runs that failed take no part, and are counted."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    numbers: np.ndarray
    """How many runs have a number, one for each answer."""
    mean: np.ndarray
    half_width: np.ndarray
    """Half of the confidence interval of the mean."""
    deviation: np.ndarray
    percentiles: np.ndarray
    """(answers, 3): the 5th, 50th and 95th."""
    least: np.ndarray
    largest: np.ndarray
    least_run: np.ndarray
    largest_run: np.ndarray
    confidence: float
    told: str

    def columns(self) -> dict[str, Any]:
        """A row for every answer."""
        p = self.percentiles.T
        return {
            "name": list(self.names), "unit": list(self.units), "runs": self.numbers, "mean": self.mean, "±": self.half_width,
            "deviation": self.deviation, "5 %": p[0], "50 %": p[1], "95 %": p[2], "least": self.least, "largest": self.largest,
            "run of least": self.least_run, "run of largest": self.largest_run,
        }  # fmt: skip

    def __str__(self) -> str:
        shown = ("mean", "±", "deviation", "5 %", "50 %", "95 %", "least", "largest")
        wide = max([len(f"{n} [{u}]") for n, u in zip(self.names, self.units)] + [6])
        lines = [self.told, f"{'':{wide}}" + "".join(f"{h:>12}" for h in shown)]
        table = self.columns()
        for i, (name, unit) in enumerate(zip(self.names, self.units)):
            title = f"{name} [{unit}]" if unit and unit != "1" else name
            lines.append(f"{title:{wide}}" + "".join(f"{float(table[h][i]):12.5g}" for h in shown))
        lines.append(f"± is half of the {100 * self.confidence:g} % confidence interval of the mean")
        return "\n".join(lines)


def estimates(result: StudyResult, confidence: float) -> Estimates:
    """See `StudyResult.summary`."""
    _check(confidence)
    names = result.scalars
    rows = [_of_column(result[name], result.good, confidence) for name in names]
    table = np.array(rows).reshape(len(names), 11)
    told = f"{counted(result.runs, 'run')} of {result.about['model']!r} ({result.about['design']}, seed {result.about['seed']})"
    failed, missing = int(result.failed.sum()), result.runs - int(result.done.sum())
    told += f", {failed} failed" if failed else ""
    told += f", {missing} not made yet" if missing else ""
    return Estimates(
        names, tuple(result.unit_of(x) for x in names), table[:, 0].astype(int), table[:, 1], table[:, 2], table[:, 3],
        table[:, 4:7], table[:, 7], table[:, 8], table[:, 9].astype(int), table[:, 10].astype(int), confidence, told,
    )  # fmt: skip


def _of_column(values: np.ndarray, good: np.ndarray, confidence: float) -> list[float]:
    there = np.flatnonzero(good & np.isfinite(values))
    x = values[there]
    if not len(x):
        return [0.0, *[np.nan] * 8, -1.0, -1.0]
    p = np.percentile(x, PERCENTILES)
    low, high = int(x.argmin()), int(x.argmax())
    deviation = float(x.std(ddof=1)) if len(x) > 1 else np.nan
    return [
        float(len(x)), float(x.mean()), _half_width(deviation, len(x), confidence), deviation, *p.tolist(), float(x[low]),
        float(x[high]), float(there[low]), float(there[high]),
    ]  # fmt: skip


def _half_width(deviation: float, n: int, confidence: float) -> float:
    """Student's t times the deviation of the mean."""
    from scipy import stats

    return float(stats.t.ppf(0.5 + 0.5 * confidence, n - 1) * deviation / np.sqrt(n)) if n > 1 else np.nan


def _check(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise ArgumentError(f"study: confidence={confidence!r} must lie between 0 and 1, 0.95 for example")


@dataclass(frozen=True, eq=False)
class Convergence(Tabular):
    """The mean of an answer over the first runs, and half of its confidence interval."""

    name: str
    runs: np.ndarray
    mean: np.ndarray
    half_width: np.ndarray

    def columns(self) -> dict[str, Any]:
        """A row for each number of runs."""
        return {"runs": self.runs, "mean": self.mean, "±": self.half_width}

    def plot(self, ax: Axes | None = None) -> Axes:
        """The mean over the number of runs, with its interval; the axes of matplotlib."""
        ax = over(self.runs.astype(float), "runs", {"mean": self.mean}, f"mean of {self.name}", ax)
        ax.fill_between(self.runs, self.mean - self.half_width, self.mean + self.half_width, alpha=FAINT, lw=0)
        ax.set_xscale("log")
        return ax

    def __str__(self) -> str:
        rows = (f"  {n:>9} {m:14.8g} ± {h:.3g}" for n, m, h in zip(self.runs, self.mean, self.half_width))
        return "\n".join([f"{self.name}: mean over the first runs", *rows])


def convergence(result: StudyResult, name: str, confidence: float) -> Convergence:
    """See `StudyResult.convergence`."""
    _check(confidence)
    values = result[name]
    if values.ndim > 1:
        raise ArgumentError(f"study: {name!r} is a series; ask for the convergence of one of its extremes")
    x = values[result.good & np.isfinite(values)]
    if len(x) < 2:
        raise ArgumentError(f"study: {counted(len(x), 'run')} with a number of {name!r} show no convergence")
    counts = [FEWEST * 2**k for k in range(64) if FEWEST * 2**k < len(x)] + [len(x)]
    mean = np.array([x[:n].mean() for n in counts])
    half = np.array([_half_width(float(x[:n].std(ddof=1)), n, confidence) for n in counts])
    return Convergence(name, np.array(counts), mean, half)
