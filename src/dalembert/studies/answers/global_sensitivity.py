"""Sobol indices: which part of an answer's variance each input makes, alone and with the others, by SciPy from Saltelli's design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.tabular import Tabular
from dalembert.errors import ArgumentError

if TYPE_CHECKING:
    from dalembert.studies.answers.study_result import StudyResult

RESAMPLES = 200
"""Resamples from which the indices' confidence intervals are taken."""
CONFIDENCE = 0.95
"""Confidence of the intervals of indices."""


@dataclass(frozen=True, eq=False)
class SobolIndices(Tabular):
    """First-order and total indices of the `inputs`, with the ends of their 95 % intervals, (inputs, 2)."""

    name: str
    inputs: tuple[str, ...]
    first_order: np.ndarray
    total_order: np.ndarray
    first_order_interval: np.ndarray
    total_order_interval: np.ndarray
    points: int
    """Points of Saltelli's design that took part."""
    left_out: int
    """Points of which a run failed."""

    def columns(self) -> dict[str, Any]:
        """A row for every input."""
        return {
            "input": list(self.inputs), "first order": self.first_order, "from": self.first_order_interval[:, 0],
            "to": self.first_order_interval[:, 1], "total": self.total_order, "total from": self.total_order_interval[:, 0],
            "total to": self.total_order_interval[:, 1],
        }  # fmt: skip

    def __str__(self) -> str:
        left = f", {self.left_out} left out because a run failed" if self.left_out else ""
        lines = [
            f"Sobol indices of {self.name} from {self.points} points{left}",
            f"{'':20}{'first order':>24}{'total':>24}",
        ]
        for i, name in enumerate(self.inputs):
            a, b = self.first_order_interval[i], self.total_order_interval[i]
            first = f"{self.first_order[i]:.3f} ({a[0]:.3f} … {a[1]:.3f})"
            total = f"{self.total_order[i]:.3f} ({b[0]:.3f} … {b[1]:.3f})"
            lines.append(f"{name:20}{first:>24}{total:>24}")
        return "\n".join(lines)


def sobol_indices(result: StudyResult, name: str) -> SobolIndices:
    """See `StudyResult.sobol`."""
    from scipy import stats

    if result.about["design"] != "saltelli":
        raise ArgumentError(
            f'study: Sobol indices need design="saltelli", and this is {result.about["design"]!r}; SALib\'s other methods take '
            "result.inputs and result[name]"
        )
    values = result[name]
    if values.ndim > 1:
        raise ArgumentError(f"study: {name!r} is a series; ask for the indices of one of its extremes")
    d = len(result.input_names)
    rows = values.reshape(-1, d + 2)
    good = np.isfinite(rows).all(axis=1) & result.good.reshape(-1, d + 2).all(axis=1)
    rows = rows[good]
    if len(rows) < 2 or not np.ptp(rows[:, :2]) > 0.0:
        raise ArgumentError(f"study: {name!r} does not vary over the runs that came to their end, so it has no indices")
    n = len(rows)
    made = stats.sobol_indices(
        func={"f_A": rows[:, 0][None], "f_B": rows[:, 1][None], "f_AB": rows[:, 2:].T[:, None]}, n=n
    )
    spread = made.bootstrap(confidence_level=CONFIDENCE, n_resamples=RESAMPLES)
    ends = [
        np.stack([np.ravel(x.confidence_interval.low), np.ravel(x.confidence_interval.high)], axis=1)
        for x in (spread.first_order, spread.total_order)
    ]
    return SobolIndices(
        name, result.input_names, np.ravel(made.first_order), np.ravel(made.total_order), ends[0], ends[1], n,
        int(len(good) - n),
    )  # fmt: skip
