"""Identification: the parameters and initial values with which the mechanism moves most nearly as it was measured.

Least squares Σ ((y(p) − measured) / σ)² by SciPy's trust-region method, with the exact sensitivities ∂y/∂p as Jacobian J. The
covariance is s²(JᵀJ)⁻¹, s² being the variance of what is left over; directions that J does not see are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import least_squares

from dalembert.analysis.finding import Finding
from dalembert.analysis.sensitivity.sensitivities import RTOL, Sensitive, Sensitivities
from dalembert.analysis.tabular import Tabular, over
from dalembert.arguments import numbers, real, refused
from dalembert.errors import DalembertError, StateError
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown
from dalembert.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FORBIDDEN = 1e6
"""What is left over, in units of σ, where there is no such mechanism."""
UNSEEN = 1e-7
"""Singular value of the scaled Jacobian, relative to the largest, below which a combination cannot be identified."""
FITTED = 1e-12
"""Relative change of parameters, of the sum of squares and of its slope at which a fit ends."""
TAKES_PART = 1e-3
"""Part of an unseen direction below which a parameter is not named as belonging to it."""


@dataclass(frozen=True, eq=False)
class Identification(Tabular):
    """What was found, by name: values, standard deviations and the covariance in the order of `names`."""

    names: tuple[str, ...]
    values: np.ndarray
    covariance: np.ndarray
    residual: Mapping[str, np.ndarray]
    """Residual of each measured quantity: computed less measured."""
    spread: float
    """Root of the mean square of what is left over, in units of the given σ."""
    unseen: tuple[tuple[str, ...], ...]
    """Combinations that the measurements do not determine."""
    evaluations: int
    converged: bool
    t: np.ndarray
    """The times of the measurements."""

    def columns(self) -> dict[str, Any]:
        """Everything looked for, with its value and its standard deviation."""
        return {"name": list(self.names), "value": self.values, "deviation": self.deviations}

    def plot(self, ax: Axes | None = None) -> Axes:
        """What is left over of each measured quantity, over time; the axes of matplotlib."""
        left = {name: x.reshape(len(self.t), -1) for name, x in self.residual.items()}
        return over(self.t, "t, s", left, "computed less measured", ax)

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise unknown(name, "parameter", self.names, "identification")
        return float(self.values[self.names.index(name)])

    @property
    def deviations(self) -> np.ndarray:
        """Standard deviations; infinite for what cannot be identified."""
        return np.sqrt(np.diagonal(self.covariance))

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        return Finding("Identification", str(self))

    def __str__(self) -> str:
        verdict = "Found" if self.converged else "Not settled, best so far"
        lines = [
            f"{verdict} after {counted(self.evaluations, 'simulation')}; root mean square left over: {self.spread:.3g}."
        ]
        lines += [f"  {n} = {v:.6g} ± {d:.2g}" for n, v, d in zip(self.names, self.values, self.deviations)]
        lines += [f"  {', '.join(each)} cannot be distinguished by what was measured." for each in self.unseen]
        return "\n".join(lines)


def identify(
    m: Mechanism, times: Any, measured: Mapping[str, Any], parameters: Sequence[str], initial_values: Sequence[str],
    initial: Any, speeds: Any, outputs: Any,
    sigma: Any, bounds: Mapping[str, tuple[float, float]], rtol: float | None,
    restitution: str | None = None,
) -> Identification:  # fmt: skip
    """See `Mechanism.identify`."""
    t = np.asarray(times, dtype=float)
    data = {name: numbers(values, f'measured "{name}"') for name, values in measured.items()}
    for name, values in data.items():
        if values.shape[:1] != t.shape:
            raise StateError(
                f'measured "{name}": give one finite value for each of the {t.size} times, not {values.shape}'
            )
    if not data or t.ndim != 1 or t.size == 0 or np.any(np.diff(t) <= 0.0) or t[0] < 0.0:
        raise StateError("identify: give increasing times from 0 s on, and what was measured at them, by name")
    sensitive = Sensitive(m, parameters, initial_values, outputs, m.plan.events, restitution)
    fit = _Fit(sensitive, t, data, sigma, initial, speeds, rtol or RTOL)
    low, high = _bounds(fit.names, bounds)
    start = fit.start()
    found = least_squares(
        fit.residual, start, fit.jacobian, bounds=(low, high), x_scale=np.where(start != 0.0, np.abs(start), 1.0),
        xtol=FITTED, ftol=FITTED, gtol=FITTED,
    )  # fmt: skip
    J, left = fit.jacobian(found.x), fit.residual(found.x)
    freedom = max(1, left.size - found.x.size)
    covariance, unseen = _covariance(J, float(left @ left) / freedom, fit.names)
    best = fit.run(found.x)
    residual = {name: best.value(name) - values for name, values in data.items()}
    spread = float(np.sqrt(np.mean(left**2)))
    return Identification(
        fit.names, found.x, covariance, residual, spread, unseen, fit.evaluations, bool(found.status > 0), t
    )


def _bounds(names: tuple[str, ...], given: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest values of what is looked for."""
    out = np.array([[-np.inf, np.inf]] * len(names)).reshape(len(names), 2)
    for name, pair in given.items():
        if name not in names:
            raise unknown(name, "value looked for", names, "identify: bounds")
        ends = [real(x, f'identify: bounds of "{name}"') for x in pair] if np.ndim(pair) == 1 else []
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise refused(f'identify: bounds of "{name}"', "(low, high) with low below high", pair)
        out[names.index(name)] = ends
    return out[:, 0], out[:, 1]


