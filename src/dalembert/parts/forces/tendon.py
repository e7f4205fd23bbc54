"""Tendon: a spring, damper and pull along a combination of joint coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.fields import Number
from dalembert.parts.forces.force import Force, JointLoad, Load
from dalembert.parts.forces.freedom import chosen

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class Tendon(Force):
    """A length L = Σ factor · coordinate, e.g. `Tendon({"A": 0.02, "B": 0.03}, stiffness=400)`, with a force along it.

    The force that lengthens it is pull − stiffness · (L − rest) − damping · L̇; each coordinate takes its factor of it. A coordinate is
    named by its joint, with ".freedom" where the joint has several.
    """

    factors: Mapping[str, Number]
    stiffness: Number = 0.0
    damping: Number = 0.0
    rest: Number = 0.0
    pull: Number = 0.0

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(name.partition(".")[0] for name in self.factors)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        for coordinate in self.factors:
            joint_name, _, freedom = coordinate.partition(".")
            joint = joint_of(joint_name)
            chosen(joint, joint_name, freedom or None, f'force "{name}"')
            if not joint.rates_are_speeds:
                raise ModelError(
                    f'force "{name}": the coordinates of joint "{joint_name}" are no angles or lengths that a tendon could follow'
                )

    def loads(self, s: State) -> Iterable[Load]:
        length, rate = self._sum(s, 0), self._sum(s, 1)
        force = self.pull - self.stiffness * (length - self.rest) - self.damping * rate
        for coordinate, factor in self.factors.items():
            joint_name, k = self._place(s, coordinate)
            values = np.zeros(s.joint(joint_name)[0].n_u, dtype=object)
            values[k] = factor * force
            yield JointLoad(joint_name, values)

    def potential(self, s: State) -> Scalar:
        stretch = self._sum(s, 0) - self.rest
        return 0.5 * self.stiffness * stretch * stretch

    def _sum(self, s: State, order: int) -> Any:
        """L (order 0) or L̇ (order 1)."""
        total: Any = 0.0
        for coordinate, factor in self.factors.items():
            joint_name, k = self._place(s, coordinate)
            _, q, u = s.joint(joint_name)
            total = total + factor * (q, u)[order][k]
        return total

    def _place(self, s: State, coordinate: str) -> tuple[str, int]:
        joint_name, _, freedom = coordinate.partition(".")
        return joint_name, chosen(s.joint(joint_name)[0], joint_name, freedom or None, "Tendon")
