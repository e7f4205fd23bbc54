"""Answers of a study and their exact gradients by its inputs, at any values: one run with sensitivities, loops and assembly included.

At an extreme over time the derivative is that of the quantity at the extreme's instant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import CubicSpline

from dalembert.analysis.sensitivity.sensitivities import RTOL, Sensitive
from dalembert.errors import ArgumentError
from dalembert.studies.percentiles import level_gradient
from dalembert.studies.reductions import WantedOutput, parts
from dalembert.studies.unit_runs import one_instant

if TYPE_CHECKING:
    from dalembert.analysis.sensitivity.sensitivities import Sensitivities
    from dalembert.studies.study import Study


@dataclass(frozen=True, eq=False)
class Extremes:
    """The largest (`sign` 1) or least (−1) of `value` (P,), each the extreme of one stretch of time, with gradients (P, n)."""

    sign: float
    value: np.ndarray
    gradient: np.ndarray

    def only(self, columns: list[int]) -> Extremes:
        """The same with some columns of the gradients."""
        return Extremes(self.sign, self.value, self.gradient[:, columns])


@dataclass(frozen=True, eq=False)
class Differentiable:
    """One answer: its value (1,), or those of a series (T,), and the gradient by the inputs, (1, inputs) or (T, inputs)."""

    value: np.ndarray
    gradient: np.ndarray
    series: bool = False
    over_time: Extremes | None = None
    """Extremes between all output times, where the answer is the least or the largest over time."""


class OutputGradients:
    """A study's answers as functions of its inputs; what is compiled is kept between calls."""

    def __init__(self, study: Study):
        plan = study.plan
        self.plan, self.times = plan, study.times
        self.asked = {x.name: x for x in study.outputs if _has_derivatives(x)}
        self.left_out = tuple(x.name for x in study.outputs if x.name not in self.asked)
        if plan.control is not None:
            raise ArgumentError("study: a controller is plain Python, so that answers under it have no derivatives")
        self._names = [i.key + ("'" if i.kind == "speed" else "") for i in plan.inputs.every]
        order = [i.key for i in plan.inputs.every if i.kind == "parameter"]
        starts = [name for i, name in zip(plan.inputs.every, self._names) if i.kind != "parameter"]
        functions = {name: _function(x) for name, x in self.asked.items()}
        self._sensitive = None
        if self.asked:
            acting = dict(plan.events) or None
            self._sensitive = Sensitive(plan.mechanism, order, starts, functions, acting, plan.options.restitution)
        m = plan.mechanism
        sampled = any(p.element.period is not None for p in m.elements.values())
        acts = self._sensitive is not None and bool(self._sensitive.events)
        self._smooth = not (m.laws or sampled or acts)
        """Whether nothing jumps between samples."""

    def at(self, row: np.ndarray) -> dict[str, Differentiable]:
        """All columns that have derivatives, at one value for each input."""
        if self._sensitive is None:
            return {}
        plan = self.plan
        parameters, initial, speeds = plan.values(np.asarray(row, dtype=float))
        rtol = RTOL if plan.options.rtol is None else plan.options.rtol
        found = self._sensitive.run(
            plan.duration, initial or None, speeds or None, parameters, plan.options.output, rtol
        )
        columns = [found.to.index(name) for name in self._names]
        made = {}
        for name, x in self.asked.items():
            y = x.quantity.parted(found.value(name)) if x.quantity is not None else found.value(name)
            for part, one in zip(parts(y.shape[1]), self._reduced(x, found, name)):
                over_time = None if one.over_time is None else one.over_time.only(columns)
                made[name + part] = Differentiable(one.value, one.gradient[:, columns], x.series, over_time)
        return made

    def _reduced(self, x: WantedOutput, found: Sensitivities, name: str) -> list[Differentiable]:
        """Each component, by everything that the run is sensitive to."""
        assert x.quantity is not None
        t, y = found.t, found.value(name).reshape(len(found.t), -1)
        dy = found[name].reshape(len(t), y.shape[1], -1)
        if x.quantity.part:
            y, dy = _parted(x.quantity.part, y, dy)
        if x.series:
            wanted = self.times if x.times is None else x.times
            at = np.abs(t[:, None] - wanted).argmin(axis=0)
            if np.any(np.abs(t[at] - wanted) > one_instant(t)):
                raise ArgumentError(f"study: {x.name!r} has times that the run with sensitivities does not reach")
            return [Differentiable(y[at, i], dy[at, i]) for i in range(y.shape[1])]
        return [_reduce(x, t, y[:, i], dy[:, i], self._smooth) for i in range(y.shape[1])]


