"""DCMotor: a motor with a permanent magnet, its coil, rotor and gear.

L di/dt = v − R i − k ω, torque on the rotor k i − b ω − J dω/dt, with ω = n u, n being the gear's ratio and u the joint's speed. The
rotor's inertia is felt at the joint as n² J. Krishnan, *Electric Motor Drives* (2001), section 2.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.element import output
from dalembert.elements.on_joint import OnJoint
from dalembert.parts.fields import JointName, Number, PlainNumber, Positive
from dalembert.parts.forces.force import Load
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class DCMotor(OnJoint):
    """Drives a joint by the current in its coil: L di/dt = voltage − R i − k ω, torque n (k i − b ω), with ω = n u.

    `constant` k is both its torque constant, N m/A, and that of its counter-voltage, V s; `gear` n turns of the rotor make one of the
    joint; `friction` b is viscous, N m s. The inertia J of its rotor belongs to the joint: `s.add_joint(…, armature=n**2 * J)`.
    """

    joint: JointName
    resistance: Number
    inductance: Positive
    constant: Number
    gear: Number = 1.0
    friction: Number = 0.0
    coordinate: str | None = None
    initial: PlainNumber = 0.0

    inputs = ("voltage",)
    takes: ClassVar[Mapping[str, str]] = {"voltage": "V"}
    units: ClassVar[Mapping[str, str]] = {"current": "A"}

    @property
    def states(self) -> Mapping[str, float]:
        return {"current": self.initial}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        left = x["voltage"] - self.resistance * x["current"] - self.constant * self.speed(x)
        return {"current": left / self.inductance}

    @output("rad/s")
    def speed(self, x: ElementAt) -> Scalar:
        """ω of the rotor."""
        return self.gear * self.joint_speed(x)

    @output("N m")
    def torque(self, x: ElementAt) -> Scalar:
        """Torque on the joint."""
        return self.gear * (self.constant * x["current"] - self.friction * self.speed(x))

    def loads(self, x: ElementAt) -> Iterable[Load]:
        return self.on_joint(x, self.torque(x))

    def stored(self, x: ElementAt) -> Scalar:
        return 0.5 * self.inductance * x["current"] * x["current"]

    def dissipated(self, x: ElementAt) -> Scalar:
        speed = self.speed(x)
        return self.resistance * x["current"] * x["current"] + self.friction * speed * speed

    def supplied(self, x: ElementAt) -> Scalar:
        return x["voltage"] * x["current"]
