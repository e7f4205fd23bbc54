"""Limit and Backlash: combinations of joint coordinates that stay within ends, as couplings that act on one side only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.laws.checks import check_restitution
from dalembert.laws.freedoms import check, joint_of, place
from dalembert.laws.law import Law
from dalembert.parts.fields import JointValue, Number
from dalembert.trace import Expr, Scalar

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


class OfCombination(Law):
    """A law on Σ factor · coordinate."""

    factors: Mapping[str, Any]

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(joint_of(name) for name in self.factors)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        for coordinate in self.factors:
            check(f'law "{name}"', coordinate, joint_of)

    def combined(self, s: State) -> Scalar:
        """Σ factor · coordinate."""
        return sum(c * place(s, name) for name, c in self.factors.items())


@dataclass(frozen=True, eq=False)
class Limit(OfCombination):
    """A coupling that acts on one side: `da.Limit({"valve": 1.0, "rocker": -0.2}, lower=0.0)`.

    Σ factor · coordinate stays between `lower` and `upper`; either may be left out. `restitution` is the part of the speed with which
    it comes back. With one coordinate it is a `da.Stop`.
    """

    factors: Mapping[str, Number]
    lower: JointValue = None
    upper: JointValue = None
    restitution: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_restitution(self.restitution, "Limit")
        if self.lower is None and self.upper is None:
            raise ModelError("Limit: give lower=, upper=, or both")
        numbers = [x for x in (self.lower, self.upper) if x is not None and type(x) is not Expr]
        if len(numbers) == 2 and not self.lower < self.upper:
            raise ModelError(
                f"Limit: lower={self.lower!r} must be below upper={self.upper!r}; to lock it, use da.Coupling"
            )

    def gap(self, s: State) -> np.ndarray:
        x = self.combined(s)
        ends = ([] if self.lower is None else [x - self.lower], [] if self.upper is None else [self.upper - x])
        return np.array([*ends[0], *ends[1]])


@dataclass(frozen=True, eq=False)
class Backlash(OfCombination):
    """Gears or couplings with play: `da.Backlash({"A": 1.0, "B": 2.5}, play=0.02)`.

    Σ factor · coordinate stays within half of `play` of `offset`, as `da.Coupling` would hold it there; within, nothing is felt.
    """

    factors: Mapping[str, Number]
    play: JointValue
    offset: JointValue = 0.0
    restitution: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_restitution(self.restitution, "Backlash")
        if type(self.play) is not Expr and not self.play > 0.0:
            raise ModelError(f"Backlash: play={self.play!r} must be positive; without play, use da.Coupling")

    def gap(self, s: State) -> np.ndarray:
        x = self.combined(s) - self.offset
        return np.array([0.5 * self.play + x, 0.5 * self.play - x])
