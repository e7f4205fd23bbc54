"""Cost and rows of a problem as functions of CasADi, with exact Jacobians whose entries stand where the problem says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from dalembert.analysis.trajectory.problem import MotionProblem

Numbers = Callable[[np.ndarray], Any]


def cost_and_rows(casadi: Any, p: MotionProblem) -> tuple[Any, Any]:
    """Both as callbacks of one column of unknowns; keep them as long as what is made of them."""
    n, pattern = p.c.size, sp.csc_matrix(p.pattern)
    pattern.sort_indices()
    value_of = _callbacks(casadi, n)

    def entries(x: np.ndarray) -> np.ndarray:
        found = sp.csc_matrix(p.jacobian(x))
        found.sort_indices()
        return np.asarray(found.data)

    everywhere = sp.csc_matrix(np.ones((1, n)))
    return value_of("cost", p.cost, p.gradient, everywhere), value_of("rows", p.rows, entries, pattern)


def _callbacks(casadi: Any, n: int) -> Callable[[str, Numbers, Numbers, sp.csc_matrix], Any]:
    """What makes a callback of values, and of the entries of its Jacobian."""

    class OfUnknowns(casadi.Callback):  # type: ignore[misc]
        """One or more columns in, the unknowns first; one array out."""

        def __init__(self, name: str, of: Numbers, ins: list[int], out: Any, slope: Any = None) -> None:
            super().__init__()
            self.of, self.ins, self.out, self.slope = of, ins, out, slope
            self.kept: list[Any] = []
            self.construct(name, {})

        def get_n_in(self) -> int:
            return len(self.ins)

        def get_n_out(self) -> int:
            return 1

        def get_sparsity_in(self, i: int) -> Any:
            return casadi.Sparsity.dense(self.ins[i], 1)

        def get_sparsity_out(self, _: int) -> Any:
            return self.out

        def eval(self, given: Any) -> list[Any]:
            return [casadi.DM(self.out, np.atleast_1d(self.of(np.array(given[0]).ravel())))]

        def has_jacobian(self) -> bool:
            return self.slope is not None

        def get_jacobian(self, name: str, *_: Any) -> Any:
            of, entries = self.slope
            where = casadi.Sparsity(*entries.shape, entries.indptr.tolist(), entries.indices.tolist())
            self.kept.append(OfUnknowns(name, of, [n, entries.shape[0]], where))  # CasADi does not keep it alive
            return self.kept[-1]

    def made(name: str, value: Numbers, slope: Numbers, entries: sp.csc_matrix) -> Any:
        return OfUnknowns(name, value, [n], casadi.Sparsity.dense(entries.shape[0], 1), (slope, entries))

    return made
