"""Numbers of the state with the products of their derivatives, compiled; for one state or many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.products.lane_blocks import DIRECTION
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import extra_input, known_symbols, straight_block
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import directional, gradient, tracing
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.graph import flatten
from dalembert.trace.native import Module, Signature

Values = Callable[..., Any]
"""(state, *further numbers) → expressions."""


class Weights(NamedTuple):
    """Gradients in time, coordinates, speeds, parameters and further input; (K, …) each."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    P: np.ndarray
    x: np.ndarray


class ValueProducts:
    """`of(state)`, or `of(state, x)` with `n_x` further numbers x; arrays have a row for every state."""

    def __init__(self, m: Mechanism, of: Values, n_x: int = 0):
        self.m, self.of, self.n_x = m, of, n_x

    def values(self, q: Any, u: Any, t: Any, P: np.ndarray, x: Any = None) -> np.ndarray:
        """(K, numbers)."""
        return self._values(q, u, x, t, self._named(P))

    def weigh(self, q: Any, u: Any, t: Any, P: np.ndarray, w: np.ndarray, x: Any = None) -> Weights:
        """The gradient of Σ w · values."""
        g = self._weighed(q, u, self._beside(x, w), t, self._named(P))
        return Weights(g[:, 0], *np.split(g[:, 1:], np.cumsum([self.m.n_q, self.m.n_u, P.shape[-1]]), axis=1))

    def change(self, q: Any, u: Any, t: Any, P: np.ndarray, d: Weights, x: Any = None) -> np.ndarray:
        """How the values change along a direction."""
        along = np.hstack([d.t[:, None], d.q, d.u, d.P, d.x])
        return self._changed(q, u, self._beside(x, along), t, self._named(P))

    def _named(self, P: np.ndarray) -> dict[str, np.ndarray]:
        return {name: np.ascontiguousarray(P[:, i]) for i, name in enumerate(self.m.parameters)}

    def _beside(self, x: Any, more: np.ndarray) -> np.ndarray:
        return more if x is None else np.hstack([x, more])

    # -- code -----------------------------------------------------------------------------------------------------------
    @property
    def _sizes(self) -> tuple[int, ...]:
        m = self.m
        return 1, m.n_q, m.n_u, len(m.parameters), self.n_x

    def _symbols(self, x: Sequence[Any]) -> list[Any]:
        """Symbols in the order of a direction."""
        places = {at: s for s, at in known_symbols(self.m).items()}
        state = [places[array.removeprefix("d"), i] for array, n in zip(DIRECTION, self._sizes) for i in range(n)]
        return [*state, *x]

    @cached_property
    def count(self) -> int:
        with tracing():
            return len(self._traced(self.m.symbolic_state(), extra_input(range(self.n_x))))

    def _traced(self, s: State, x: Any) -> list[Any]:
        return flatten(self.of(s, x) if self.n_x else self.of(s))

    @cached_property
    def _values(self) -> Kernel:
        return self._kernel(0, self.count, lambda s, x, _: self._traced(s, x))

    @cached_property
    def _weighed(self) -> Kernel:
        def formula(s: State, x: Any, w: Any) -> Any:
            return gradient(sum((a * b for a, b in zip(w, self._traced(s, x))), 0.0), self._symbols(x))

        return self._kernel(self.count, sum(self._sizes), formula)

    @cached_property
    def _changed(self) -> Kernel:
        def formula(s: State, x: Any, d: Any) -> Any:
            return directional(self._traced(s, x), dict(zip(self._symbols(x), d)))

        return self._kernel(sum(self._sizes), self.count, formula)

    def _kernel(self, n_more: int, n_y: int, formula: Callable[[State, Any, Any], Any]) -> Kernel:
        m, n_x = self.m, self.n_x

        def values() -> tuple[list[Any], Any]:
            extra = extra_input(range(n_x + n_more))
            return flatten(formula(m.symbolic_state(), extra[:n_x], extra[n_x:])), extra

        def emit(module: Module, lanes: int) -> tuple[Signature, int]:
            with tracing():
                found, extra = values()
                return module.block(straight_block(m, found, extra), lanes), 0

        with tracing():
            of = (fingerprint(values()[0]),)
        return Kernel("products", m, n_x + n_more, (n_y,), emit, of=of)
