"""ControlMomentGyro: a wheel that spins steadily in a gimbal; turned by it, it turns the body.

The rotor keeps its momentum h along its axis a, which the gimbal turns about g: ȧ = γ̇ g × a in the body. The body feels
−h(γ̇ g × a + ω × a). Hughes, *Spacecraft Attitude Dynamics* (1986), section 6.2; Leve, Hamilton and Peck, *Spacecraft Momentum Control
Systems* (2015), section 3.3. The gimbal's own inertia belongs to the body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.elements.element import Element, output
from dalembert.errors import ModelError
from dalembert.parts.fields import BodyName, Number, PlainNumber
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, cos, maximum, minimum, sin
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

ACROSS = 1e-9
"""How far the cosine between gimbal and rotor may be from zero."""


@dataclass(frozen=True, eq=False)
class ControlMomentGyro(Element):
    """A rotor of `momentum` in a body: its axis is `rotor` where the gimbal's angle is zero, and `gimbal`, across it, turns it.

    Axes are in the body's axes. Input `rate` turns the gimbal, rad/s, within `limit` where that is given; `initial` is its angle at the
    start.
    """

    body: BodyName
    gimbal: Axis
    rotor: Axis
    momentum: Number
    limit: Number | None = None
    initial: PlainNumber = 0.0

    inputs = ("rate",)
    takes: ClassVar[Mapping[str, str]] = {"rate": "rad/s"}
    units: ClassVar[Mapping[str, str]] = {"angle": "rad"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if abs(float(np.dot(self.gimbal, self.rotor))) > ACROSS:
            raise ModelError(f"ControlMomentGyro: rotor={self.rotor} must be across gimbal={self.gimbal}")

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)

    @property
    def states(self) -> Mapping[str, float]:
        return {"angle": self.initial}

    @output("rad/s")
    def turning(self, x: ElementAt) -> Scalar:
        """Speed of the gimbal."""
        return x["rate"] if self.limit is None else minimum(maximum(x["rate"], -self.limit), self.limit)

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        return {"angle": self.turning(x)}

    def _axes(self, x: ElementAt) -> tuple[Any, Any]:
        """The rotor's axis, and the way it moves, in world axes."""
        R, g, a = x.s.rotation(self.body), np.asarray(self.gimbal), np.asarray(self.rotor)
        c, s, b = cos(x["angle"]), sin(x["angle"]), np.cross(g, a)
        return R @ (c * a + s * b), R @ (c * b - s * a)

    @output("N m")
    def torque(self, x: ElementAt) -> Scalar:
        """Torque of the gimbal's motor, against which the body's motion turns the rotor."""
        return -self.momentum * (self._axes(x)[1] @ x.s.angular_velocity(self.body))

    def loads(self, x: ElementAt) -> Iterable[Load]:
        (axis, moves), w = self._axes(x), x.s.angular_velocity(self.body)
        yield BodyLoad(self.body, torque=-self.momentum * (self.turning(x) * moves + cross(w, axis)))

    def supplied(self, x: ElementAt) -> Scalar:
        return self.torque(x) * self.turning(x)
