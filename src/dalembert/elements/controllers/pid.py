"""PID: proportional, integral and derivative control, with limits and anti-windup.

v = kp e + I + D with e = reference − measured, İ = ki e + (output − v)/tracking, D = kd (e − f)/filter, filter ḟ = e − f, and output v
between its limits. Back-calculation: Åström and Hägglund, *Advanced PID Control* (2006), section 3.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.controllers.sampled import share
from dalembert.elements.controllers.saturation import check_limits
from dalembert.elements.element import Element, output
from dalembert.errors import ModelError
from dalembert.parts.fields import Number, PlainNumber, PositiveNumber
from dalembert.trace import Scalar, maximum, minimum

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class PID(Element):
    """kp e + ki ∫e dt + kd ė of the error e = reference − measured, the derivative filtered: kd s/(filter s + 1).

    `lower` and `upper` limit the output; while it is limited the integral is led back within `tracking` seconds (anti-windup). With a
    `period` it is sampled: as in continuous time with the error held between samples, and its output is held.
    """

    kp: Number
    ki: Number = 0.0
    kd: Number = 0.0
    filter: Number = 0.01
    lower: Number | None = None
    upper: Number | None = None
    tracking: Number = 1.0
    period: PositiveNumber | None = None
    initial: PlainNumber = 0.0

    inputs = ("measured",)
    optional = {"reference": 0.0}  # noqa: RUF012

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.filter, float) and not self.filter > 0.0:
            raise ModelError(
                f"PID: filter={self.filter!r} must be above zero: a derivative without a filter cannot be computed"
            )
        check_limits(self.lower, self.upper, "PID")

    @property
    def states(self) -> Mapping[str, float]:
        found = {"integral": self.initial, "filtered": 0.0}
        return found if self.period is None else {**found, "held": 0.0}

    @output()
    def error(self, x: ElementAt) -> Scalar:
        return x["reference"] - x["measured"]

    def wanted(self, x: ElementAt) -> Scalar:
        """The output without its limits."""
        e = self.error(x)
        return self.kp * e + x["integral"] + self.kd * (e - x["filtered"]) / self.filter

    def _limited(self, v: Any) -> Scalar:
        v = v if self.lower is None else maximum(v, self.lower)
        return v if self.upper is None else minimum(v, self.upper)

    @output()
    def output(self, x: ElementAt) -> Scalar:
        return self._limited(self.wanted(x)) if self.period is None else x["held"]

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        e, v = self.error(x), self.wanted(x)
        return {"integral": self._growth(e, v), "filtered": (e - x["filtered"]) / self.filter}

    def _growth(self, e: Any, v: Any) -> Scalar:
        """Rate of the integral."""
        limited = self.lower is not None or self.upper is not None
        return self.ki * e + (self._limited(v) - v) / self.tracking if limited else self.ki * e

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        e, v, T = self.error(x), self.wanted(x), self.period or 0.0
        filtered = x["filtered"] + share(T, self.filter) * (e - x["filtered"])
        return {"integral": x["integral"] + T * self._growth(e, v), "filtered": filtered, "held": self._limited(v)}
