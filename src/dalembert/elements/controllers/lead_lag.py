"""LeadLag: a filter with one zero and one pole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.element import Element, output
from dalembert.parts.fields import Number, PlainNumber, Positive
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class LeadLag(Element):
    """gain (lead s + 1)/(lag s + 1): phase is gained where `lead` is the longer time, lost where `lag` is."""

    lead: Number
    lag: Positive
    gain: Number = 1.0
    initial: PlainNumber = 0.0

    inputs = ("input",)

    @property
    def states(self) -> Mapping[str, float]:
        return {"value": self.initial}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": (x["input"] - x["value"]) / self.lag}

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return self.gain * (x["value"] + self.lead * (x["input"] - x["value"]) / self.lag)
