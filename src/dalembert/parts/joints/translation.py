"""Translation: three slides without a turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dalembert.parts.joints.joint import Joint
from dalembert.trace import Expr
from dalembert.vectors import IDENTITY, Matrix, Vector, twist


@dataclass(frozen=True)
class Translation(Joint):
    """Three slides along the parent's axes, without turning: a free particle is a body on `da.Translation()` [C 1–20]."""

    coordinates: ClassVar[tuple[str, ...]] = ("x", "y", "z")
    speeds: ClassVar[tuple[str, ...]] = ("x", "y", "z")

    def translation(self, q: Vector) -> Vector:
        return np.array([*q])

    def sliding(self, q: Vector) -> np.ndarray:
        return IDENTITY

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        return twist(R)

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        return R[0, 0] + R[1, 1] + R[2, 2] - 1.0
