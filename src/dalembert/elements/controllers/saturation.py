"""Saturation: a signal between limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.elements.element import Element, output
from dalembert.parts.fields import Number
from dalembert.trace import Scalar, maximum, minimum

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class Saturation(Element):
    """The input, not below `lower` and not above `upper`."""

    lower: Number
    upper: Number

    inputs = ("input",)

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return minimum(maximum(x["input"], self.lower), self.upper)
