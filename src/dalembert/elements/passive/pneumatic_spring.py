"""PneumaticSpring: a gas enclosed behind a piston, which pushes a joint; air may be let in and out.

V ṗ = κ(R T ṁ − p V̇) with V = V₀ + A q, force (p − p₀) A: an ideal gas without exchange of heat. Air that comes in has the temperature
of the supply, air that leaves that of the chamber, p V/(m R). Beater, *Pneumatic Drives* (2007), section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.element import output
from dalembert.elements.on_joint import OnJoint
from dalembert.errors import ModelError
from dalembert.parts.fields import JointName, Number, Positive, PositiveNumber
from dalembert.parts.forces.force import Load
from dalembert.trace import Scalar, select

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

ATMOSPHERE, ROOM, AIR = 101325.0, 293.15, 287.05
"""Pressure of the atmosphere, Pa; temperature of a room, K; gas constant of air, J/(kg K)."""


@dataclass(frozen=True, eq=False)
class PneumaticSpring(OnJoint):
    """Pushes a joint with (p − `ambient`) `area`: gas of `volume` where q = 0, which grows with q.

    Its pressure at the start is `initial`, Pa, and `exponent` is κ. Input `flow`, kg/s, lets gas in, or out where it is below zero;
    none unless it is connected.
    """

    joint: JointName
    area: Positive
    volume: PositiveNumber
    initial: PositiveNumber
    ambient: Number = ATMOSPHERE
    exponent: PositiveNumber = 1.4
    temperature: PositiveNumber = ROOM
    gas: PositiveNumber = AIR
    coordinate: str | None = None

    optional: ClassVar[Mapping[str, float]] = {"flow": 0.0}
    takes: ClassVar[Mapping[str, str]] = {"flow": "kg/s"}
    units: ClassVar[Mapping[str, str]] = {"pressure": "Pa", "mass": "kg"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.exponent > 1.0:
            raise ModelError(f"PneumaticSpring: exponent={self.exponent:g} must be above 1, as that of every gas is")

    @property
    def states(self) -> Mapping[str, float]:
        return {"pressure": self.initial, "mass": self.initial * self.volume / (self.gas * self.temperature)}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return dict(self.states)

    def _volume(self, x: ElementAt) -> Scalar:
        return self.volume + self.area * self.joint_coordinate(x)

    def _heat(self, x: ElementAt) -> Scalar:
        """R T of the gas that passes, J/kg."""
        own = x["pressure"] * self._volume(x) / x["mass"]
        return select(x["flow"] > 0.0, self.gas * self.temperature, own)

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        growing = self.area * self.joint_speed(x)
        pressed = self._heat(x) * x["flow"] - x["pressure"] * growing
        return {"pressure": self.exponent * pressed / self._volume(x), "mass": x["flow"]}

    @output("N")
    def force(self, x: ElementAt) -> Scalar:
        """Force on the joint."""
        return (x["pressure"] - self.ambient) * self.area

    def loads(self, x: ElementAt) -> Iterable[Load]:
        return self.on_joint(x, self.force(x))

    def stored(self, x: ElementAt) -> Scalar:
        return self._volume(x) * (x["pressure"] / (self.exponent - 1.0) + self.ambient)

    def supplied(self, x: ElementAt) -> Scalar:
        return self.exponent / (self.exponent - 1.0) * self._heat(x) * x["flow"]
