"""What keeps a marched mechanism on its constraints: projection at every step, Baumgarte's terms in the equations, or nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.arguments import real
from dalembert.errors import ModelError, SimulationError


@dataclass(frozen=True)
class Projection:
    """q and u are brought back by the least change in the metric of the mass matrix, at steps and at outputs. The default: exact."""

    projects: ClassVar[bool] = True
    gains: ClassVar[tuple[float, float] | None] = None


@dataclass(frozen=True)
class Baumgarte:
    """For `m.simulate(…, stabilise=da.Baumgarte(alpha, beta))`: g̈ + αġ + βg = 0 instead of g̈ = 0 [B Remark 4].

    Gaps decay instead of growing, at a rate to be tuned; the usual projection needs no tuning.
    """

    alpha: float = 100.0
    beta: float = 2500.0
    projects: ClassVar[bool] = False

    def __post_init__(self) -> None:
        gains = [real(getattr(self, name), f"Baumgarte: {name}") for name in ("alpha", "beta")]
        if not all(0.0 <= gain < math.inf for gain in gains):
            raise SimulationError(f"Baumgarte's gains must not be negative: alpha={self.alpha!r}, beta={self.beta!r}")

    @property
    def gains(self) -> tuple[float, float] | None:
        return (self.alpha, self.beta)


@dataclass(frozen=True)
class Unstabilised:
    """g̈ = 0 only: gaps grow with the error of integration."""

    projects: ClassVar[bool] = False
    gains: ClassVar[tuple[float, float] | None] = None


Stabilisation = Projection | Baumgarte | Unstabilised

STABILISATIONS: dict[str, Stabilisation] = {
    "projection": Projection(), "baumgarte": Baumgarte(), "none": Unstabilised()
}  # fmt: skip
"""Those that have a name."""


def recorded(how: Stabilisation) -> Any:
    """For the result and for files, as a model file says it."""
    if isinstance(how, Baumgarte):
        return {"alpha": how.alpha, "beta": how.beta}
    return next(name for name, one in STABILISATIONS.items() if one == how)


def stabilisation(value: str | Stabilisation) -> Stabilisation:
    """A stabilisation by name, or as it is."""
    return STABILISATIONS[value] if isinstance(value, str) else value


def checked_stabilisation(value: Any, where: str) -> str | Stabilisation:
    """A name that is known, or a stabilisation; what else is refused."""
    if isinstance(value, Stabilisation) or (isinstance(value, str) and value in STABILISATIONS):
        return value
    names = ", ".join(map(repr, STABILISATIONS))
    raise ModelError(f"{where}={value!r} is not known; choose one of {names}, or da.Baumgarte(alpha, beta)")
