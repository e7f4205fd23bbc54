"""Solving with the mass matrix in compiled loops: A = LᵀDL with branch sparsity, no fill-in."""

from __future__ import annotations

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.recursive.sparse import coupled_speeds
from dalembert.trace.native import FunctionBuilder, Int, Module

TOGETHER = 6
"""Columns solved for at once."""


class SparseSolver:
    """Driver code on a full n × n array of which only the entries along paths to the root are used."""

    def __init__(self, module: Module, m: Mechanism):
        self.n = m.n_u
        self._inboard = module.int_table(coupled_speeds(m))

    def factorise(self, f: FunctionBuilder, A: Any) -> None:
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

    def solve(self, f: FunctionBuilder, A: Any, X: Any, width: int) -> None:
        """X ← A⁻¹ X for n rows of `width` elements, a few columns at a time: those stay in registers and near."""
        rest = width % TOGETHER
        if width > rest:
            with f.loop(0, width - rest, TOGETHER) as c:
                self._solve(f, A, X + c, width, TOGETHER)
        if rest:
            self._solve(f, A, X + (width - rest), width, rest)

    def _solve(self, f: FunctionBuilder, A: Any, X: Any, width: int, count: int) -> None:
        n = self.n
        with f.countdown(n) as i:
            row = [X[i * width + c] for c in range(count)]
            with self._inward(f, i) as j:
                factor = A[i * n + j]
                for c in range(count):
                    X[j * width + c] = X[j * width + c] - factor * row[c]
        with f.loop(n) as i:
            inverse = A[i * n + i]
            found = f.variables(**{f"x{c}": X[i * width + c] * inverse for c in range(count)})
            with self._inward(f, i) as j:
                factor = A[i * n + j]
                for c in range(count):
                    setattr(found, f"x{c}", getattr(found, f"x{c}") - factor * X[j * width + c])
            for c in range(count):
                X[i * width + c] = getattr(found, f"x{c}")

    def _inward(self, f: FunctionBuilder, start: Int, own: bool = False) -> Any:
        """The speeds inboard of `start` on its path, nearest first; with `own`, beginning with itself."""
        return f.following(start if own else self._inboard[start], self._inboard)
