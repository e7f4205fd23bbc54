"""Relation: a constraint of the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.fields import Residuals

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class Relation(Constraint):
    """A constraint of your own: `position(s)` = 0 of coordinates and time, and/or `speed(s)` = 0 linear in the speeds.

    Each gives a number or several: `da.Relation(position=lambda s: s.position("pin")[1] - 0.1 * da.sin(s.position("pin")[0]))`.
    """

    position: Residuals = None
    speed: Residuals = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.position is None and self.speed is None:
            raise ModelError("Relation: give position=, speed=, or both, as functions of the state")

    def residual(self, s: State) -> np.ndarray:
        return np.zeros(0) if self.position is None else np.atleast_1d(np.array(self.position(s)))

    def velocity(self, s: State) -> np.ndarray:
        return np.zeros(0) if self.speed is None else np.atleast_1d(np.array(self.speed(s)))
