"""WormGear: a worm that turns a wheel by its starts in a turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.constraints.coupling import check_coordinate, coordinate
from dalembert.parts.fields import Count, JointValue

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class WormGear(Constraint):
    """teeth · wheel = ± starts · worm: a worm with `starts` threads on a wheel with `teeth`, right- or left-handed.

    Coordinates are named by joints, with ".freedom" where these have several. Without friction it runs both ways.
    """

    worm: str
    wheel: str
    teeth: Count
    starts: Count = 1
    hand: Literal["right", "left"] = "right"
    offset: JointValue = 0.0

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.worm.partition(".")[0], self.wheel.partition(".")[0])

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        check_coordinate(name, self.worm, joint_of)
        check_coordinate(name, self.wheel, joint_of)

    def residual(self, s: State) -> np.ndarray:
        ratio = self.starts / self.teeth * (1.0 if self.hand == "right" else -1.0)
        return np.array([coordinate(s, self.wheel) - ratio * coordinate(s, self.worm) - self.offset])
