"""CentralGravity: the gravity of a planet on all bodies, with its gradient.

A body of mass m and inertia I about its mass centre, at r from the planet, has the potential −μ m/r − μ(tr I − 3 r̂·I r̂)/(2 r³)
(MacCullagh); force and torque follow from it: −μ m r̂/r² − 3μ((tr I − 5 r̂·I r̂) r̂ + 2 I r̂)/(2 r⁴) and 3μ r̂ × I r̂/r³. Hughes, *Spacecraft
Attitude Dynamics* (1986), section 8.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.elements.element import Element
from dalembert.errors import ModelError
from dalembert.parts.fields import BodyName, Number, Numbers3
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.trace import Scalar, sqrt
from dalembert.vectors import Vector, cross

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class CentralGravity(Element):
    """Draws all bodies, or those named in `attracted`, towards `centre` with μ = `parameter`, m³/s².

    That of the Earth is 3.986004418e14. With `gradient` bodies are drawn as extended ones: a torque turns their long axis towards
    the planet.
    """

    parameter: Number
    centre: Numbers3 = (0.0, 0.0, 0.0)
    gradient: bool = True
    attracted: tuple[BodyName, ...] | None = None

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.attracted or ()

    def _drawn(self, x: ElementAt) -> list[tuple[str, Any, Vector, Any, Any, Vector]]:
        """For every body its name, its mass, its inertia in world axes, distance, direction and place."""
        s, found = x.s, []
        for k, body in enumerate(s.mechanism.bodies):
            if self.attracted is not None and body.name not in self.attracted:
                continue
            if body.modes:
                raise ModelError(
                    f'body "{body.name}" is elastic, and a central field draws rigid bodies only: name these in attracted='
                )
            pose = s.poses[k + 1]
            at = pose.p + s.com_arms[k]
            r = at - np.asarray(self.centre)
            d = sqrt(r @ r)
            found.append((body.name, body.mass, pose.R @ body.inertia @ pose.R.T, d, r / d, at))
        return found

    def loads(self, x: ElementAt) -> Iterable[Load]:
        mu = self.parameter
        for name, mass, I, d, e, at in self._drawn(x):
            force, torque = -mu * mass / (d * d) * e, np.zeros(3)
            if self.gradient:
                along = I @ e
                spread = (I[0, 0] + I[1, 1] + I[2, 2] - 5.0 * (e @ along)) * e + 2.0 * along
                force = force - 1.5 * mu / (d * d * d * d) * spread
                torque = 3.0 * mu / (d * d * d) * cross(e, along)
            yield BodyLoad(name, force, torque, at)

    def stored(self, x: ElementAt) -> Scalar:
        total: Any = 0.0
        for _, mass, I, d, e, _ in self._drawn(x):
            total = total - self.parameter * mass / d
            if self.gradient:
                spread = I[0, 0] + I[1, 1] + I[2, 2] - 3.0 * (e @ (I @ e))
                total = total - 0.5 * self.parameter / (d * d * d) * spread
        return total

    def gravity(self, x: ElementAt, at: Vector) -> Vector:
        r = at - np.asarray(self.centre)
        d = sqrt(r @ r)
        made: Vector = -self.parameter / (d * d * d) * r
        return made
