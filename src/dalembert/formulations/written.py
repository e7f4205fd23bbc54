"""Equations written out: expressions of t, q, u and the parameters, with their text, their count and their values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.mechanism import Mechanism
from dalembert.trace import Operations, count_operations, evaluate, symbol


@dataclass(frozen=True, eq=False)
class WrittenEquations:
    """q̇ = N(q) u and A(q, t) u̇ = f(q, u, t)."""

    formulation: str
    mechanism: Mechanism
    q: np.ndarray
    u: np.ndarray
    qdot: np.ndarray
    A: np.ndarray
    f: np.ndarray

    @cached_property
    def operations(self) -> Operations:
        """Operations to compute A and f together, each shared value once."""
        return count_operations([self.A, self.f])

    def evaluate(self, q: Any, u: Any, t: float = 0.0, **parameters: float) -> Equations:
        """A and f at numbers; parameters not given have the mechanism's values."""
        values: dict[Any, Any] = self.mechanism.with_parameters(**parameters).parameter_values
        values |= {symbol("t"): float(t), **dict(zip(self.q, map(float, q))), **dict(zip(self.u, map(float, u)))}
        A, f = evaluate([self.A, self.f], values)
        return Equations(A.astype(float), f.astype(float))
