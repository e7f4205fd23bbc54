"""Equations whose solution a constraint method explains, and what all methods say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.methods.solution import Solution
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.independent_speeds import Reduction, reduced
from dalembert.pivoting import PivotChoice
from dalembert.trace import Expr
from dalembert.trace.collect import Powers, collected
from dalembert.trace.text.intermediates import Lengths


@dataclass(frozen=True, eq=False)
class ConstrainedEquations:
    """A u̇ + Bᵀλ = f and B u̇ = γ, in symbols or in numbers, with the names of the speeds and a choice of dependent ones."""

    e: Equations
    speeds: tuple[str, ...]
    choice: PivotChoice

    @property
    def symbolic(self) -> bool:
        return object in (self.e.A.dtype, self.e.f.dtype, self.e.B.dtype, self.e.gamma.dtype)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows."""
        return tuple(f"row {k + 1}" for k in range(len(self.e.gamma)))

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent speeds."""
        return tuple(self.speeds[i] for i in self.choice.independent)

    @property
    def dependent(self) -> tuple[str, ...]:
        """Names of the dependent speeds, in the order of their pivots."""
        return tuple(self.speeds[i] for i in self.choice.dependent)

    @cached_property
    def reduction(self) -> Reduction:
        """u̇ = T u̇_i + d."""
        return reduced(self.e.B, np.zeros(len(self.e.gamma)), self.e.gamma, self.choice)

    def solution(self, solve: Callable[[Equations], Solution]) -> list[Quantity]:
        """u̇, λ and the rank, where there are numbers."""
        if self.symbolic:
            return []
        found = solve(self.e)
        return [
            quantity("udot", "accelerations", found.udot, self.speeds),
            quantity(
                "lambda", "multipliers, those of least norm where rows depend on each other", found.lam, self.rows
            ),
            quantity("rank", "rank of B, decided on rows and speeds measured in the metric of A", found.rank),
        ]


def signed(columns: np.ndarray) -> np.ndarray:
    """Columns known but for their sign, each with the first of its large components positive."""
    if not columns.size:
        return columns
    sizes = np.abs(columns)
    first = np.argmax(sizes > 0.5 * sizes.max(axis=0), axis=0)
    return columns * np.where(columns[first, np.arange(columns.shape[1])] < 0.0, -1.0, 1.0)


MOST_SHORTENED = 4
"""Dependent speeds up to which rows in symbols are eliminated in the order that is shortest to read."""


def shortest_pivots(B: np.ndarray, choice: PivotChoice) -> PivotChoice:
    """The same dependent speeds, solved for from the shortest coefficients on: quotients by one product cancel, those by sums stay."""
    if B.dtype != object or not 1 < len(choice.rows) <= MOST_SHORTENED:
        return choice
    left, length = np.array(choice.dependent_block(B), dtype=object), Lengths()
    rows, columns, pairs = list(choice.rows), list(choice.dependent), []
    while rows:
        found = {at: length(x) for at, x in np.ndenumerate(left) if type(x) is Expr or x != 0.0}
        if not found:
            return choice
        i, j = min(found, key=lambda at: (found[at], at))
        pairs.append((rows.pop(i), columns.pop(j)))
        rest, across = np.delete(left, i, axis=0), np.delete(left[i], j)
        made = np.delete(rest, j, axis=1) - np.outer(rest[:, j] / left[i, j], across)
        short = collected(made, Powers)
        if short is None:
            return choice
        left = short
    return PivotChoice(tuple(i for i, _ in pairs), tuple(j for _, j in pairs), choice.independent)
