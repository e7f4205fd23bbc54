"""How one input is spread: each spread turns numbers between 0 and 1, which designs draw, into values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dalembert.arguments import numbers, real
from dalembert.errors import ArgumentError
from dalembert.trace.content import content_of

SIGMAS = 3.0
"""Standard deviations that a tolerance stands for where it does not say."""
ROUNDING_OF_COVARIANCE = 1e-12
"""Negative eigenvalue of a covariance, beside its largest element, that is rounding."""
FINEST = 1e-12
"""Least distance from 0 and 1 at which a distribution is asked: its ends may be infinite."""
_ASKED = np.linspace(0.0, 1.0, 65)
"""Where one distribution is told from another."""


class Spread(Protocol):
    """Values of one input, or of several that hang together."""

    @property
    def size(self) -> int:
        """How many inputs it has values for."""

    def values(self, x: np.ndarray) -> np.ndarray:
        """(K, size) values from (K, size) numbers between 0 and 1."""

    def levels(self, n: int) -> np.ndarray:
        """Numbers between 0 and 1 at which a grid of n levels asks it; a list has as many as it has values."""

    @property
    def means(self) -> np.ndarray:
        """(size,): mean values."""

    @property
    def variance(self) -> np.ndarray:
        """(size, size): variances and covariances."""

    @property
    def described(self) -> str:
        """In words."""

    @property
    def recorded(self) -> list[Any]:
        """For files, and to tell one study from another."""


@dataclass(frozen=True, eq=False)
class Values:
    """A list of values, each as likely as the others."""

    of: np.ndarray
    size: int = 1

    def values(self, x: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.of[np.minimum((x * len(self.of)).astype(int), len(self.of) - 1)]
        return found

    def levels(self, n: int) -> np.ndarray:
        return (np.arange(len(self.of)) + 0.5) / len(self.of)

    @property
    def means(self) -> np.ndarray:
        return np.array([self.of.mean()])

    @property
    def variance(self) -> np.ndarray:
        return np.array([[np.var(self.of)]])

    @property
    def described(self) -> str:
        return f"one of {len(self.of)} values from {self.of.min():.6g} to {self.of.max():.6g}"

    @property
    def recorded(self) -> list[Any]:
        return ["values", *self.of.tolist()]


@dataclass(frozen=True, eq=False)
class Range:
    """Everything from `low` to `high`, equally likely."""

    low: float
    high: float
    size: int = 1

    def values(self, x: np.ndarray) -> np.ndarray:
        return self.low + x * (self.high - self.low)

    def levels(self, n: int) -> np.ndarray:
        return np.linspace(0.0, 1.0, n)

    @property
    def means(self) -> np.ndarray:
        return np.array([0.5 * (self.low + self.high)])

    @property
    def variance(self) -> np.ndarray:
        return np.array([[(self.high - self.low) ** 2 / 12.0]])

    @property
    def described(self) -> str:
        return f"uniform from {self.low:.6g} to {self.high:.6g}"

    @property
    def recorded(self) -> list[Any]:
        return ["range", self.low, self.high]


@dataclass(frozen=True, eq=False)
class Distributed:
    """A frozen distribution of `scipy.stats`."""

    distribution: Any
    said: str = ""
    size: int = 1

    def values(self, x: np.ndarray) -> np.ndarray:
        inverse = getattr(self.distribution, "ppf", None) or self.distribution.icdf
        return np.asarray(inverse(np.clip(x, FINEST, 1.0 - FINEST)), dtype=float)

    def levels(self, n: int) -> np.ndarray:
        return (np.arange(n) + 0.5) / n

    @property
    def means(self) -> np.ndarray:
        return np.array([float(self.distribution.mean())])

    @property
    def variance(self) -> np.ndarray:
        var = getattr(self.distribution, "var", None) or self.distribution.variance
        return np.array([[float(var())]])

    @property
    def described(self) -> str:
        return self.said or _text(self.distribution)

    @property
    def recorded(self) -> list[Any]:
        return ["distribution", _text(self.distribution), content_of(self.values(_ASKED))]


def _text(distribution: Any) -> str:
    """A distribution as SciPy names it."""
    family = getattr(distribution, "dist", None)
    if family is None:
        said = repr(distribution)
        return type(distribution).__name__ if " at 0x" in said else said
    args = [f"{x!r}" for x in distribution.args] + [f"{k}={v!r}" for k, v in distribution.kwds.items()]
    return f"{family.name}({', '.join(args)})"


@dataclass(frozen=True, eq=False)
class Normals:
    """Several inputs that are normal and correlated: `vary={("l1", "l2"): da.studies.Normals(mean, covariance)}`."""

    mean: Any
    covariance: Any

    def __post_init__(self) -> None:
        mean = np.atleast_1d(numbers(self.mean, "Normals: mean"))
        covariance = np.atleast_2d(numbers(self.covariance, "Normals: covariance"))
        if mean.ndim != 1 or covariance.shape != (len(mean), len(mean)):
            raise ArgumentError(
                f"Normals: a mean of {mean.size} numbers needs a covariance of {mean.size} × {mean.size}, not {covariance.shape}"
            )
        least = float(np.linalg.eigvalsh(covariance).min())
        if not np.allclose(covariance, covariance.T) or least < -ROUNDING_OF_COVARIANCE * np.abs(covariance).max():
            raise ArgumentError("Normals: a covariance must be symmetric, without negative eigenvalues")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "covariance", covariance)

    @property
    def size(self) -> int:
        return len(self.mean)

    def values(self, x: np.ndarray) -> np.ndarray:
        """mean + √covariance · z, with independent standard normals z."""
        from scipy.special import ndtri

        size, axes = np.linalg.eigh(self.covariance)
        root = axes * np.sqrt(np.maximum(size, 0.0))
        z = ndtri(np.clip(x, FINEST, 1.0 - FINEST))
        made: np.ndarray = self.mean + np.einsum("kj,ij->ki", z, root)  # row by row: it hangs on no other row
        return made

    def levels(self, n: int) -> np.ndarray:
        raise ArgumentError("a grid has no place for correlated inputs; choose another design")

    @property
    def means(self) -> np.ndarray:
        return np.asarray(self.mean)

    @property
    def variance(self) -> np.ndarray:
        return np.asarray(self.covariance)

    @property
    def described(self) -> str:
        deviations = np.sqrt(np.diagonal(self.covariance))
        return "normal, correlated: " + ", ".join(f"{m:.6g} (σ {s:.3g})" for m, s in zip(self.mean, deviations))

    @property
    def recorded(self) -> list[Any]:
        return ["normals", self.mean.tolist(), self.covariance.tolist()]


def normal(mean: float, sigma: float, said: str) -> Distributed:
    """A normal distribution, with the words it came from."""
    from scipy import stats

    return Distributed(stats.norm(mean, sigma), said)


def as_spread(given: Any, nominal: float | None, where: str) -> Spread:
    """A spread from what a user says: text, (low, high), a list, a distribution, or `Normals`."""
    from dalembert.studies.tolerances import spread_of_text

    if isinstance(given, (Values, Range, Distributed, Normals)):
        return given
    if isinstance(given, str):
        return spread_of_text(given, nominal, where)
    if hasattr(given, "ppf") or hasattr(given, "icdf"):
        return Distributed(given)
    if isinstance(given, tuple) and len(given) == 2:
        low, high = (real(x, f"{where}: each end of the range") for x in given)
        if not (low < high and math.isfinite(low) and math.isfinite(high)):
            raise ArgumentError(f"{where}: a range (low, high) must have its low end below its high end, not {given!r}")
        return Range(low, high)
    if isinstance(given, (Sequence, np.ndarray)) and len(given):
        return Values(np.atleast_1d(numbers(given, f"{where}: the list")))
    raise ArgumentError(
        f"{where}: {given!r} does not say how it varies; give a range (low, high), a list [a, b, c], a distribution of scipy.stats, "
        'or a tolerance "±1%"'
    )
