"""LeadLag: a filter with one zero and one pole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.controllers.sampled import share
from dalembert.elements.element import Element, output
from dalembert.parts.fields import Number, PlainNumber, Positive, PositiveNumber
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class LeadLag(Element):
    """gain (lead s + 1)/(lag s + 1): phase is gained where `lead` is the longer time, lost where `lag` is.

    With a `period` the input is sampled and held, and so is the output.
    """

    lead: Number
    lag: Positive
    gain: Number = 1.0
    initial: PlainNumber = 0.0
    period: PositiveNumber | None = None

    inputs = ("input",)

    @property
    def states(self) -> Mapping[str, float]:
        found = {"value": self.initial}
        return found if self.period is None else {**found, "held": self.initial}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": (x["input"] - x["value"]) / self.lag}

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        moved = share(self.period or 0.0, self.lag) * (x["input"] - x["value"])
        return {"value": x["value"] + moved, "held": self._now(x)}

    def _now(self, x: ElementAt) -> Scalar:
        return self.gain * (x["value"] + self.lead * (x["input"] - x["value"]) / self.lag)

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return self._now(x) if self.period is None else x["held"]
