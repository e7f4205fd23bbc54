"""Charts of a study in matplotlib: histograms, inputs and answers against each other, percentiles over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.optional import optional

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dalembert.studies.answers.study_result import StudyResult

MOST = 8
"""Rows of a scatter matrix that nobody chose."""
SIDE = 1.8
"""Inches of a square of a scatter matrix."""
MOST_POINTS = 20_000
"""Points of a scatter; of more runs an even part is drawn."""


def _title(result: StudyResult, name: str) -> str:
    unit = result.unit_of(name)
    return f"{name}, {unit}" if unit and unit != "1" else name


def _named(result: StudyResult, names: Sequence[str], usual: Sequence[str]) -> list[str]:
    chosen = list(names or usual)
    for name in chosen:
        if result[name].ndim > 1:
            raise ArgumentError(f"study: {name!r} is a series; result.fan({name!r}) draws it")
    if not chosen:
        raise ArgumentError("study: there is no answer with one number for a run to be drawn")
    return chosen


def histograms(result: StudyResult, names: Sequence[str]) -> Figure:
    """See `StudyResult.plot`."""
    plt = optional("matplotlib.pyplot", "plot()")
    chosen = _named(result, names, result.scalars)
    across = min(3, len(chosen))
    down = -(-len(chosen) // across)
    figure, axes = plt.subplots(down, across, figsize=(4.0 * across, 3.0 * down), squeeze=False, layout="constrained")
    for ax, name in zip(axes.ravel(), chosen):
        x = result[name][result.good]
        x = x[np.isfinite(x)]
        ax.hist(x, bins="auto" if len(x) < 10**5 else 200)
        ax.set(xlabel=_title(result, name), ylabel="runs")
    for ax in axes.ravel()[len(chosen) :]:
        ax.set_visible(False)
    return figure


def scatter_matrix(result: StudyResult, names: Sequence[str]) -> Figure:
    """See `StudyResult.scatter_matrix`."""
    plt = optional("matplotlib.pyplot", "scatter_matrix()")
    chosen = _named(result, names, [*result.input_names, *result.scalars][:MOST])
    good = np.flatnonzero(result.good)
    good = good[:: max(1, len(good) // MOST_POINTS)]
    data = {name: result[name][good] for name in chosen}
    n = len(chosen)
    figure, axes = plt.subplots(n, n, figsize=(SIDE * n, SIDE * n), squeeze=False, layout="constrained")
    for i, below in enumerate(chosen):
        for j, beside in enumerate(chosen):
            ax: Any = axes[i, j]
            if i == j:
                ax.hist(data[below][np.isfinite(data[below])], bins=30)
            else:
                ax.plot(data[beside], data[below], ".", ms=1.5, alpha=0.5)
            ax.tick_params(labelsize=6)
            if i == n - 1:
                ax.set_xlabel(_title(result, beside), fontsize=7)
            if j == 0:
                ax.set_ylabel(_title(result, below), fontsize=7)
    return figure


def fan(result: StudyResult, name: str, of: Sequence[float]) -> Figure:
    """See `StudyResult.fan`."""
    plt = optional("matplotlib.pyplot", "fan()")
    t, bands = result.times(name), np.sort(np.asarray(of, dtype=float))
    rows = np.atleast_2d(result.percentiles(name, bands))
    figure, ax = plt.subplots(layout="constrained")
    for i in range(len(bands) // 2):
        label = f"{bands[i]:g} to {bands[-1 - i]:g} %"
        ax.fill_between(t, rows[i], rows[-1 - i], alpha=0.25, lw=0, color="C0", label=label)
    if len(bands) % 2:
        ax.plot(t, rows[len(bands) // 2], lw=1.5, label=f"{bands[len(bands) // 2]:g} %")
    ax.set(xlabel="t, s", ylabel=_title(result, name))
    ax.legend(fontsize="small")
    return figure
