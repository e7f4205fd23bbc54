"""Solving with the mass matrix in compiled loops: A = LᵀDL with branch sparsity, no fill-in."""

from __future__ import annotations

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.recursive.sparse import inboard_speeds
from dalembert.trace.native import Int, Module


class SparseSolver:
    """Driver code on a full n × n array of which only the entries along paths to the root are used."""

    def __init__(self, module: Module, m: Mechanism):
        self.n = m.n_u
        self._inboard = module.int_table(inboard_speeds(m))

    def factorise(self, f: Any, A: Any) -> None:
        """Below the diagonal L, on it 1/D."""
        n = self.n
        with f.countdown(n) as k:
            inverse = 1.0 / A[k * n + k]
            A[k * n + k] = inverse
            with self._inward(f, k) as i:
                factor = A[k * n + i] * inverse
                with self._inward(f, i, own=True) as j:
                    A[i * n + j] = A[i * n + j] - factor * A[k * n + j]
                A[k * n + i] = factor

    def solve(self, f: Any, A: Any, X: Any, width: int) -> None:
        """X ← A⁻¹ X for n rows of `width` elements."""
        n = self.n
        with f.countdown(n) as i, self._inward(f, i) as j:
            self._subtract(f, X, j, A[i * n + j], i, width)
        with f.loop(n) as i:
            inverse = A[i * n + i]
            with f.loop(width) as c:
                X[i * width + c] = X[i * width + c] * inverse
            with self._inward(f, i) as j:
                self._subtract(f, X, i, A[i * n + j], j, width)

    def _subtract(self, f: Any, X: Any, target: Int, factor: Any, source: Int, width: int) -> None:
        """Row target −= factor · row source."""
        with f.loop(width) as c:
            X[target * width + c] = X[target * width + c] - factor * X[source * width + c]

    def _inward(self, f: Any, start: Int, own: bool = False) -> Any:
        """The speeds inboard of `start` on its path, nearest first; with `own`, beginning with itself."""
        return f.following(start if own else self._inboard[start], self._inboard)
