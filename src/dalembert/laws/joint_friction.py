"""JointFriction: dry friction in a joint, with true sticking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.laws.checks import check_not_negative, check_static
from dalembert.laws.freedoms import has_place, joint_of, place, speed
from dalembert.laws.law import NOTHING, Friction, Law
from dalembert.laws.stribeck import stribeck
from dalembert.parts.fields import Number, OfState
from dalembert.parts.forces.freedom import chosen

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class JointFriction(Law):
    """Dry friction along a joint's coordinate: `da.JointFriction("A", force=0.4)`.

    `force` (N, or N m where it turns) is Coulomb's friction while it slides, a number or a function of the state; up to `static_force`
    it sticks, without creeping. With `stribeck`, a speed, friction falls from the one to the other as exp(−(v/stribeck)²). `viscous`
    adds a force per speed.
    """

    coordinate: str
    force: OfState = 0.0
    static_force: OfState = None
    stribeck: Number = None
    viscous: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f'JointFriction of "{self.coordinate}"'
        check_not_negative(where, force=self.force, static_force=self.static_force, viscous=self.viscous)
        check_static(where, "static_force", self.static_force, self.force)

    @property
    def joints(self) -> tuple[str, ...]:
        return (joint_of(self.coordinate),)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        joint, _, freedom = self.coordinate.partition(".")
        chosen(joint_of(joint), joint, freedom or None, f'law "{name}"')

    def way(self, s: State) -> np.ndarray:
        joint = s.joint(joint_of(self.coordinate))[0]
        return np.array([place(s, self.coordinate)]) if has_place(joint, self.coordinate) else NOTHING

    def slip(self, s: State) -> np.ndarray:
        joint = s.joint(joint_of(self.coordinate))[0]
        return NOTHING if has_place(joint, self.coordinate) else np.array([speed(s, self.coordinate)])

    def friction(self, s: State, v: Scalar) -> Friction:
        return Friction(stribeck(_value(self.force, s), self._at_rest(s), self.stribeck, v))

    def static_friction(self, s: State) -> Friction:
        return Friction(self._at_rest(s))

    def _at_rest(self, s: State) -> Any:
        return _value(self.force if self.static_force is None else self.static_force, s)


def _value(given: Any, s: State) -> Any:
    return given(s) if callable(given) else given
