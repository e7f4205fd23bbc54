"""How much each input matters by first derivatives: deviations σ_y² = Σ (∂y/∂x)² σ², exact where y is linear over the tolerances.

The derivatives are exact (`m.sensitivities`), loops and assembly included, at the inputs' means. At an extreme over time the
derivative is that of the quantity at the extreme's instant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.tabular import Tabular
from dalembert.errors import ArgumentError
from dalembert.studies.answers.output_gradients import OutputGradients

if TYPE_CHECKING:
    from dalembert.studies.study import Study


@dataclass(frozen=True, eq=False)
class LinearEstimate(Tabular):
    """For every answer that has derivatives: its value at the inputs' means, `gradient` (answers, inputs), `deviation` and `share`
    (answers, inputs), the part of the variance that each input makes."""

    names: tuple[str, ...]
    inputs: tuple[str, ...]
    value: np.ndarray
    gradient: np.ndarray
    deviation: np.ndarray
    share: np.ndarray
    left_out: tuple[str, ...]
    """Answers without derivatives here: events, functions of a motion, reactions."""

    def columns(self) -> dict[str, Any]:
        """A row for every answer."""
        found: dict[str, Any] = {"name": list(self.names), "value": self.value, "deviation": self.deviation}
        found |= {f"d/d({x})": self.gradient[:, i] for i, x in enumerate(self.inputs)}
        return found | {f"share of {x}": self.share[:, i] for i, x in enumerate(self.inputs)}

    def __str__(self) -> str:
        lines = [
            "By exact first derivatives at the inputs' means:",
            f"{'':20}{'value':>12}{'σ':>12}  shares of the variance",
        ]
        for i, name in enumerate(self.names):
            shares = ", ".join(f"{x} {s:.3f}" for x, s in zip(self.inputs, self.share[i]))
            lines.append(f"{name:20}{self.value[i]:12.5g}{self.deviation[i]:12.4g}  {shares}")
        if self.left_out:
            lines.append(f"without derivatives here: {', '.join(self.left_out)}")
        return "\n".join(lines)


def linear_estimate(study: Study) -> LinearEstimate:
    """See `StudyResult.linear`."""
    of_outputs = OutputGradients(study)
    columns = {name: x for name, x in of_outputs.at(study.inputs.means).items() if not x.series}
    if not columns:
        raise ArgumentError(
            f"study: none of the answers ({', '.join(of_outputs.left_out)}) has derivatives; ask for coordinates, speeds or functions"
        )
    names, G, V = tuple(columns), np.array([x.gradient[0] for x in columns.values()]), study.inputs.variance
    variance = np.einsum("ij,jk,ik->i", G, V, G)
    each = G**2 * np.diagonal(V)
    share = np.divide(each, variance[:, None], out=np.zeros_like(each), where=variance[:, None] > 0.0)
    values = np.array([x.value[0] for x in columns.values()])
    left = (*of_outputs.left_out, *(x.name for x in study.outputs if x.series and x.name not in of_outputs.left_out))
    return LinearEstimate(names, study.inputs.names, values, G, np.sqrt(np.maximum(variance, 0.0)), share, left)
