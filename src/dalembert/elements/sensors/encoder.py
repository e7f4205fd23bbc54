"""Encoder: the coordinate of a joint in whole steps, and its speed by their differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.on_joint import OnJoint
from dalembert.elements.sensors.random_numbers import RandomNumbers
from dalembert.elements.sensors.sensor import Sensor
from dalembert.parts.fields import Count, JointName, Number, PlainNumber, PositiveNumber
from dalembert.trace import Scalar, select

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class Encoder(Sensor, OnJoint):
    """Reads the coordinate of a joint, in steps of `resolution` where that is given.

    Sampled every `period` seconds, its `speed` is the difference of two positions by the period, as a counter gives it; without a
    period it is the speed itself. Readings come `delay` seconds late.
    """

    joint: JointName
    resolution: Number = 0.0
    period: PositiveNumber | None = None
    delay: PlainNumber = 0.0
    noise: Number = 0.0
    bias: Number = 0.0
    seed: Count = 1
    coordinate: str | None = None

    channels = ("position", "speed")

    def measured(self, x: ElementAt) -> Mapping[str, Any]:
        return {"position": self.joint_coordinate(x)}

    def noise_of(self, channel: str) -> Scalar:
        return self.noise if channel == "position" else 0.0

    def bias_of(self, channel: str) -> Scalar:
        return self.bias

    def step_of(self, channel: str) -> Scalar:
        return self.resolution

    def readings(self, x: ElementAt, random: RandomNumbers | None) -> dict[str, Any]:
        found = super().readings(x, random)
        if self.period is None:
            return found | {"speed": self.joint_speed(x)}
        moved = (found["position"] - x["position_0"]) / self.period
        return found | {"speed": select(x["begun"] > 0.5, moved, 0.0)}
