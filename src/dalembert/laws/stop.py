"""Stop: a joint coordinate that cannot go beyond its ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.laws.checks import check_restitution
from dalembert.laws.freedoms import check, joint_of, place
from dalembert.laws.law import Law
from dalembert.parts.fields import JointValue, Number
from dalembert.trace import Expr

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


BEFORE = math.pi / 2
"""Angle before a single end from which a joint that closes a loop is measured: it shows no more than a full turn."""


@dataclass(frozen=True, eq=False)
class Stop(Law):
    """Ends of a joint's way: `da.Stop("A", lower=-0.5, upper=0.5, restitution=0.3)`.

    The joint's coordinate ("joint", or "joint.freedom" where there are several) stays between `lower` and `upper`; either may be left
    out. `restitution` is the part of the speed with which it comes back, 0 to 1.
    """

    coordinate: str
    lower: JointValue = None
    upper: JointValue = None
    restitution: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_restitution(self.restitution, "Stop")
        if self.lower is None and self.upper is None:
            raise ModelError(f'Stop of "{self.coordinate}": give lower=, upper=, or both')
        numbers = [x for x in (self.lower, self.upper) if x is not None and type(x) is not Expr]
        if len(numbers) == 2 and not self.lower < self.upper:
            raise ModelError(
                f'Stop of "{self.coordinate}": lower={self.lower!r} must be below upper={self.upper!r}; to lock it, use da.Drive'
            )

    @property
    def joints(self) -> tuple[str, ...]:
        return (joint_of(self.coordinate),)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        check(f'law "{name}"', self.coordinate, joint_of)

    @property
    def _middle(self) -> Any:
        """An angle well within the ends."""
        if self.lower is None or self.upper is None:
            return self.upper - BEFORE if self.lower is None else self.lower + BEFORE
        return 0.5 * (self.lower + self.upper)

    def gap(self, s: State) -> np.ndarray:
        x = place(s, self.coordinate, self._middle)
        ends = ([] if self.lower is None else [x - self.lower], [] if self.upper is None else [self.upper - x])
        return np.array([*ends[0], *ends[1]])
