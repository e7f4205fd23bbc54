"""What every constraint must say about itself.

Holonomic rows are a residual g(t, q) = 0 of the state; nonholonomic rows are a velocity φ(t, q, u) = 0, linear in the speeds. Both are
written on a state's points, frames and joint values, over numbers or traced scalars; coefficients and right-hand sides follow by
differentiation (`kinematics.constraint_rows`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.parts.conform import Described
from dalembert.portable import Portable

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


class Constraint(Described, Portable):
    """What every constraint is made from: `da.Distance`, `da.Drive`, … To make one of your own, use `da.Relation`, or subclass this.

    `residual(s)` gives holonomic rows g(t, q) = 0, `velocity(s)` nonholonomic ones φ(t, q, u) = 0, linear in the speeds.
    """

    of_differences = False
    """Whether it reads positions only to take differences of them, so that they may be measured from any point of the ground.
    Every class says so for itself, as one that derives from it may read more."""

    @property
    def measures_differences(self) -> bool:
        """Whether its own class says so."""
        return bool(vars(type(self)).get("of_differences", False))

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it names, for checking."""
        return ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints it names, for checking."""
        return ()

    def residual(self, s: State) -> np.ndarray:
        """g, one entry per holonomic row."""
        return np.zeros(0)

    def velocity(self, s: State) -> np.ndarray:
        """φ, one entry per nonholonomic row."""
        return np.zeros(0)

    def acts_at(self, s: State) -> tuple[Any, Any] | None:
        """Where in the world its force acts on its first and on its second body; None where it has no such places."""
        return None

    def axes(self, s: State) -> tuple[Any, Any] | None:
        """The axes of its frames on its first and on its second body; None where they are the bodies' own."""
        return None

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        """Raise a ModelError if it does not suit the joints it names (`joint_of(name)` gives the joint)."""
