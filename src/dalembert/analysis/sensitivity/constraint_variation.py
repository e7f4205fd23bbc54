"""The first variation of loops and constraints, exact: how what holds a state changes along many directions of (q, u, p) at once.

Directions run through the lanes of one kernel, so that no Jacobian is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.massless import mass_factor
from dalembert.constraints.methods.solution import inertias_lent
from dalembert.errors import FormulationError
from dalembert.formulations.tree import kane
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import extra_input, straight_block
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.pivoting import RANK_TOLERANCE
from dalembert.trace import directional, symbol, tracing
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.graph import flatten


def compiled(m: Mechanism, n_extra: int, formula: Callable[[State, Any], Any]) -> Kernel:
    """A formula of the symbolic state and further numbers, as machine code."""
    with tracing():
        extra = extra_input(range(n_extra))
        values = flatten(formula(m.symbolic_state(), extra))

    def emit(module: Any, lanes: int) -> Any:
        return module.block(straight_block(m, values, extra), lanes), 0

    return Kernel("formula", m, n_extra, (len(values),), emit, of=(fingerprint(values),))


def along(s: State, direction: Any) -> dict[Any, Any]:
    """What moves along a direction (δq, δu, δp), all parameters in order."""
    return dict(zip([*s.coordinates, *s.speeds, *(symbol(p) for p in s.mechanism.parameters)], direction))


@dataclass(frozen=True, eq=False)
class Factors:
    """Solves A x + Bᵀy = F, B x = G for many right-hand sides: A = L Lᵀ, L⁻¹Bᵀ = U Σ Vᵀ without the zero part; y is the shortest.

    Where x moves no mass somewhere, A is A + BᵀWB and F is F + BᵀWG, of which x and y are the same; `lent` is BᵀW.
    """

    L: np.ndarray
    U: np.ndarray
    sigma: np.ndarray
    V: np.ndarray
    lent: np.ndarray | None = None

    @staticmethod
    def of(A: np.ndarray, B: np.ndarray) -> Factors:
        W = inertias_lent(A, B)
        lent = None if W is None else B.T * W
        L = mass_factor(A if lent is None else A + lent @ B)
        if not len(B):
            return Factors(L, np.zeros((len(A), 0)), np.zeros(0), np.zeros((0, 0)))
        U, sigma, Vt = np.linalg.svd(np.linalg.solve(L, B.T), full_matrices=False)
        kept = sigma > RANK_TOLERANCE * sigma.max(initial=0.0)
        return Factors(L, U[:, kept], sigma[kept], Vt[kept].T, lent)

    def solve(self, F: np.ndarray, G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(x, y) for columns F and G."""
        h = np.linalg.solve(self.L, F if self.lent is None else F + self.lent @ G)
        of_forces, of_rows = self.U.T @ h, (self.V.T @ G) / self.sigma[:, None]
        x = np.linalg.solve(self.L.T, h + self.U @ (of_rows - of_forces))
        return x, self.V @ ((of_forces - of_rows) / self.sigma[:, None])


class Variation:
    """Variation of the constraints of one mechanism; parameters' values are given with each call."""

    def __init__(self, m: Mechanism):
        if m.kernels.opaque is not None:
            names = ", ".join(f'"{f}"' for f in m.kernels.opaque.forces)
            raise FormulationError(
                f"force {names} is a Python function that cannot be traced, so it has no derivatives; write it with da.sin, "
                "da.select and the like"
            )
        self.m = m
        self.n_direction = m.n_q + m.n_u + len(m.parameters)
        self.n_rows = len(m.rows)

    # -- compiled parts -----------------------------------------------------------------------------------------------
    @cached_property
    def _written(self) -> Kernel:
        """A and B."""

        def formula(s: State, _: Any) -> Any:
            e = kane.equations(s)
            return [e.A, e.B]

        return compiled(self.m, 0, formula)

    @cached_property
    def _moved(self) -> Kernel:
        """δq̇; extra input: direction."""

        def formula(s: State, direction: Any) -> Any:
            return directional(s.rates, along(s, direction))

        return compiled(self.m, self.n_direction, formula)

    @cached_property
    def _opened(self) -> Kernel:
        """Rates of g (0 where there is none) and of B u − b along a direction."""

        def formula(s: State, direction: Any) -> Any:
            closed = constraint_rows(s)
            return directional(np.concatenate([closed.g, closed.B @ s.speeds - closed.b]), along(s, direction))

        return compiled(self.m, self.n_direction, formula)

    @cached_property
    def _chosen(self) -> Kernel:
        """Rate of A v + Bᵀμ at frozen v and μ; extra input: v, μ, direction."""
        n, rows = self.m.n_u, self.n_rows

        def formula(s: State, x: Any) -> Any:
            v, mu, direction = x[:n], x[n : n + rows], x[n + rows :]
            e = kane.equations(s)
            return directional(e.A @ v + e.B.T @ mu, along(s, direction))

        return compiled(self.m, n + rows + self.n_direction, formula)

    # -- at a state; X has a column for each direction (δq, δu, δp) -----------------------------------------------------
    def matrices(self, t: float, q: np.ndarray, u: np.ndarray, p: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """A and B."""
        n = self.m.n_u
        A, B = np.split(self._written(q, u, None, t, p), [n * n])
        return A.reshape(n, n), B.reshape(self.n_rows, n)

    def moved(self, t: float, q: np.ndarray, u: np.ndarray, p: Mapping[str, float], steps: np.ndarray) -> np.ndarray:
        """δq = N(q) δθ for columns δθ."""
        direction = np.zeros((steps.shape[1], self.n_direction))
        direction[:, self.m.n_q : self.m.n_q + self.m.n_u] = steps.T
        return self._moved(q, u, direction, t, p).T

    def opened(
        self, t: float, q: np.ndarray, u: np.ndarray, p: Mapping[str, float], X: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """δg and δ(B u − b) along every direction."""
        both = self._opened(q, u, np.ascontiguousarray(X.T), t, p).T
        return both[: self.n_rows], both[self.n_rows :]

    def chosen(
        self,
        t: float,
        q: np.ndarray,
        u: np.ndarray,
        p: Mapping[str, float],
        v: np.ndarray,
        mu: np.ndarray,
        X: np.ndarray,
    ) -> np.ndarray:
        """δA v + δBᵀμ along every direction."""
        extra = np.hstack([np.tile(np.concatenate([v, mu]), (X.shape[1], 1)), X.T])
        return self._chosen(q, u, extra, t, p).T

    @cached_property
    def holonomic(self) -> np.ndarray:
        """Which rows have a residual."""
        return self.m.rows.holonomic
