"""Delay: a signal some time later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.elements.controllers.state_space import TransferFunction
from dalembert.elements.element import Element, output
from dalembert.errors import ModelError
from dalembert.parts.fields import Count, PlainNumber, PositiveNumber
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

LONGEST = 1000
"""Samples that a delay keeps at most."""
HIGHEST_ORDER = 10
"""Highest order of Padé's approximation: coefficients differ by (2n)!/n!, 7e11 at 10."""
WHOLE = 1e-9
"""Part of a period by which a delay may differ from a whole number of periods."""


def whole_periods(time: float, period: float, owner: str, field: str = "delay") -> int:
    """How many periods a delay has."""
    count = time / period
    if not 0.5 < count < LONGEST + 0.5 or abs(count - round(count)) > WHOLE * max(1.0, count):
        raise ModelError(
            f"{owner}: {field}={time:g} must be a multiple of period={period:g}, of {LONGEST} periods at the most"
        )
    return round(count)


@dataclass(frozen=True, eq=False)
class Delay(Element):
    """The input `time` seconds later: exactly, where it is sampled every `period` seconds and `time` is a multiple of that.

    Without a period it is Padé's approximation of the `order`: right for what changes slowly beside time/order.
    """

    time: PositiveNumber
    period: PositiveNumber | None = None
    order: Count = 3
    initial: PlainNumber = 0.0

    inputs = ("input",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period is None:
            if self.order > HIGHEST_ORDER:
                raise ModelError(
                    f"Delay: order={self.order} is above {HIGHEST_ORDER}, where Padé's approximation loses its digits; put several "
                    "delays in a row, or give a period"
                )
            return
        whole_periods(self.time, self.period, "Delay", "time")

    @property
    def _pade(self) -> TransferFunction:
        """Σ c_k (−p)ᵏ / Σ c_k pᵏ, c_k = (2n − k)! n!/((2n)! k! (n − k)!), in time measured by T: p = s T."""
        n, c = self.order, [1.0]
        for k in range(1, self.order + 1):
            c.append(c[-1] * (n - k + 1) / (k * (2 * n - k + 1)))
        powers = np.array(c)[::-1]
        signs = np.array([(-1.0) ** k for k in range(n + 1)])[::-1]
        return TransferFunction(powers * signs, powers)

    @property
    def _count(self) -> int:
        return round(self.time / self.period) if self.period is not None else 0

    @property
    def states(self) -> Mapping[str, float]:
        if self.period is None:
            *others, last = self._pade.states
            return {
                **dict.fromkeys(others, 0.0),
                last: self.initial / float(self._pade.denominator[-1] / self._pade.denominator[0]),
            }
        return {f"z{i}": self.initial for i in range(self._count + 1)}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return self._pade.sizes if self.period is None else {}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        if self.period is not None:
            return {}
        return {name: rate / self.time for name, rate in self._pade.rates(x).items()}

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        """A register: what was sampled moves on by one place."""
        moved = {f"z{i}": x[f"z{i - 1}"] for i in range(1, self._count + 1)}
        return {"z0": x["input"], **moved}

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return self._pade.outputs["output"](x) if self.period is None else x[f"z{self._count}"]
