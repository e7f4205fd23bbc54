"""CamFollower: a follower's coordinate as a function of the cam's angle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import tau
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.constraints.coupling import check_coordinate, coordinate
from dalembert.parts.fields import Function, Number
from dalembert.trace import floor

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint

OfAngle = Annotated[Callable[[Any], Any] | None, Function(("q",), constant=False)]
"""A function of a coordinate."""


@dataclass(frozen=True, eq=False)
class CamFollower(Constraint):
    """A follower led both ways by a cam: follower = lift(q) of the cam's coordinate q.

    `lift` is a function, such as a `da.Table` or `lambda q: 0.02 * (1 - da.cos(q))`, of the angle within one `period`, a turn unless
    another is said; 0 for a cam that does not repeat. Coordinates are named by joints, with ".freedom" where these have several.
    """

    cam: str
    follower: str
    lift: OfAngle
    period: Number = tau

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.cam.partition(".")[0], self.follower.partition(".")[0])

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        check_coordinate(name, self.cam, joint_of)
        check_coordinate(name, self.follower, joint_of)

    def residual(self, s: State) -> np.ndarray:
        q = coordinate(s, self.cam)
        if not (type(self.period) is float and not self.period):
            q = q - self.period * floor(q / self.period)
        assert self.lift is not None
        return np.array([coordinate(s, self.follower) - self.lift(q)])
