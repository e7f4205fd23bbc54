"""Speeds that a user writes: functions of the state, linear in its speeds but for what time adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.parts.speeds.speed_choice import SpeedChoice

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class UserSpeeds(SpeedChoice):
    """One function for every name."""

    functions: tuple[Callable[[Any], Any], ...] = ()

    def values(self, s: State) -> np.ndarray:
        return np.array([np.asarray(s.settled(f(s)), dtype=object).item() for f in self.functions], dtype=object)
