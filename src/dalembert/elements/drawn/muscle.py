"""Muscle: a Hill-type muscle and its tendon along a path over points.

A fibre of length l, with active force F₀ a f(l) by its activation a and a passive one, pulls on a tendon; its speed follows from what
is left of the tendon's force beside the passive one. Thelen, *Adjustment of muscle mechanics model parameters to simulate dynamic
contractions in older adults*, J. Biomech. Eng. 125 (2003) 70–77, with its numbers for young adults, as OpenSim's Thelen2003Muscle has
them; fibres lie along the tendon. The paper rounds where the tendon's curve becomes straight (0.609) and its slope there (1.712); here
they follow from what they stand for: the curve is smooth there and reaches 1 at the strain of the largest isometric force.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.element import Element, output
from dalembert.errors import ModelError
from dalembert.parts.fields import PlainNumber, PointLike, Positive, PositiveNumber
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.trace import Scalar, exp, maximum, minimum, select, sqrt
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

WIDTH = 0.45
"""γ of the active curve e^{−(l − 1)²/γ}."""
PASSIVE, PASSIVE_STRAIN = 5.0, 0.6
"""Shape of the passive curve, and the strain of fibres at which it is 1."""
TENDON_STRAIN = 0.04
"""Strain of the tendon under the largest isometric force."""
TOE_SHAPE, TOE_FORCE = 3.0, 0.33
"""Shape of the tendon's curve before it becomes straight, and the force there."""
STEEP = TOE_SHAPE * TOE_FORCE / (1.0 - math.exp(-TOE_SHAPE))
"""Slope of the curve where it becomes straight, times the strain there."""
TOE = TENDON_STRAIN * STEEP / (STEEP + 1.0 - TOE_FORCE)
"""Strain where the curve becomes straight."""
LINEAR = STEEP / TOE
"""Slope beyond."""
CURVED, LENGTHENED = 0.25, 1.4
"""Shape of the curve of force over speed, and the largest force while lengthening."""
NEARLY = 0.95
"""Part of the largest force of lengthening beyond which the curve goes on straight, as in OpenSim."""
LEAST = 0.01
"""Least activation, and least value of the active curve: a fibre without any has no speed of its own."""


