"""Dahl: friction by a bristle that bends and slips, without Stribeck's curve.

ż = v − σ |v| z/F, force σ z. Dahl, *A solid friction model*, The Aerospace Corporation, TOR-0158(3107-18)-1 (1968).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.element import output
from dalembert.elements.on_joint import OnJoint
from dalembert.parts.fields import JointName, Number
from dalembert.parts.forces.force import Load
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class Dahl(OnJoint):
    """Friction in a joint by a bristle of this `stiffness` that slips under `force`."""

    joint: JointName
    stiffness: Number
    force: Number
    coordinate: str | None = None

    units: ClassVar[Mapping[str, str]] = {"bend": "m"}

    @property
    def states(self) -> Mapping[str, float]:
        return {"bend": 0.0}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return {"bend": self.force / self.stiffness}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        v = self.joint_speed(x)
        return {"bend": v - self.stiffness * abs(v) * x["bend"] / self.force}

    @output("N")
    def friction(self, x: ElementAt) -> Scalar:
        """Force against the motion."""
        return self.stiffness * x["bend"]

    def loads(self, x: ElementAt) -> Iterable[Load]:
        return self.on_joint(x, -self.friction(x))

    def stored(self, x: ElementAt) -> Scalar:
        return 0.5 * self.stiffness * x["bend"] * x["bend"]

    def dissipated(self, x: ElementAt) -> Scalar:
        return self.friction(x) * (self.joint_speed(x) - self.rates(x)["bend"])
