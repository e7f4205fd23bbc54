"""Derivatives of the constraints' rows: of φ = B u − b and of its rate ρ = B u̇ − γ, along displacements and in the speeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.derivatives.formulas import along_speeds
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import extra_input, straight_block
from dalembert.mechanism import Mechanism
from dalembert.trace import jacobian, symbol, tracing
from dalembert.trace.native import Module, Signature


@dataclass(frozen=True, eq=False)
class RowDerivatives:
    """m × n_u each: ∂φ/∂η, ∂ρ/∂η, ∂ρ/∂u; m × n_p each: ∂g/∂p, ∂φ/∂p, ∂ρ/∂p. ∂φ/∂u is B, and its rate is ∂ρ/∂u − ∂φ/∂η."""

    phi_q: np.ndarray
    rho_q: np.ndarray
    rho_u: np.ndarray
    g_p: np.ndarray
    phi_p: np.ndarray
    rho_p: np.ndarray

    @staticmethod
    def none(n_u: int, n_p: int, rows: int = 0) -> RowDerivatives:
        """All zero; by default of a mechanism without rows."""
        return RowDerivatives(*(np.zeros((rows, n)) for n in (n_u, n_u, n_u, n_p, n_p, n_p)))


class RowKernel:
    """Compiled for one mechanism, whose parameters are inputs."""

    def __init__(self, m: Mechanism):
        self.m = m
        self.n_rows = len(m.rows)
        size = 3 * self.n_rows * (m.n_u + len(m.parameters))
        self._kernel = Kernel("row_derivatives", m, m.n_u, (size,), self._emit)

    @cached_property
    def _gaps(self) -> Kernel:
        """∂g/∂p."""

        def emit(module: Module, lanes: int) -> tuple[Signature, int]:
            m = self.m
            with tracing():
                s = m.symbolic_state()
                g = np.concatenate([d.values(s)[0] for d in m.constraint_rows.values()])
                values = jacobian(g, [symbol(name) for name in m.parameters])
                return module.block(straight_block(m, values, ()), lanes), 0

        return Kernel("row_gaps", self.m, 0, (self.n_rows, len(self.m.parameters)), emit)

    def at_rest(self, q: Any, t: float, parameters: dict[str, float]) -> RowDerivatives:
        """Where nothing moves and nothing is about to, only the gaps change, with the parameters: φ and ρ vanish with u and u̇."""
        zeros = RowDerivatives.none(self.m.n_u, len(self.m.parameters), self.n_rows)
        return replace(zeros, g_p=self._gaps(q, None, None, t, parameters or None)) if self.m.parameters else zeros

    def _emit(self, module: Module, lanes: int) -> tuple[Signature, int]:
        m = self.m
        with tracing():
            s, udot = m.symbolic_state(), extra_input(m.speeds)
            accelerations = s.accelerations(udot)
            every: list[tuple[Any, ...]] = [(d, *d.values(s, accelerations)) for d in m.constraint_rows.values()]
            g = np.concatenate([g for _, g, *_ in every])
            phi = np.concatenate([phi for _, _, phi, _, _ in every])
            # a row's rate knows the bodies' accelerations; on joint speeds it acts directly
            rho = np.concatenate([rate + C[:, 6 * len(d.bodies) :] @ udot for d, _, _, C, rate in every])
            parameters = [symbol(name) for name in m.parameters]
            both = np.concatenate([phi, rho])
            values = [
                *along_speeds(s, both).ravel(),
                *jacobian(rho, list(s.speeds)).ravel(),
                *jacobian(np.concatenate([g, both]), parameters).ravel(),
            ]
            return module.block(straight_block(m, values, udot), lanes), 0

    def __call__(self, q: Any, u: Any, udot: Any, t: float, parameters: dict[str, float]) -> RowDerivatives:
        values = self._kernel(q, u, udot, t, parameters or None)
        kinds = [(self.n_rows, self.m.n_u)] * 3 + [(self.n_rows, len(self.m.parameters))] * 3
        parts = np.split(values, np.cumsum([a * b for a, b in kinds])[:-1])
        phi_q, rho_q, rho_u, g_p, phi_p, rho_p = (x.reshape(kind) for x, kind in zip(parts, kinds))
        return RowDerivatives(phi_q, rho_q, rho_u, g_p, phi_p, rho_p)