@dataclass(frozen=True, eq=False)
class Muscle(Element):
    """A muscle that pulls along straight lines over `points` of bodies, the first and the last being its ends.

    `force` is its largest isometric force, N, with fibres of `fibre` m, `tendon` the slack length of its tendon, `speed` the largest
    speed of fibres in their lengths for each second. Input `excitation`, 0 to 1; activation follows it in `rise` and `fall` s.
    """

    points: tuple[PointLike, ...]
    force: Positive
    fibre: PositiveNumber
    tendon: PositiveNumber
    speed: Positive = 10.0
    rise: Positive = 0.015
    fall: Positive = 0.05
    initial: PlainNumber = LEAST
    fibre_initial: PositiveNumber | None = None

    inputs = ("excitation",)
    units: ClassVar[Mapping[str, str]] = {"length": "m"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.points) < 2:
            raise ModelError("Muscle: points must be two at least, its ends")

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(p.body for p in self.points)

    @property
    def states(self) -> Mapping[str, float]:
        return {"activation": self.initial, "length": self.fibre_initial or self.fibre}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return {"length": self.fibre}

    def _lines(self, x: ElementAt) -> list[tuple[int, Vector, Any]]:
        """For every straight piece the number of its first point, its direction and its length."""
        places, found = [x.s.position(p) for p in self.points], []
        for i, (a, b) in enumerate(pairwise(places)):
            length = sqrt((b - a) @ (b - a))
            found.append((i, (b - a) / length, length))
        return found

    @output("m")
    def path(self, x: ElementAt) -> Scalar:
        """Length of fibres and tendon."""
        return sum(length for *_, length in self._lines(x))

    def _strain(self, x: ElementAt) -> Any:
        return (self.path(x) - x["length"]) / self.tendon - 1.0

    @output("N")
    def tension(self, x: ElementAt) -> Scalar:
        """Force of the tendon."""
        strain = maximum(self._strain(x), 0.0)
        toe = TOE_FORCE / (math.exp(TOE_SHAPE) - 1.0) * (exp(TOE_SHAPE * minimum(strain, TOE) / TOE) - 1.0)
        return self.force * (toe + LINEAR * maximum(strain - TOE, 0.0))

    def _passive(self, x: ElementAt) -> Any:
        stretched = maximum(x["length"] / self.fibre - 1.0, 0.0)
        return self.force * (exp(PASSIVE * stretched / PASSIVE_STRAIN) - 1.0) / (math.exp(PASSIVE) - 1.0)

    @output("m/s")
    def lengthening(self, x: ElementAt) -> Scalar:
        """Speed at which fibres lengthen."""
        beside, a = x["length"] / self.fibre - 1.0, maximum(x["activation"], LEAST)
        most = a * maximum(exp(-beside * beside / WIDTH), LEAST)
        ratio = (self.tension(x) - self._passive(x)) / (self.force * most)
        return self.fibre * self.speed * (0.25 + 0.75 * a) * _speed_of(ratio)

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        a, e = x["activation"], minimum(maximum(x["excitation"], LEAST), 1.0)
        slow = 0.5 + 1.5 * a
        time = select(e > a, self.rise * slow, self.fall / slow)
        return {"activation": (e - a) / time, "length": self.lengthening(x)}

    def loads(self, x: ElementAt) -> Iterable[Load]:
        T = self.tension(x)
        for i, t, _ in self._lines(x):
            yield BodyLoad(self.points[i], T * t, at=x.s.position(self.points[i]))
            yield BodyLoad(self.points[i + 1], -T * t, at=x.s.position(self.points[i + 1]))

    def stored(self, x: ElementAt) -> Scalar:
        strain, stretched = maximum(self._strain(x), 0.0), maximum(x["length"] / self.fibre - 1.0, 0.0)
        bent, beyond = minimum(strain, TOE), maximum(strain - TOE, 0.0)
        toe = TOE / TOE_SHAPE * (exp(TOE_SHAPE * bent / TOE) - 1.0) - bent
        tendon = TOE_FORCE / (math.exp(TOE_SHAPE) - 1.0) * toe + (TOE_FORCE + 0.5 * LINEAR * beyond) * beyond
        curve = PASSIVE_STRAIN / PASSIVE * (exp(PASSIVE * stretched / PASSIVE_STRAIN) - 1.0) - stretched
        return self.force * (self.tendon * tendon + self.fibre * curve / (math.exp(PASSIVE) - 1.0))

    def _work(self, x: ElementAt) -> Any:
        """Power that fibres take up while they lengthen."""
        return (self.tension(x) - self._passive(x)) * self.lengthening(x)

    def dissipated(self, x: ElementAt) -> Scalar:
        return maximum(self._work(x), 0.0)

    def supplied(self, x: ElementAt) -> Scalar:
        return maximum(-self._work(x), 0.0)


def _speed_of(ratio: Any) -> Scalar:
    """Speed over the largest one, at an active force beside the isometric one: Thelen's (6) and (7), for each a f(l)."""
    steep = 2.0 + 2.0 / CURVED
    end = NEARLY * LENGTHENED

    def lengthening(r: Any) -> Any:
        return (r - 1.0) * (LENGTHENED - 1.0) / (steep * (LENGTHENED - r))

    pulled = minimum(
        maximum(ratio, 0.0), 1.0
    )  # below zero the passive force has to be shortened away, along the slope there
    shortening = (pulled - 1.0) / (1.0 + pulled / CURVED) + (1.0 + 1.0 / CURVED) * minimum(ratio, 0.0)
    slope = (LENGTHENED - 1.0) ** 2 / (steep * (LENGTHENED - end) ** 2)
    return shortening + lengthening(minimum(maximum(ratio, 1.0), end)) + slope * maximum(ratio - end, 0.0)
