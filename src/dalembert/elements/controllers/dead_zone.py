"""DeadZone: a signal of which small values count as zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.elements.element import Element, output
from dalembert.errors import ModelError
from dalembert.parts.fields import Number
from dalembert.trace import Scalar, maximum, minimum

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class DeadZone(Element):
    """What the input has beyond `width` to either side of zero: 0 between −width and width."""

    width: Number

    inputs = ("input",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.width, float) and self.width < 0.0:
            raise ModelError(f"DeadZone: width must not be below zero, not {self.width:g}")

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return maximum(x["input"] - self.width, 0.0) + minimum(x["input"] + self.width, 0.0)
