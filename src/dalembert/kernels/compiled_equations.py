"""Written equations as machine code: q̇, A, f, B and γ of one state or many, in the formulation speeds, and the rates that follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.constraints import method
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.written_equations import WrittenEquations
from dalembert.kernels.rhs.formulation_kernel import FormulationSpeedsKernel
from dalembert.kernels.runtime.straight import block, known_symbols
from dalembert.trace import Expr
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.graph import flatten
from dalembert.trace.native import Module, Output, Signature


class CompiledEquations:
    """`compiled(q, w, t)` gives A, f, B and γ of one state, or of K where q is (K, n_q) and w (K, n_w), w being the formulation speeds;
    `rates` gives q̇ and ẇ."""

    def __init__(self, eq: WrittenEquations):
        self._parts = [eq.qdot, eq.A, eq.f, eq.B, eq.gamma]
        values = flatten(self._parts)
        self._varying = [i for i, x in enumerate(values) if type(x) is Expr]
        self._constants = np.array([0.0 if type(x) is Expr else x for x in values], dtype=float)
        m, computed = eq.mechanism, [values[i] for i in self._varying]
        known = known_symbols(m) | {x: ("u", i) for i, x in enumerate(eq.u)}

        def emit(module: Module, lanes: int) -> tuple[Signature, int]:
            outputs = [Output(x, "y", i) for i, x in enumerate(computed)]
            return module.block(block("run", known, outputs, apart=True), lanes), 0

        self._kernel = FormulationSpeedsKernel(
            "equations", m, 0, (len(computed),), emit, (fingerprint(computed), eq.formulation), n_speeds=len(eq.u)
        )

    def _values(
        self, q: ArrayLike, w: ArrayLike, t: ArrayLike, parameters: Mapping[str, Any] | None
    ) -> list[np.ndarray]:
        """Each part, with a row for each state where there are several."""
        found = np.asarray(self._kernel(q, w, None, t, parameters))
        out = np.tile(self._constants, (*found.shape[:-1], 1))
        out[..., self._varying] = found
        ends = np.cumsum([x.size for x in self._parts])[:-1]
        return [x.reshape(*x.shape[:-1], *part.shape) for x, part in zip(np.split(out, ends, axis=-1), self._parts)]

    def __call__(
        self, q: ArrayLike, w: ArrayLike, t: ArrayLike = 0.0, parameters: Mapping[str, Any] | None = None
    ) -> Equations:
        return Equations(*self._values(q, w, t, parameters)[1:])

    def rates(
        self, q: ArrayLike, w: ArrayLike, t: ArrayLike = 0.0, parameters: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """q̇ and ẇ; of constrained equations by the augmented system, state by state."""
        qdot, A, f, B, gamma = self._values(q, w, t, parameters)
        if not B.shape[-2]:
            return qdot, np.linalg.solve(A, f[..., None])[..., 0]
        solve = method("augmented")
        if qdot.ndim == 1:
            return qdot, solve(Equations(A, f, B, gamma)).udot
        return qdot, np.array([solve(Equations(*one)).udot for one in zip(A, f, B, gamma)])
