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
from dalembert.studies.extremes import vertices
from dalembert.studies.percentiles import level_gradient
from dalembert.studies.reductions import WantedOutput, parts

if TYPE_CHECKING:
    from dalembert.analysis.sensitivity.sensitivities import Sensitivities
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
    names, values, gradients, left = output_gradients(study, {})
    if not names:
        raise ArgumentError(
            f"study: none of the answers ({', '.join(left)}) has derivatives; ask for coordinates, speeds or functions"
        )
    G, V = np.array(gradients), study.inputs.variance
    variance = np.einsum("ij,jk,ik->i", G, V, G)
    each = G**2 * np.diagonal(V)
    share = np.divide(each, variance[:, None], out=np.zeros_like(each), where=variance[:, None] > 0.0)
    return LinearEstimate(
        names, study.inputs.names, np.array(values), G, np.sqrt(np.maximum(variance, 0.0)), share, left
    )


def output_gradients(
    study: Study, at: dict[str, float]
) -> tuple[tuple[str, ...], list[float], list[np.ndarray], tuple[str, ...]]:
    """Names, values and gradients by the inputs of all answers that have derivatives, at the inputs' means but for those given; and the
    names of the others."""
    plan = study.plan
    asked = {x.name: x for x in study.outputs if _has_derivatives(x)}
    left = tuple(x.name for x in study.outputs if x.name not in asked)
    if not asked:
        return (), [], [], left
    inputs = plan.inputs.every
    row = np.array([at.get(i.name, x) for i, x in zip(inputs, plan.inputs.means)])
    parameters, initial, speeds = plan.values(row)
    m = plan.mechanism.with_parameters(**parameters) if parameters else plan.mechanism
    order = [i.key for i in inputs if i.kind == "parameter"]
    starts = [i.key + ("'" if i.kind == "speed" else "") for i in inputs if i.kind != "parameter"]
    functions = {name: _function(x) for name, x in asked.items()}
    found = m.sensitivities(
        plan.duration, initial or None, speeds or None, parameters=order, initial_values=starts, outputs=functions,
        output=plan.options.output, rtol=plan.options.rtol, restitution=plan.options.restitution,
    )  # fmt: skip
    columns = [found.to.index(i.key + ("'" if i.kind == "speed" else "")) for i in inputs]
    names: list[str] = []
    values: list[float] = []
    gradients: list[np.ndarray] = []
    for name, x in asked.items():
        y = x.quantity.parted(found.value(name)) if x.quantity is not None else found.value(name)
        for part, (value, gradient) in zip(parts(y.shape[1]), _reduced(x, found, name)):
            names.append(name + part)
            values.append(value)
            gradients.append(gradient[columns])
    return tuple(names), values, gradients, left


def _has_derivatives(x: WantedOutput) -> bool:
    q = x.quantity
    return (
        q is not None
        and not x.series
        and (q.of_state is not None or q.said.endswith("'"))
        and not q.said.endswith("''")
    )


def _function(x: WantedOutput) -> Any:
    q = x.quantity
    assert q is not None
    if q.of_state is not None:
        return q.of_state
    name = q.said[:-1]
    return lambda s: s.u[name]


def _reduced(x: WantedOutput, found: Sensitivities, name: str) -> list[tuple[float, np.ndarray]]:
    """Value and gradient of each component."""
    assert x.quantity is not None
    t, y = found.t, found.value(name).reshape(len(found.t), -1)
    dy = found[name].reshape(len(t), y.shape[1], -1)
    if x.quantity.part:
        y, dy = _parted(x.quantity.part, y, dy)
    return [_reduce(x, t, y[:, i], dy[:, i]) for i in range(y.shape[1])]


def _parted(part: str, y: np.ndarray, dy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if part != "norm":
        i = "xyz".index(part)
        return y[:, [i]], dy[:, [i]]
    size = np.sqrt((y**2).sum(axis=1))
    along = np.divide(
        np.einsum("ti,tik->tk", y, dy), size[:, None], out=np.zeros(dy.shape[::2]), where=size[:, None] > 0.0
    )
    return size[:, None], along[:, None]


def _reduce(x: WantedOutput, t: np.ndarray, y: np.ndarray, dy: np.ndarray) -> tuple[float, np.ndarray]:
    """Value of the reduction and its gradient: that of the sample it takes, or of the mean it is."""
    if x.how in ("mean", "rms"):
        w = _weights(t)
        if x.how == "mean":
            return float(w @ y), w @ dy
        value = float(np.sqrt(w @ y**2))
        return value, (w * y) @ dy / (value or 1.0)
    if x.how == "range":
        (high, d_high), (low, d_low) = (_extreme(t, y, dy, int(k)) for k in (y.argmax(), y.argmin()))
        return high - low, d_high - d_low
    if x.how == "peak":
        value, gradient = _extreme(t, y, dy, int(np.abs(y).argmax()))
        return abs(value), np.sign(value) * gradient
    if x.how in ("min", "max"):
        return _extreme(t, y, dy, int(y.argmin() if x.how == "min" else y.argmax()))
    if x.how in ("start", "end"):
        k = 0 if x.how == "start" else -1
        return float(y[k]), dy[k]
    return level_gradient(t, y, dy, float(x.how[1:]))


def _extreme(t: np.ndarray, y: np.ndarray, dy: np.ndarray, k: int) -> tuple[float, np.ndarray]:
    """An extreme between samples moves in time, too; to first order that changes nothing."""
    _, first, weights = vertices(t, y[None], np.array([k]))
    own = slice(int(first[0]), int(first[0]) + weights.shape[1])
    return float(weights[0] @ y[own]), weights[0] @ dy[own]


def _weights(t: np.ndarray) -> np.ndarray:
    """Weights of the trapezoidal rule; they sum to 1."""
    w = np.zeros(len(t))
    if len(t) < 2:
        return np.ones(len(t))
    step = np.diff(t)
    w[:-1] += 0.5 * step
    w[1:] += 0.5 * step
    made: np.ndarray = w / (t[-1] - t[0])
    return made
