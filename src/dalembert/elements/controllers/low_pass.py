"""LowPass: a filter of first order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.controllers.sampled import share
from dalembert.elements.element import Element, output
from dalembert.errors import ModelError
from dalembert.parts.fields import Number, PlainNumber, PositiveNumber
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class LowPass(Element):
    """time · ẏ = gain · input − y: what changes more slowly than `time` passes, what changes faster is smoothed.

    With a `period` the input is sampled and held, and so is the output.
    """

    time: Number
    gain: Number = 1.0
    initial: PlainNumber = 0.0
    period: PositiveNumber | None = None

    inputs = ("input",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.time, float) and (self.time < 0.0 or (not self.time and self.period is None)):
            raise ModelError(f"LowPass: time must be positive, not {self.time:g}; sampled it may be zero")

    @property
    def states(self) -> Mapping[str, float]:
        return {"value": self.initial}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": (self.gain * x["input"] - x["value"]) / self.time}

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": x["value"] + share(self.period or 0.0, self.time) * (self.gain * x["input"] - x["value"])}

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return x["value"]
