"""Integral: the integral of a signal over time, such as the energy that a power brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.element import Element
from dalembert.parts.fields import PlainNumber

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class Integral(Element):
    """ẏ = input: connected to "motor.dissipated", `value` is the heat of the motor since the start."""

    initial: PlainNumber = 0.0

    inputs = ("input",)

    @property
    def states(self) -> Mapping[str, float]:
        return {"value": self.initial}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"value": x["input"]}
