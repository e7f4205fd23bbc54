"""Weld: the two frames are one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.parts.joints.joint import Joint
from dalembert.trace import Expr
from dalembert.vectors import Matrix, Vector, twist


@dataclass(frozen=True)
class Weld(Joint):
    """No relative motion: two bodies become one. Use it to tie parts together, or to ask what the tie transmits."""

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return np.concatenate([p, twist(R)])

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        return R[0, 0] + R[1, 1] + R[2, 2] - 1.0
