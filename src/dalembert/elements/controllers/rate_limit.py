"""RateLimit: a signal that follows another no faster than it may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.element import Element, output
from dalembert.parts.fields import PlainNumber, Positive, PositiveNumber
from dalembert.trace import Scalar, maximum, minimum

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class RateLimit(Element):
    """Follows the input at no more than `rate` per second: ẏ = (input − y)/time between −rate and rate.

    `time` is how fast it follows where the rate is no limit. With a `period` it follows at once, from sample to sample.
    """

    rate: Positive
    time: Positive = 1e-3
    initial: PlainNumber = 0.0
    period: PositiveNumber | None = None

    inputs = ("input",)

    @property
    def states(self) -> Mapping[str, float]:
        return {"value": self.initial}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": _between((x["input"] - x["value"]) / self.time, self.rate)}

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": x["value"] + _between(x["input"] - x["value"], self.rate * (self.period or 0.0))}

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return x["value"]


def _between(value: Any, limit: Any) -> Scalar:
    return minimum(maximum(value, -limit), limit)
