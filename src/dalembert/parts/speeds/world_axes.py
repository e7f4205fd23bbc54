"""A joint's angular velocity and velocity with their components along the world's axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.parts.joints import Joint
from dalembert.parts.speeds.speed_choice import SpeedChoice
from dalembert.vectors import IDENTITY, Matrix

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

TURNS, SLIDES = ("wX", "wY", "wZ"), ("vX", "vY", "vZ")


@dataclass(frozen=True, eq=False)
class WorldAxes(SpeedChoice):
    """ω of joint `number`'s child in its parent, or v of the child's origin there, in world axes; likewise of a joint seen from its
    child (`turned`)."""

    number: int = 0
    turned: bool = False
    turns: bool = True
    """Whether it is ω; else v."""

    def _axes(self, s: State) -> Matrix:
        """Axes in which the joint has them itself: ω in those of its child, v in those of its parent."""
        on_parent = s.links[self.number - 1].R_P
        if self.turns == self.turned:
            return on_parent
        joint = s.mechanism.joints[self.number - 1].joint.inner
        return np.asarray(on_parent @ joint.rotation(s.joint_q[self.number - 1][: joint.n_q]))

    def values(self, s: State) -> np.ndarray:
        return np.asarray(self._axes(s) @ np.array([s.speeds[at] for at in self.instead_of]))

    def inverse(self, s: State) -> np.ndarray:
        return self._axes(s).T

    def drift(self, s: State) -> np.ndarray | None:
        """None of what stands on the ground: its axes do not turn, or with ω itself, which turns nothing of ω."""
        on_ground = s.mechanism.parent[self.number - 1] == 0
        return np.zeros(3) if on_ground and (self.turns or not self.turned) else None


def in_world_axes(joint: Joint) -> dict[bool, list[int]]:
    """Three of the joint's speeds that are its angular velocity (True), and three that are its velocity (False), where it has such."""
    q = joint.reference
    turning, sliding = (np.asarray(x, dtype=float) for x in (joint.turning(q), joint.sliding(q)))
    found = {}
    for turns, own, other in ((True, turning, sliding), (False, sliding, turning)):
        at = [next((k for k in range(joint.n_u) if np.array_equal(own[:, k], e)), None) for e in IDENTITY]
        places = [k for k in at if k is not None and not other[:, k].any()]
        if len(places) == 3:
            found[turns] = places
    return found
