"""LuGre: friction by bristles that bend, with Stribeck's curve.

ż = v − σ₀ |v| z/g(v), force σ₀ z + σ₁ ż + σ₂ v, g = F_c + (F_s − F_c) e^{−(v/v_s)²}. Canudas de Wit, Olsson, Åström and Lischinsky,
*A new model for control of systems with friction*, IEEE Trans. Automatic Control 40 (1995) 419–425.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.element import output
from dalembert.elements.on_joint import OnJoint
from dalembert.parts.fields import JointName, Number
from dalembert.parts.forces.force import Load
from dalembert.trace import Scalar, exp

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class LuGre(OnJoint):
    """Friction in a joint by bristles: they bend (`stiffness` σ₀, `damping` σ₁) and slip under `coulomb`, at rest under `static`.

    `stribeck` is the speed at which friction falls from the one to the other, `viscous` σ₂ adds a force for each speed.
    """

    joint: JointName
    stiffness: Number
    coulomb: Number
    static: Number
    stribeck: Number
    damping: Number = 0.0
    viscous: Number = 0.0
    coordinate: str | None = None

    units: ClassVar[Mapping[str, str]] = {"bend": "m"}

    @property
    def states(self) -> Mapping[str, float]:
        return {"bend": 0.0}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return {"bend": self.static / self.stiffness}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        v = self.joint_speed(x)
        slow = v / self.stribeck
        largest = self.coulomb + (self.static - self.coulomb) * exp(-slow * slow)
        return {"bend": v - self.stiffness * abs(v) * x["bend"] / largest}

    @output("N")
    def friction(self, x: ElementAt) -> Scalar:
        """Force against the motion."""
        bending = self.rates(x)["bend"]
        return self.stiffness * x["bend"] + self.damping * bending + self.viscous * self.joint_speed(x)

    def loads(self, x: ElementAt) -> Iterable[Load]:
        return self.on_joint(x, -self.friction(x))

    def stored(self, x: ElementAt) -> Scalar:
        return 0.5 * self.stiffness * x["bend"] * x["bend"]

    def dissipated(self, x: ElementAt) -> Scalar:
        return self.friction(x) * self.joint_speed(x) - self.stiffness * x["bend"] * self.rates(x)["bend"]
