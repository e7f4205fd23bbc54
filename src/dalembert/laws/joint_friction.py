"""JointFriction: dry friction in a joint, with true sticking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.laws.checks import check_not_negative, check_static
from dalembert.laws.freedoms import has_place, joint_of, place, speed
from dalembert.laws.law import NOTHING, Friction, Law, ReactionLoad
from dalembert.laws.stribeck import friction_in, stribeck
from dalembert.parts.fields import KeptFlag, Number, OfState
from dalembert.parts.forces.freedom import chosen
from dalembert.parts.joints.bearing import Bearing
from dalembert.trace import Expr

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class JointFriction(Law):
    """Dry friction in a joint: `da.JointFriction("A", force=0.4)`; by what it transmits, `da.JointFriction("A", mu=0.2, radius=0.01)`.

    `force` (N, or N m where it turns) is Coulomb's friction while it slides, a number or a function of the state; up to `static_force`
    it sticks, without creeping. With `mu`, the force that the joint itself transmits presses on its bearing: a pin or ball of `radius`
    (thrust on a collar of mean radius `ring`), a guide or bearing of `length`, a thread of `radius`. With `stribeck`, a speed, friction
    falls from its value at rest to that of sliding as exp(−(v/stribeck)²). `viscous` adds a force per speed.

    `coordinate` is the joint, with ".freedom" where it has several; in a ball joint friction is against all of its turning.
    """

    coordinate: str
    force: OfState = 0.0
    static_force: OfState = None
    mu: Number = 0.0
    mu_static: Number = None
    radius: Number = None
    ring: Number = None
    length: Number = None
    stribeck: Number = None
    viscous: Number = 0.0
    _loaded: KeptFlag = False
    """Whether it is by what the joint transmits: where its coefficient is a parameter that may be zero, it still is."""

    def __post_init__(self) -> None:
        super().__post_init__()
        coefficients = [x for x in (self.mu, self.mu_static) if x is not None]
        object.__setattr__(self, "_loaded", self._loaded or any(type(x) is Expr or x > 0.0 for x in coefficients))
        where = f'JointFriction of "{self.coordinate}"'
        sizes = {name: getattr(self, name) for name in ("radius", "ring", "length")}
        check_not_negative(
            where, force=self.force, static_force=self.static_force, mu=self.mu, mu_static=self.mu_static, viscous=self.viscous,
            **sizes,
        )  # fmt: skip
        if self.length == 0.0 and type(self.length) is not Expr:
            raise ModelError(
                f"{where}: length=0 has no ends that bear against tilting; give its length, or leave it out"
            )
        check_static(where, "static_force", self.static_force, self.force)
        check_static(where, "mu_static", self.mu_static, self.mu)
        given = [name for name, x in sizes.items() if x is not None]
        if given and not self._by_reaction:
            raise ModelError(f"{where}: {given[0]} is for friction by what the joint transmits; give mu= too")

    @property
    def _by_reaction(self) -> bool:
        return bool(self._loaded)

    @property
    def joints(self) -> tuple[str, ...]:
        return (joint_of(self.coordinate),)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        where, (joint_name, _, freedom) = f'law "{name}"', self.coordinate.partition(".")
        joint = joint_of(joint_name)
        if freedom or not _turns_freely(joint):
            chosen(joint, joint_name, freedom or None, where)
        if self._by_reaction:
            try:
                terms = self._terms(joint)
            except ModelError as problem:
                raise ModelError(f"{where}: {problem}") from None
            if not terms:
                raise ModelError(
                    f'{where}: friction of joint "{joint_name}" by what it transmits needs radius= of its pin'
                )

    def _terms(self, joint: Joint) -> list[Any]:
        name, _, freedom = self.coordinate.partition(".")
        k = None if _turns_freely(joint) and not freedom else chosen(joint, name, freedom or None, "law")
        return joint.bearing(Bearing(self.radius, self.ring, self.length), k)

    def load(self, s: State) -> ReactionLoad | None:
        name = joint_of(self.coordinate)
        return ReactionLoad(name, self._terms(s.joint(name)[0])) if self._by_reaction else None

    def way(self, s: State) -> np.ndarray:
        return np.array([place(s, self.coordinate)]) if self._has_way(s) else NOTHING

    def slip(self, s: State) -> np.ndarray:
        if self._has_way(s):
            return NOTHING
        joint, _, u = s.joint(joint_of(self.coordinate))
        if _turns_freely(joint) and "." not in self.coordinate:
            return np.array([u[k] for k in range(joint.n_u)])
        return np.array([speed(s, self.coordinate)])

    def _has_way(self, s: State) -> bool:
        """Whether there is a coordinate to stick at: a joint that closes a loop shows angles that jump."""
        name = joint_of(self.coordinate)
        joint = s.joint(name)[0]
        whole = _turns_freely(joint) and "." not in self.coordinate
        return not whole and not s.closes_loop(name) and has_place(joint, self.coordinate)

    def friction(self, s: State, v: Scalar) -> Friction:
        at_rest = self.static_friction(s)
        return Friction(
            stribeck(friction_in(s, self.force), at_rest.force, self.stribeck, v),
            stribeck(self.mu, at_rest.coefficient, self.stribeck, v),
        )

    def static_friction(self, s: State) -> Friction:
        return Friction(
            friction_in(s, self.force if self.static_force is None else self.static_force),
            self.mu if self.mu_static is None else self.mu_static,
        )


def _turns_freely(joint: Joint) -> bool:
    """Whether its speeds are an angular velocity: a ball joint."""
    return joint.n_u == 3 and not joint.rates_are_speeds
