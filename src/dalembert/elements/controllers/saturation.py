"""Saturation: a signal between limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.element import Element, output
from dalembert.errors import ModelError
from dalembert.parts.fields import Number
from dalembert.trace import Scalar, maximum, minimum

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


def check_limits(lower: Any, upper: Any, owner: str) -> None:
    """Raise a ModelError where limits leave nothing between them."""
    if isinstance(lower, float) and isinstance(upper, float) and not lower < upper:
        raise ModelError(f"{owner}: lower={lower:g} must be below upper={upper:g}")


@dataclass(frozen=True, eq=False)
class Saturation(Element):
    """The input, not below `lower` and not above `upper`."""

    lower: Number
    upper: Number

    inputs = ("input",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_limits(self.lower, self.upper, "Saturation")

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return minimum(maximum(x["input"], self.lower), self.upper)
