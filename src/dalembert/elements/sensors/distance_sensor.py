"""DistanceSensor: how far two points are apart, and how fast they part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.sensors.sensor import Sensor
from dalembert.parts.fields import Count, Number, PlainNumber, PointLike, PositiveNumber
from dalembert.trace import Scalar, sqrt

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class DistanceSensor(Sensor):
    """Reads the distance between two points of bodies, m, and its rate, m/s, in steps of `resolution` where that is given.

    Sampled every `period` seconds, with `noise` and `delay`, or continuous.
    """

    a: PointLike
    b: PointLike
    resolution: Number = 0.0
    period: PositiveNumber | None = None
    delay: PlainNumber = 0.0
    noise: Number = 0.0
    rate_noise: Number = 0.0
    bias: Number = 0.0
    seed: Count = 1

    channels = ("distance", "rate")
    units: ClassVar[Mapping[str, str]] = {"distance": "m", "rate": "m/s"}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.a.body, self.b.body)

    def measured(self, x: ElementAt) -> Mapping[str, Any]:
        s = x.s
        gap = s.position(self.b) - s.position(self.a)
        length = sqrt(gap @ gap)
        return {"distance": length, "rate": gap @ (s.velocity(self.b) - s.velocity(self.a)) / length}

    def noise_of(self, channel: str) -> Scalar:
        return self.noise if channel == "distance" else self.rate_noise

    def bias_of(self, channel: str) -> Scalar:
        return self.bias if channel == "distance" else 0.0

    def step_of(self, channel: str) -> Scalar:
        return self.resolution if channel == "distance" else 0.0
