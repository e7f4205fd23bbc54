"""Conditions that joints' coordinates obey among themselves, as Euler parameters their unit length: restored, and differentiated."""

from __future__ import annotations

from dalembert.cached import cached_property
from dalembert.kernels.products.lane_blocks import LaneBlock
from dalembert.kernels.runtime.admissible import emit_admissible
from dalembert.mechanism import Mechanism
from dalembert.trace import gradient, symbols, tracing
from dalembert.trace.native import FunctionBuilder, Module, Output, Pointer, Signature


class JointConditions:
    """Code for coordinates q; it writes nothing where no joint has such coordinates."""

    def __init__(self, m: Mechanism, module: Module, lanes: int):
        self.m, self.module, self.lanes = m, module, lanes

    def restore(self, f: FunctionBuilder, q: Pointer) -> None:
        """q ← c(q)."""
        if self._restored is not None:
            f.call(self._restored, *[q] * 7)

    def weigh(self, f: FunctionBuilder, q: Pointer, w: Pointer) -> None:
        """w ← (∂c/∂q)ᵀ w."""
        if self._restored is not None:
            f.call(self._weighed, *[q] * 4, w, *[q] * 4)

    def move(self, f: FunctionBuilder, q: Pointer, dq: Pointer) -> None:
        """δq ← ∂c/∂q δq."""
        if self._restored is not None:
            f.call(self._moved, *[q] * 5, dq, *[q] * 2)

    @cached_property
    def _restored(self) -> Signature | None:
        return emit_admissible(self.module, self.m, self.lanes, "products_admissible")

    @cached_property
    def _weighed(self) -> Signature:
        with tracing():
            made = LaneBlock(self.m, {"w": self.m.n_q})
            q, w = symbols("q_", self.m.coordinates), made.vector("w")
            found = gradient(w @ self.m.admissible(q), list(q))
            outputs = [Output(x, "w", i) for i, x in enumerate(found) if x is not w[i]]
            return self.module.block(made.block("conditions_weighed", outputs), self.lanes)

    @cached_property
    def _moved(self) -> Signature:
        with tracing():
            made, q = LaneBlock(self.m, {}), symbols("q_", self.m.coordinates)
            kept = self.m.admissible(q)
            places = [i for i, x in enumerate(kept) if x is not q[i]]
            outputs = [Output(x, "dq", i) for i, x in zip(places, made.along([kept[i] for i in places]))]
            return self.module.block(made.block("conditions_moved", outputs), self.lanes)
