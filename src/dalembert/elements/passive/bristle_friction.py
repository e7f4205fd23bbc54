"""Friction in a joint by bristles that bend and slip: ż = v − σ |v| z/g(v), force σ z + what a model adds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from dalembert.elements.element import output
from dalembert.elements.on_joint import OnJoint
from dalembert.parts.forces.force import Load
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


class BristleFriction(OnJoint):
    """A base of friction models with a field `stiffness` σ; `largest(v)` is the friction g(v) at which bristles slip at a speed."""

    stiffness: Any

    units: ClassVar[Mapping[str, str]] = {"bend": "m"}

    def largest(self, v: Scalar) -> Scalar:
        """Friction at a speed that lasts."""
        raise NotImplementedError

    def beside(self, v: Scalar, bending: Scalar) -> Scalar:
        """What is added to the bristles' force, at a speed of the joint and of the bending."""
        return 0.0

    @property
    def states(self) -> Mapping[str, float]:
        return {"bend": 0.0}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return {"bend": self.largest(0.0) / self.stiffness}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        v = self.joint_speed(x)
        return {"bend": v - self.stiffness * abs(v) * x["bend"] / self.largest(v)}

    @output("N")
    def friction(self, x: ElementAt) -> Scalar:
        """Force against the motion."""
        return self.stiffness * x["bend"] + self.beside(self.joint_speed(x), self.rates(x)["bend"])

    def loads(self, x: ElementAt) -> Iterable[Load]:
        return self.on_joint(x, -self.friction(x))

    def stored(self, x: ElementAt) -> Scalar:
        return 0.5 * self.stiffness * x["bend"] * x["bend"]

    def dissipated(self, x: ElementAt) -> Scalar:
        return self.friction(x) * self.joint_speed(x) - self.stiffness * x["bend"] * self.rates(x)["bend"]
