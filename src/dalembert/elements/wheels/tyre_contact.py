"""What all tyres have in common: where a wheel touches the road, how it slips there, and what presses it down.

The tyre is pressed in by d = R − ρ, with ρ the distance from the centre to the road in the wheel's plane; with γ the angle of that
plane to the road's normal n, the road presses with N = (k d + c ḋ)/cos γ. The material of the wheel in the contact moves with v_s over
the road. A carcass lags behind it: with relaxation length σ and rolling speed V, ẋ = −v_s − |V| x/σ in both directions, and x/σ is the
slip by which forces go. Pacejka, *Tyre and Vehicle Dynamics* (2006), sections 2.2, 7.2 and 7.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.cached import cached_property
from dalembert.elements.element import Element, output
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.trace import Scalar, atan, maximum, select, sqrt
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


SLIPPED = 0.01
"""Slip that is large, by which errors of the carcass's deflections are judged."""


class Footprint:
    """Where the wheel touches the road: axes along, across and normal to it, the place, deflection, and velocities."""

    def __init__(self, tyre: OnRoad, x: ElementAt):
        s, self.n, wheel = x.s, np.asarray(tyre.normal), tyre.wheel
        spin = s.rotation(wheel) @ np.asarray(tyre.axis)
        along = cross(spin, self.n)
        self.along = along / sqrt(along @ along)
        self.across = cross(self.n, self.along)
        up = cross(self.along, spin)
        self.cos_camber = self.n @ up
        centre = s.position(wheel)
        arm = (self.n @ centre - tyre.height - x["road"]) / self.cos_camber
        self.at = centre - arm * up
        v, w = s.velocity(wheel), s.angular_velocity(wheel)
        self.w, self.rolling = w, self.along @ v
        self.v = v - arm * cross(w, up)
        self.deflection = tyre.radius - arm
        self.deflecting = -(self.n @ self.v - x["road_rate"]) / self.cos_camber

    @cached_property
    def touches(self) -> Scalar:
        return self.deflection > 0.0


class OnRoad(Element):
    """A base of tyres with fields `wheel`, `axis`, `radius`, `stiffness`, `damping`, `normal`, `height` and two relaxation lengths.

    The road is the plane normal · r = height; inputs `road` and `road_rate` raise it under the wheel. States `along` and `across` are
    the carcass's deflections.
    """

    wheel: Any
    axis: Any
    radius: Any
    stiffness: Any
    damping: Any
    relaxation: Any
    relaxation_along: Any
    normal: Any
    height: Any

    optional: ClassVar[Mapping[str, float]] = {"road": 0.0, "road_rate": 0.0}
    takes: ClassVar[Mapping[str, str]] = {"road": "m", "road_rate": "m/s"}
    units: ClassVar[Mapping[str, str]] = {"along": "m", "across": "m"}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.wheel.body,)

    @property
    def states(self) -> Mapping[str, float]:
        return {"along": 0.0, "across": 0.0}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return {"along": SLIPPED * self.relaxation_along, "across": SLIPPED * self.relaxation}

    def footprint(self, x: ElementAt) -> Footprint:
        """Kept with the state of the mechanism, since everything asks for it."""
        made: Footprint = x.kept("footprint", lambda: Footprint(self, x))
        return made

    def forces(self, x: ElementAt) -> tuple[Any, Any, Any]:
        """Force along, force across, and moment about the normal."""
        raise NotImplementedError

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        f = self.footprint(x)
        slips = [select(f.touches, axis @ f.v, 0.0) for axis in (f.along, f.across)]
        speed = abs(f.rolling)
        return {
            "along": -slips[0] - speed * x["along"] / self.relaxation_along,
            "across": -slips[1] - speed * x["across"] / self.relaxation,
        }

    @output("N")
    def load(self, x: ElementAt) -> Scalar:
        """What presses the wheel from the road, along its normal."""
        f = self.footprint(x)
        pressed = self.stiffness * f.deflection + self.damping * f.deflecting
        return select(f.touches, maximum(pressed, 0.0) / f.cos_camber, 0.0)

    @output()
    def slip(self, x: ElementAt) -> Scalar:
        """Longitudinal slip by which forces go: −1 where it is locked."""
        return x["along"] / self.relaxation_along

    @output("rad")
    def slip_angle(self, x: ElementAt) -> Scalar:
        """Angle by which forces go, positive where the force across is."""
        return atan(x["across"] / self.relaxation)

    @output("N")
    def longitudinal(self, x: ElementAt) -> Scalar:
        """Force along the road."""
        return self.forces(x)[0]

    @output("N")
    def lateral(self, x: ElementAt) -> Scalar:
        """Force across it."""
        return self.forces(x)[1]

    @output("N m")
    def aligning(self, x: ElementAt) -> Scalar:
        """Moment about the normal."""
        return self.forces(x)[2]

    @output("m")
    def deflection(self, x: ElementAt) -> Scalar:
        """How far the road presses the tyre in, along the wheel's plane."""
        return self.footprint(x).deflection

    def loads(self, x: ElementAt) -> Iterable[Load]:
        f, (along, across, turn) = self.footprint(x), self.forces(x)
        yield BodyLoad(self.wheel, along * f.along + across * f.across + self.load(x) * f.n, turn * f.n, f.at)

    def pressing(self, x: ElementAt) -> Scalar:
        """Energy of the deflection."""
        d = maximum(self.footprint(x).deflection, 0.0)
        return 0.5 * self.stiffness * d * d

    def taken(self, x: ElementAt) -> Scalar:
        """Power that the wheel and the road give to the tyre, beside what the deflection stores."""
        f, (along, across, turn) = self.footprint(x), self.forces(x)
        d, pressed = maximum(f.deflection, 0.0), self.load(x) * f.cos_camber
        slipping = -(along * (f.along @ f.v) + across * (f.across @ f.v) + turn * (f.n @ f.w))
        return slipping + (pressed - self.stiffness * d) * f.deflecting

    def stored(self, x: ElementAt) -> Scalar:
        return self.pressing(x)

    def dissipated(self, x: ElementAt) -> Scalar:
        return self.taken(x)

    def supplied(self, x: ElementAt) -> Scalar:
        return self.load(x) * x["road_rate"]
