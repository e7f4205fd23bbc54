"""Derivatives of accelerations times vectors, compiled, for one state or many; loops and constraints included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import StateError
from dalembert.kernels.compiled_solution import DOUBTFUL, breaks_rows_left_out
from dalembert.kernels.products.slope_products import SlopeProducts
from dalembert.kernels.products.value_products import Weights
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import RowsToKeep
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import KERNEL
from dalembert.mechanism import Mechanism
from dalembert.trace.native import FunctionBuilder, Module, Pointer, Real, Signature, minimum


class AccelerationProducts:
    """Products for u̇(t, q, u, τ, P) under an independent set of rows; arrays have a row for every state."""

    def __init__(self, m: Mechanism, rows: tuple[int, ...]):
        self.m, self.rows = m, rows

    def weigh(self, q: Any, u: Any, tau: Any, t: Any, P: np.ndarray, w: np.ndarray) -> Weights:
        """The gradient of Σ w·u̇; x of it is that in τ."""
        m, n = self.m, self.m.n_u
        found = self._examined(self._weighed, q, u, np.hstack([tau, w]), t, P)
        sizes = np.cumsum([1, m.n_q, n, m.n_z, n])
        gt, gq, gu, gz, gx, gP = np.split(found, sizes, axis=1)
        gP[:, m.states_at : m.states_at + m.n_z] += gz
        return Weights(gt[:, 0], gq, gu, gP, gx)

    def change(self, q: Any, u: Any, tau: Any, t: Any, P: np.ndarray, d: Weights) -> np.ndarray:
        """δu̇ along a direction."""
        along = np.hstack([tau, d.t[:, None], d.q, d.u, d.P, d.x])
        return self._examined(self._changed, q, u, along, t, P)

    def unexamined(self, q: Any, u: Any, tau: Any, t: Any, P: np.ndarray, d: Weights) -> tuple[np.ndarray, np.ndarray]:
        """(u̇, δu̇) by these rows whatever the state, for those who close loops by iterating."""
        names = {name: np.ascontiguousarray(P[:, i]) for i, name in enumerate(self.m.parameters)}
        along = np.hstack([tau, d.t[:, None], d.q, d.u, d.P, d.x])
        found, udot, _ = np.split(self._changed(q, u, along, t, names), [-1 - self.m.n_u, -1], axis=1)
        return udot, found

    def _examined(self, kernel: Kernel, q: Any, u: Any, x: np.ndarray, t: Any, P: np.ndarray) -> np.ndarray:
        """What the kernel gives, refused in states in which these rows do not decide the accelerations."""
        names = {name: np.ascontiguousarray(P[:, i]) for i, name in enumerate(self.m.parameters)}
        both = kernel(q, u, x, t, names)
        found, udot, pivot = np.split(both, [-1 - self.m.n_u, -1], axis=1)
        poor = ~(pivot[:, 0] > DOUBTFUL)
        if len(self.m.rows) > len(self.rows):
            poor |= breaks_rows_left_out(self.m.kernels, self.rows, q, u, np.ascontiguousarray(udot), t, names)
        if self.rows and poor.any():
            raise StateError(
                f"state {int(np.argmax(poor))} is in or next to a singular pose, or on another branch than the first state: other rows "
                "decide its accelerations, and there are no derivatives by those of the first; ask about it by itself, or beside it"
            )
        return found

    # -- code -----------------------------------------------------------------------------------------------------------
    @cached_property
    def _weighed(self) -> Kernel:
        m, n = self.m, self.m.n_u
        n_y, n_p = m.n_q + n + m.n_z, len(m.parameters)

        def write(f: FunctionBuilder, products: SlopeProducts, y: Pointer, slope: Pointer, scratch: Pointer) -> None:
            f.y.clear(1 + n_y + n + n_p)
            w = scratch
            w.clear(n_y)
            for i in f.each(n):
                w[m.n_q + i] = f.x[n + i]
            gy = y + 1
            f.call(
                products.adjoint, f.t, f.q, f.u, f.P, slope, f.work, w, y, gy, gy + n_y, gy + (n_y + n), scratch + n_y
            )

        return self._kernel("weighed", 2 * n, 1 + n_y + n + n_p, write)

    @cached_property
    def _changed(self) -> Kernel:
        m, n = self.m, self.m.n_u
        n_p, n_y = len(m.parameters), m.n_q + n + m.n_z

        def write(f: FunctionBuilder, products: SlopeProducts, y: Pointer, slope: Pointer, scratch: Pointer) -> None:
            dt = f.x + n
            X, out = scratch, scratch + n_y
            dP = dt + (1 + m.n_q + n)
            for i in f.each(m.n_q + n):
                X[i] = dt[1 + i]
            for z in range(m.n_z):
                X[m.n_q + n + z] = dP[m.states_at + z]
            f.call(products.tangent, f.t, f.q, f.u, f.P, slope, f.work, dt, X, dP + n_p, dP, out, scratch + 2 * n_y)
            for i in f.each(n):
                y[i] = out[m.n_q + i]

        return self._kernel("changed", 2 * n + 1 + m.n_q + n + n_p, n, write)

    def _kernel(self, name: str, n_extra: int, n_found: int, write: Callable[..., None]) -> Kernel:
        """What is found, then u̇ and the least pivot of the rows."""
        m, n, rows = self.m, self.m.n_u, self.rows

        def emit(module: Module, lanes: int) -> tuple[Signature, int]:
            rhs = RangeSpaceRightHandSide(m, RowsToKeep(rows))
            slope_code, size = rhs.emit(module, lanes, name="accelerations")
            products = SlopeProducts(rhs, module, lanes)
            more = m.n_q + n + m.n_z
            _ = products.adjoint if name == "weighed" else products.tangent
            with module.function("run", lanes=lanes, **KERNEL) as f:
                slope, scratch = f.work + size, f.work + (size + m.n_q + n)
                f.call(slope_code, f.t, f.q, f.u, f.x, f.P, slope, f.work)
                write(f, products, f.y, slope, scratch)
                for i in f.each(n):
                    f.y[n_found + i] = slope[m.n_q + i]
                f.y[n_found + n] = least_pivot(f, rhs, products)
            return f.signature, size + m.n_q + n + 2 * more + products.scratch

        return Kernel(f"accelerations {name}", m, n_extra, (n_found + n + 1,), emit, of=(rows,))


def least_pivot(f: FunctionBuilder, rhs: RangeSpaceRightHandSide, products: SlopeProducts) -> Real:
    """The least pivot of S relative to its row, 1 without rows."""
    if not rhs.n_rows:
        return f.real(1.0)
    module, p, at = products.module, rhs.pattern, rhs.places
    starts, profile = module.int_table(p.starts), module.int_table(p.profile)
    Y, S = f.work + at["Y"], f.work + at["S"]
    v = f.variables(square=0.0, smallest=1.0)
    with f.loop(rhs.n_rows) as i:
        v.square = 0.0
        with f.loop(starts[i], starts[i + 1]) as e:
            v.square = v.square + Y[e] * Y[e]
        inverse = S[profile[i] + i]
        v.smallest = minimum(v.smallest, 1.0 / (inverse * inverse * v.square))
    return v.smallest
