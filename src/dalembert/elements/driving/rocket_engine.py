"""RocketEngine: thrust by expelled mass; its fuel is a state, of which masses are made.

ṁ = −flow while there is fuel, thrust flow · exhaust speed. The body's mass, mass centre and inertia may be expressions of the fuel: as
it burns they change, m v̇ = thrust + …, Tsiolkovsky's law. What flows inside the body is taken to have no momentum of its own in it:
what burns leaves with the motion of the body where it was, and takes its energy with it. There is no jet damping.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dalembert.elements.element import Element, output
from dalembert.elements.signals import ElementAt
from dalembert.errors import ModelError
from dalembert.parts.fields import Number, PointLike, PositiveNumber
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Expr, Scalar, directional, select


@dataclass(frozen=True, eq=False)
class RocketEngine(Element):
    """Pushes at a point of a body along `direction`, in the body's axes, by mass that leaves it at the speed `exhaust`.

    Input `flow`, kg/s. It begins with `initial` kg of fuel and stops when that is used. What `s.add_element` returns holds the fuel as
    a symbol, `tank["fuel"]`: a body of mass `dry + tank["fuel"]` becomes lighter as it burns.
    """

    at: PointLike
    direction: Axis
    exhaust: Number
    initial: PositiveNumber

    inputs = ("flow",)
    takes: ClassVar[Mapping[str, str]] = {"flow": "kg/s"}
    units: ClassVar[Mapping[str, str]] = {"fuel": "kg"}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body,)

    @property
    def states(self) -> Mapping[str, float]:
        return {"fuel": self.initial}

    def burnt(self, x: ElementAt) -> Scalar:
        """Mass that leaves, kg/s."""
        return select(x["fuel"] > 0.0, x["flow"], 0.0)

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"fuel": -self.burnt(x)}

    @output("N")
    def thrust(self, x: ElementAt) -> Scalar:
        return self.burnt(x) * self.exhaust

    def loads(self, x: ElementAt) -> Iterable[Load]:
        push = self.thrust(x) * (x.s.rotation(self.at) @ np.asarray(self.direction))
        yield BodyLoad(self.at, push, at=x.s.position(self.at))

    def supplied(self, x: ElementAt) -> Scalar:
        """Power of the thrust, less the energy that burnt mass takes with it: ∂E/∂fuel times what burns."""
        fuel = x["fuel"]
        if type(fuel) is not Expr:
            raise ModelError(
                "the energy that burning mass takes along depends on the masses as functions of the fuel, which a state of plain "
                "numbers does not have; evaluate it along a motion: motion.evaluate, or da.Integral"
            )
        push = self.thrust(x) * (x.s.rotation(self.at) @ np.asarray(self.direction))
        taken: Scalar = self.burnt(x) * directional([_energy(x)], {fuel: 1.0})[0]
        return push @ x.s.velocity(self.at) - taken


def _energy(x: ElementAt) -> Any:
    """Kinetic energy of all bodies, and what gravity holds of them."""
    s = x.s
    m, total = s.mechanism, 0.0
    for k, (body, at) in enumerate(zip(m.bodies, s.instants)):
        total = total + body.kinetic_energy(at) - body.mass * (m.gravity @ (s.poses[k + 1].p + s.com_arms[k]))
    return total + sum(p.element.stored(ElementAt(p, s)) for p in m.elements.values())
