"""ReactionWheel: a wheel inside a body, spun by a motor, that turns the body by what it takes up.

h is the wheel's momentum about its axis a, J(Ω + a·ω), with Ω its speed in the body. The motor's torque τ acts on the wheel,
ḣ = τ − b Ω; the body feels −(τ − b Ω) a − ω × h a. Hughes, *Spacecraft Attitude Dynamics* (1986), section 6.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.elements.element import Element, output
from dalembert.parts.fields import BodyName, Number, PlainNumber, Positive
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, maximum, minimum
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class ReactionWheel(Element):
    """A wheel in a body, about an `axis` in the body's axes (of length one), with moment of `inertia` about it.

    The body's own inertia is given without the wheel's moment about that axis. Input `torque` drives the wheel, within `limit` where
    that is given; `friction` is viscous, N m s; `initial` is its momentum at the start, N m s.
    """

    body: BodyName
    axis: Axis
    inertia: Positive
    limit: Number | None = None
    friction: Number = 0.0
    initial: PlainNumber = 0.0

    inputs = ("torque",)
    takes: ClassVar[Mapping[str, str]] = {"torque": "N m"}
    units: ClassVar[Mapping[str, str]] = {"momentum": "N m s"}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)

    @property
    def states(self) -> Mapping[str, float]:
        return {"momentum": self.initial}

    def _axis(self, x: ElementAt) -> np.ndarray:
        """In world axes."""
        return x.s.rotation(self.body) @ np.asarray(self.axis)

    @output("rad/s")
    def speed(self, x: ElementAt) -> Scalar:
        """Ω, relative to the body."""
        return x["momentum"] / self.inertia - self._axis(x) @ x.s.angular_velocity(self.body)

    @output("N m")
    def driving(self, x: ElementAt) -> Scalar:
        """Torque of the motor on the wheel."""
        return x["torque"] if self.limit is None else minimum(maximum(x["torque"], -self.limit), self.limit)

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"momentum": self.driving(x) - self.friction * self.speed(x)}

    def loads(self, x: ElementAt) -> Iterable[Load]:
        a, w = self._axis(x), x.s.angular_velocity(self.body)
        yield BodyLoad(self.body, torque=-self.rates(x)["momentum"] * a - cross(w, x["momentum"] * a))

    def stored(self, x: ElementAt) -> Scalar:
        return 0.5 * x["momentum"] * x["momentum"] / self.inertia

    def dissipated(self, x: ElementAt) -> Scalar:
        speed = self.speed(x)
        return self.friction * speed * speed

    def supplied(self, x: ElementAt) -> Scalar:
        return self.driving(x) * self.speed(x)
