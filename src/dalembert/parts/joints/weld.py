"""Weld: the two frames are one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.parts.joints.joint import Joint
from dalembert.vectors import Matrix, Vector, twist


@dataclass(frozen=True)
class Weld(Joint):
    """No relative motion: two bodies become one. Use it to tie parts together, or to ask what the tie transmits."""

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return np.concatenate([p, twist(R)])

    def turned_over(self, R: Matrix, p: Vector) -> bool:
        return bool(np.trace(R) < 1.0)
