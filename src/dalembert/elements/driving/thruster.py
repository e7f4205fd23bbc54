"""Thruster: a jet that is on or off, with a threshold, hysteresis and a least pulse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.elements.element import Element, output
from dalembert.parts.fields import Number, PlainNumber, PointLike, PositiveNumber
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, maximum, select

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

EARLY = 1e-9
"""Part of a period within which a pulse that is about to end has ended."""


@dataclass(frozen=True, eq=False)
class Thruster(Element):
    """Pushes at a point of a body with `force` along `direction`, in the body's axes, while it is on.

    Every `period` seconds it looks at its input `command`: it goes on above `threshold` and off below `release`, after `pulse` seconds
    at the earliest. `fuel` is what it has used, `flow` kg/s while it is on.
    """

    at: PointLike
    direction: Axis
    force: Number
    period: PositiveNumber
    threshold: Number = 0.5
    release: Number = 0.25
    pulse: PlainNumber = 0.0
    flow: Number = 0.0

    sampled_only = True
    inputs = ("command",)

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body,)

    @property
    def states(self) -> Mapping[str, float]:
        return {"on": 0.0, "left": 0.0, "fuel": 0.0}

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        was, left, wanted = x["on"] > 0.5, x["left"] - self.period, x["command"]
        stays = (left > EARLY * self.period) | (wanted >= self.release)
        on = select(was, select(stays, 1.0, 0.0), select(wanted > self.threshold, 1.0, 0.0))
        begins = select(was, maximum(left, 0.0), self.pulse)
        return {"on": on, "left": on * begins, "fuel": x["fuel"] + x["on"] * self.flow * self.period}

    @output("N")
    def thrust(self, x: ElementAt) -> Scalar:
        return x["on"] * self.force

    def _push(self, x: ElementAt) -> np.ndarray:
        return self.thrust(x) * (x.s.rotation(self.at) @ np.asarray(self.direction))

    def loads(self, x: ElementAt) -> Iterable[Load]:
        yield BodyLoad(self.at, self._push(x), at=x.s.position(self.at))

    def supplied(self, x: ElementAt) -> Scalar:
        return self._push(x) @ x.s.velocity(self.at)
