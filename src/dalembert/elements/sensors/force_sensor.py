"""ForceSensor: force and torque that a joint transmits to its child."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.sensors.sensor import Sensor
from dalembert.parts.fields import Count, JointName, Number, PlainNumber, PositiveNumber
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class ForceSensor(Sensor):
    """Reads what the parent exerts on the child through a joint, motors and springs included: force and torque about its frame.

    The force is in the axes of the joint's frame on the parent, the torque in those on the child. It is sampled every `period` seconds:
    reactions follow from all forces, so that no force may hang on them at the same instant. In an over-constrained loop the reaction
    must be unique; beside laws that take part in it, it is refused.
    """

    joint: JointName
    period: PositiveNumber
    delay: PlainNumber = 0.0
    noise: Number = 0.0
    torque_noise: Number = 0.0
    resolution: Number = 0.0
    torque_resolution: Number = 0.0
    seed: Count = 1

    sampled_only = True
    reads_reactions = True
    channels = ("force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z")
    units: ClassVar[Mapping[str, str]] = {c: "N" if c[0] == "f" else "N m" for c in channels}

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.joint,)

    def measured(self, x: ElementAt) -> Mapping[str, Any]:
        wrench = x.s.joint_wrench(self.joint)
        return dict(zip(self.channels, [*wrench[3:], *wrench[:3]]))

    def noise_of(self, channel: str) -> Scalar:
        return self.noise if channel.startswith("force") else self.torque_noise

    def step_of(self, channel: str) -> Scalar:
        return self.resolution if channel.startswith("force") else self.torque_resolution
