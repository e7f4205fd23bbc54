"""LowPass: a filter of first order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.element import Element, output
from dalembert.parts.fields import Number, PlainNumber

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class LowPass(Element):
    """time · ẏ = gain · input − y: what changes more slowly than `time` passes, what changes faster is smoothed."""

    time: Number
    gain: Number = 1.0
    initial: PlainNumber = 0.0

    inputs = ("input",)

    @property
    def states(self) -> Mapping[str, float]:
        return {"value": self.initial}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": (self.gain * x["input"] - x["value"]) / self.time}

    @output()
    def output(self, x: ElementAt) -> Any:
        return x["value"]
