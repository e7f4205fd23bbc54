"""RocketEngine: thrust by expelled mass; its fuel is a state, of which masses are made.

ṁ = −flow while there is fuel, thrust flow · exhaust speed. The body's mass, mass centre and inertia may be expressions of the fuel: as
it burns they change, m v̇ = thrust + …, Tsiolkovsky's law. What flows inside the body is taken to have no momentum of its own in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.elements.element import Element, output
from dalembert.parts.fields import Number, PointLike, PositiveNumber
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, select

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


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
