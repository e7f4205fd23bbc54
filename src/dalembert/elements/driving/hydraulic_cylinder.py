"""HydraulicCylinder: two chambers of compressible oil behind a valve, which push a joint.

V₁ ṗ₁/β + A₁ v = Q₁ − c(p₁ − p₂), V₂ ṗ₂/β − A₂ v = Q₂ + c(p₁ − p₂), force A₁p₁ − A₂p₂; through an opening s flows k s √Δp, from the
supply into one chamber and from the other into the tank. Merritt, *Hydraulic Control Systems* (1967), chapters 3 and 6. Oil of density
ρ₀ e^{p/β} stores V(β(e^{p/β} − 1) − p), and a flow Q at a pressure p carries Q β(e^{p/β} − 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.element import output
from dalembert.elements.on_joint import OnJoint
from dalembert.parts.fields import JointName, Number, PlainNumber, Positive
from dalembert.parts.forces.force import Load
from dalembert.trace import Scalar, exp, maximum, sqrt

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

SMOOTH = 1.0
"""Pressure difference below which flow through an opening is smooth in it, Pa: a square root has no slope at zero."""


@dataclass(frozen=True, eq=False)
class HydraulicCylinder(OnJoint):
    """Pushes a joint with A₁p₁ − A₂p₂: `bore` and `rod_side` are the areas, `volume` and `rod_volume` the chambers where q = 0.

    Input `opening` of its valve: 1 lets the supply into the first chamber and the second into the tank with `flow` √Δp, −1 the other
    way round. `leakage` flows between the chambers for each pascal. Pressures at the start are `initial` and `rod_initial`.
    """

    joint: JointName
    bore: Positive
    rod_side: Positive
    volume: Positive
    rod_volume: Positive
    flow: Number
    supply: Number
    tank: Number = 0.0
    bulk: Positive = 1.4e9
    leakage: Number = 0.0
    initial: PlainNumber = 0.0
    rod_initial: PlainNumber = 0.0
    coordinate: str | None = None

    inputs = ("opening",)
    units: ClassVar[Mapping[str, str]] = {"pressure": "Pa", "rod_pressure": "Pa"}

    @property
    def states(self) -> Mapping[str, float]:
        return {"pressure": self.initial, "rod_pressure": self.rod_initial}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return dict.fromkeys(("pressure", "rod_pressure"), self.supply)

    def _flows(self, x: ElementAt) -> tuple[Any, Any, Any, Any]:
        """Flows from the supply and into the tank, of the first chamber and of the second, through what is open."""
        s, p, r = x["opening"], x["pressure"], x["rod_pressure"]
        opened, closed = maximum(s, 0.0), maximum(-s, 0.0)
        through = self._through
        return (
            opened * through(self.supply - p),
            closed * through(p - self.tank),
            closed * through(self.supply - r),
            opened * through(r - self.tank),
        )

    def _through(self, drop: Any) -> Scalar:
        """flow √drop, smooth about zero, and odd."""
        return self.flow * drop / sqrt(sqrt(drop * drop + SMOOTH * SMOOTH))

    def _volumes(self, x: ElementAt) -> tuple[Any, Any]:
        q = self.joint_coordinate(x)
        return self.volume + self.bore * q, self.rod_volume - self.rod_side * q

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        v, (first, second) = self.joint_speed(x), self._volumes(x)
        into, out, rod_into, rod_out = self._flows(x)
        leaks = self.leakage * (x["pressure"] - x["rod_pressure"])
        return {
            "pressure": self.bulk / first * (into - out - leaks - self.bore * v),
            "rod_pressure": self.bulk / second * (rod_into - rod_out + leaks + self.rod_side * v),
        }

    @output("N")
    def force(self, x: ElementAt) -> Scalar:
        return self.bore * x["pressure"] - self.rod_side * x["rod_pressure"]

    def loads(self, x: ElementAt) -> Iterable[Load]:
        return self.on_joint(x, self.force(x))

    def _carried(self, p: Any) -> Scalar:
        """Energy that a volume carries in through an opening at this pressure, J/m³."""
        return self.bulk * (exp(p / self.bulk) - 1.0)

    def stored(self, x: ElementAt) -> Scalar:
        pressures = (x["pressure"], x["rod_pressure"])
        return sum(V * (self._carried(p) - p) for V, p in zip(self._volumes(x), pressures))

    def supplied(self, x: ElementAt) -> Scalar:
        into, out, rod_into, rod_out = self._flows(x)
        return (into + rod_into) * self._carried(self.supply) - (out + rod_out) * self._carried(self.tank)

    def dissipated(self, x: ElementAt) -> Scalar:
        into, out, rod_into, rod_out = self._flows(x)
        own, rod, supply, tank = map(self._carried, (x["pressure"], x["rod_pressure"], self.supply, self.tank))
        valve = into * (supply - own) + out * (own - tank) + rod_into * (supply - rod) + rod_out * (rod - tank)
        return valve + self.leakage * (x["pressure"] - x["rod_pressure"]) * (own - rod)