def _has_derivatives(x: WantedOutput) -> bool:
    q = x.quantity
    return q is not None and (q.of_state is not None or q.said.endswith("'")) and not q.said.endswith("''")


def _function(x: WantedOutput) -> Any:
    q = x.quantity
    assert q is not None
    if q.of_state is not None:
        return q.of_state
    name = q.said[:-1]
    return lambda s: s.u[name]


def _parted(part: str, y: np.ndarray, dy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if part != "norm":
        i = "xyz".index(part)
        return y[:, [i]], dy[:, [i]]
    size = np.sqrt((y**2).sum(axis=1))
    along = np.divide(
        np.einsum("ti,tik->tk", y, dy), size[:, None], out=np.zeros(dy.shape[::2]), where=size[:, None] > 0.0
    )
    return size[:, None], along[:, None]


def _reduce(x: WantedOutput, t: np.ndarray, y: np.ndarray, dy: np.ndarray, smooth: bool) -> Differentiable:
    """The reduction and its gradient: that of the sample it takes, or of the mean it is."""
    if x.how in ("min", "max", "peak"):
        return _extreme(x.how, t, y, dy, smooth)
    value, gradient = _without_parts(x, t, y, dy, smooth)
    return Differentiable(np.array([value]), gradient[None])


def _without_parts(
    x: WantedOutput, t: np.ndarray, y: np.ndarray, dy: np.ndarray, smooth: bool
) -> tuple[float, np.ndarray]:
    if x.how in ("mean", "rms"):
        w = _weights(t)
        if x.how == "mean":
            return float(w @ y), w @ dy
        value = float(np.sqrt(w @ y**2))
        return value, (w * y) @ dy / (value or 1.0)
    if x.how == "range":
        high, low = (_extreme(how, t, y, dy, smooth) for how in ("max", "min"))
        return float(high.value[0] - low.value[0]), high.gradient[0] - low.gradient[0]
    if x.how in ("start", "end"):
        k = 0 if x.how == "start" else -1
        return float(y[k]), dy[k]
    return level_gradient(t, y, dy, float(x.how[1:]))


def _extreme(how: str, t: np.ndarray, y: np.ndarray, dy: np.ndarray, smooth: bool) -> Differentiable:
    if how == "peak":
        every = [_stretches(t, sign * y, sign * dy, smooth) for sign in (1.0, -1.0)]
        value, gradient = (np.concatenate(x) for x in zip(*every))
    else:
        sign = 1.0 if how == "max" else -1.0
        value, gradient = (sign * x for x in _stretches(t, sign * y, sign * dy, smooth))
    k = [int(value.argmin() if how == "min" else value.argmax())]
    return Differentiable(value[k], gradient[k], over_time=Extremes(-1.0 if how == "min" else 1.0, value, gradient))


def _stretches(t: np.ndarray, y: np.ndarray, dy: np.ndarray, smooth: bool) -> tuple[np.ndarray, np.ndarray]:
    """The largest value between every two samples, of the cubic spline through all, and its gradient.

    The spline is linear in the samples, and an extreme moves in time without changing to first order: so the gradient is that of the
    value as it is computed, which searches rely on. Where something jumps there are the samples alone.
    """
    if len(t) < 2 or not smooth:
        return y, dy
    curve = CubicSpline(t, y)
    at, value = np.where(y[1:] >= y[:-1], t[1:], t[:-1]), np.maximum(y[1:], y[:-1])
    turning = curve.derivative().roots(extrapolate=False)
    for instant in turning[np.isfinite(turning)]:
        k = min(max(int(np.searchsorted(t, instant)) - 1, 0), len(value) - 1)
        if (there := float(curve(instant))) > value[k]:
            at[k], value[k] = instant, there
    return value, np.asarray(CubicSpline(t, dy)(at))


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
