"""JointSpring: a spring and damper that act within a joint."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.fields import JointName, JointValue, Number, OfFreedom
from dalembert.parts.forces.force import Force, JointLoad, Load
from dalembert.parts.forces.freedom import chosen, rate_of
from dalembert.trace import Expr

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class JointSpring(Force):
    """Resists a joint's motion with stiffness · (q − rest) + damping · u.

    `coordinate` names the freedom ("slide" of a cylindrical joint, say) and may be left out where the joint has one. Damping alone
    may act on all freedoms at once, which is how a ball joint is damped. `torque(q, u)` replaces or adds to the linear law: it is
    the generalized force *on* the child along the coordinate.
    """

    joint: JointName
    stiffness: Number = 0.0
    damping: Number = 0.0
    rest: JointValue = 0.0
    coordinate: str | None = None
    torque: OfFreedom = None

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.joint,)

    @property
    def _only_damps(self) -> bool:
        return self.torque is None and type(self.stiffness) is not Expr and self.stiffness == 0.0

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        joint = joint_of(self.joint)
        if self.coordinate is None and self._only_damps and joint.n_u:
            return
        k = chosen(joint, self.joint, self.coordinate, f'force "{name}"')
        if not joint.rates_are_speeds and _stretched(joint, k) is None:
            raise ModelError(
                f'force "{name}": speed "{joint.speeds[k]}" of joint "{self.joint}" is not the rate of a coordinate, so a spring '
                "has nothing to stretch; use damping alone, or a Load whose torque is a function of the state"
            )

    def loads(self, s: State) -> Iterable[Load]:
        joint, q, u = s.joint(self.joint)
        if self.coordinate is None and self._only_damps:
            yield JointLoad(self.joint, -self.damping * u)
            return
        k = chosen(joint, self.joint, self.coordinate, "JointSpring")
        x = self._coordinate(joint, q, k)
        values = np.zeros(joint.n_u, dtype=object)
        values[k] = -self.stiffness * (x - self.rest) - self.damping * u[k]
        if self.torque:
            values[k] = values[k] + self.torque(x, u[k])
        yield JointLoad(self.joint, values)

    def potential(self, s: State) -> Scalar:
        if self._only_damps:
            return 0.0
        joint, q, _ = s.joint(self.joint)
        stretch = self._coordinate(joint, q, chosen(joint, self.joint, self.coordinate, "JointSpring")) - self.rest
        return 0.5 * self.stiffness * stretch * stretch

    def beside_potential(self) -> Force | None:
        damped = type(self.damping) is Expr or self.damping != 0.0
        return replace(self, stiffness=0.0) if damped or self.torque else None

    def _coordinate(self, joint: Any, q: Any, k: int) -> Any:
        return q[k if joint.rates_are_speeds else _stretched(joint, k)]


def _stretched(joint: Joint, k: int) -> int | None:
    """Which coordinate has a speed as its rate, where not all of them have: x that of vx; None for angular velocities."""
    speed = joint.speeds[k]
    found = [i for i, name in enumerate(joint.coordinates) if speed in (name, rate_of(joint, name))]
    return found[0] if found else None