def _positive(given: Any, where: str) -> float:
    value = real(given, where)
    if not 0.0 < value < np.inf:
        raise refused(where, "positive", given)
    return value


class _Fit:
    """The motion as a function of what is looked for; each set of values is simulated once."""

    def __init__(
        self, sensitive: Sensitive, t: np.ndarray,
        data: Mapping[str, np.ndarray], sigma: Any, initial: Any, speeds: Any,
        rtol: float,
    ):  # fmt: skip
        self.sensitive, self.t, self.data, self.rtol = sensitive, t, data, rtol
        self.initial, self.speeds = dict(initial or {}), dict(speeds or {})
        given = sigma if isinstance(sigma, Mapping) else dict.fromkeys(data, 1.0 if sigma is None else sigma)
        self.sigma = {name: _positive(given.get(name, 1.0), f'identify: the sigma of "{name}"') for name in data}
        self.evaluations = 0
        self._last: tuple[bytes, Sensitivities] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return self.sensitive.to

    def start(self) -> np.ndarray:
        """The model's own values, and the initial ones given."""
        m = self.sensitive.m
        given = [m.parameters[name] for name in self.sensitive.parameters]
        return np.array([*given, *(self._initial(name) for name in self.sensitive.initial_values)], dtype=float)

    def _initial(self, name: str) -> float:
        known = self.speeds if name.endswith("'") else self.initial
        return float(known.get(name.rstrip("'"), 0.0))

    def run(self, x: np.ndarray) -> Sensitivities:
        if self._last is None or self._last[0] != x.tobytes():
            given = dict(zip(self.names, x.tolist()))
            initial, speeds = dict(self.initial), dict(self.speeds)
            for name in self.sensitive.initial_values:
                (speeds if name.endswith("'") else initial)[name.rstrip("'")] = given[name]
            values = {name: given[name] for name in self.sensitive.parameters}
            self._last = x.tobytes(), self.sensitive.run(float(self.t[-1]), initial, speeds, values, self.t, self.rtol)
            self.evaluations += 1
        return self._last[1]

    def residual(self, x: np.ndarray) -> np.ndarray:
        try:
            found = self.run(x)
        except DalembertError:  # a negative mass, a loop that cannot be closed: the search must not go there
            if self._last is None:
                raise
            return np.full(sum(y.size for y in self.data.values()), FORBIDDEN)
        return np.concatenate([((found.value(n) - y) / self.sigma[n]).ravel() for n, y in self.data.items()])

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        found = self.run(x)
        return np.concatenate([(found[n] / self.sigma[n]).reshape(-1, len(x)) for n in self.data])


def _covariance(
    J: np.ndarray, variance: float, names: tuple[str, ...]
) -> tuple[np.ndarray, tuple[tuple[str, ...], ...]]:
    size = np.linalg.norm(J, axis=0)
    size = np.where(size > 0.0, size, 1.0)
    _, sigma, Vt = np.linalg.svd(J / size, full_matrices=True)
    sigma = np.concatenate([sigma, np.zeros(len(Vt) - len(sigma))])
    seen = sigma > UNSEEN * sigma.max(initial=0.0)
    V = Vt[seen].T / size[:, None]
    covariance = variance * (V / sigma[seen] ** 2) @ V.T
    unseen = tuple(tuple(n for n, x in zip(names, row) if abs(x) > TAKES_PART) for row in Vt[~seen])
    for name in {n for each in unseen for n in each}:
        covariance[names.index(name), names.index(name)] = np.inf
    return covariance, unseen
