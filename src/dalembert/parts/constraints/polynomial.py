"""Polynomial: a cam. One combination of joint coordinates follows another along a polynomial."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.constraints.coupling import Coupling
from dalembert.parts.fields import Number

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class Polynomial(Constraint):
    """Σ factor · coordinate of `follower` = c₀ + c₁ x + c₂ x² + …, x = Σ factor · coordinate of `leader`.

    For example `Polynomial({"valve": 1.0}, {"shaft": 1.0}, (0.0, 0.0, 0.02))`.
    """

    follower: Mapping[str, Number]
    leader: Mapping[str, Number]
    coefficients: tuple[Number, ...]

    @property
    def joints(self) -> tuple[str, ...]:
        return Coupling(self.follower).joints + Coupling(self.leader).joints

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        Coupling(self.follower).check(name, joint_of)
        Coupling(self.leader).check(name, joint_of)

    def residual(self, s: State) -> np.ndarray:
        x = Coupling(self.leader).residual(s)[0]
        value: Any = self.coefficients[-1]
        for c in reversed(self.coefficients[:-1]):
            value = value * x + c
        return Coupling(self.follower).residual(s) - value
