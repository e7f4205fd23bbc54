"""Hold: a signal sampled and held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.element import Element, output
from dalembert.parts.fields import PlainNumber, PositiveNumber
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class Hold(Element):
    """The input as it was at the last sample: a zero-order hold, every `period` seconds."""

    period: PositiveNumber
    initial: PlainNumber = 0.0

    sampled_only = True
    inputs = ("input",)

    @property
    def states(self) -> Mapping[str, float]:
        return {"value": self.initial}

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": x["input"]}

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return x["value"]
