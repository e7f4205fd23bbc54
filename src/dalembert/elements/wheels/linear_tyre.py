"""LinearTyre: forces proportional to slip, behind a relaxation length.

F = C x/σ with ẋ = −v_s − |V| x/σ, along and across. Pacejka, *Tyre and Vehicle Dynamics* (2006), sections 1.2 and 7.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.wheels.tyre_contact import OnRoad
from dalembert.parts.fields import Length, Number, PointLike, Positive
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, select

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class LinearTyre(OnRoad):
    """A tyre whose forces are proportional to slip: `cornering` N for each radian of slip angle, `braking` N for each unit of slip.

    `wheel` is the wheel's centre, `axis` its spin axis in its own axes, pointing left where it rolls ahead; `stiffness` and `damping`
    are radial. It has both forces while it touches the road, whatever presses it.
    """

    wheel: PointLike
    radius: Length
    stiffness: Positive
    cornering: Number
    braking: Number
    relaxation: Length
    relaxation_along: Length
    damping: Number = 0.0
    axis: Axis = (0.0, 1.0, 0.0)
    normal: Axis = (0.0, 0.0, 1.0)
    height: Number = 0.0

    def forces(self, x: ElementAt) -> tuple[Any, Any, Any]:
        f = self.footprint(x)
        along, across = self.braking * self.slip(x), self.cornering * x["across"] / self.relaxation
        return select(f.touches, along, 0.0), select(f.touches, across, 0.0), 0.0

    def _carcass(self, x: ElementAt) -> tuple[Any, Any]:
        """Stiffness of the carcass along and across."""
        return self.braking / self.relaxation_along, self.cornering / self.relaxation

    def stored(self, x: ElementAt) -> Scalar:
        along, across = self._carcass(x)
        return self.pressing(x) + 0.5 * (along * x["along"] * x["along"] + across * x["across"] * x["across"])

    def dissipated(self, x: ElementAt) -> Scalar:
        (along, across), rates = self._carcass(x), self.rates(x)
        return self.taken(x) - along * x["along"] * rates["along"] - across * x["across"] * rates["across"]
