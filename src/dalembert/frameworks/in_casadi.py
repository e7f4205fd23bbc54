"""CasADi: compiled functions as callbacks with exact Jacobians, for problems that IPOPT and its like solve.

Every callback brings its Jacobian, made column by column from one batch of changes in SIMD lanes, and products with it from both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.formulations.tree import kane
from dalembert.frameworks import motions, of_states
from dalembert.frameworks.array_function import ArrayFunction
from dalembert.kernels.compiled_solution import rows_at
from dalembert.kernels.products.lane_blocks import check_differentiable
from dalembert.kernels.runtime.straight import extra_input
from dalembert.mechanism import Mechanism
from dalembert.optional import optional
from dalembert.recursive.algorithms import Tree, articulated
from dalembert.trace import symbol, tracing
from dalembert.trace.text.casadi_form import casadi_function

casadi: Any = optional("casadi", "m.casadi")


class CasadiFunctions:
    """`casadi.Function`s of one mechanism; parameters are a column in the order of `m.parameters`. Keep the object as long as they."""

    def __init__(self, m: Mechanism):
        self.m = m
        self._made: dict[Any, Any] = {}

    def forward_dynamics(self) -> Any:
        """(q, u, tau, t, parameters) → u̇, loops and constraints included."""
        return self._callback("forward_dynamics", lambda: of_states.forward_dynamics(self.m))

    def inverse_dynamics(self) -> Any:
        """(q, u, udot, t, parameters) → generalized forces, of mechanisms without loops."""
        return self._callback("inverse_dynamics", lambda: of_states.inverse_dynamics(self.m))

    def step(self, step: float) -> Any:
        """(q, u, tau, t, parameters) → (q, u, z) one step of rk4 later."""
        return self._callback(("step", step), lambda: motions.rollout(self.m, step, 1, False, last=True))

    def rollout(self, step: float, steps: int) -> Any:
        """The same after so many steps under constant forces."""
        return self._callback(("rollout", step, steps), lambda: motions.rollout(self.m, step, steps, False, last=True))

    def expressions(self) -> Any:
        """(q, u, tau, t, parameters) → u̇ in SX: the equations themselves, solved, for CasADi to differentiate as often as it likes.

        Under loops A u̇ + Bᵀλ = f and B u̇ = γ are solved by rows that are independent in the reference pose.
        """
        m = self.m
        check_differentiable(m, "expressions")
        rows = list(rows_at(m.kernels, m.assemble()[0], 0.0, None)) if m.constraint_rows else []
        with tracing():
            s = m.symbolic_state()
            tau, P = extra_input(m.speeds), [symbol(name) for name in m.parameters]
            inputs: Any = {"q": s.coordinates, "u": s.speeds, "tau": tau, "t": [s.t], "parameters": P}
            if not rows:
                udot = articulated(Tree(s), tau)
                return casadi_function("forward_dynamics", inputs, {"udot": udot})
            e = kane.equations(s)
            parts: Any = {"A": e.A, "f": e.f + tau, "B": e.B[rows], "gamma": e.gamma[rows]}
            written = casadi_function("equations", inputs, parts)
        given = [casadi.SX.sym(name, written.size1_in(i)) for i, name in enumerate(inputs)]
        A, f, B, gamma = written(*given)
        K = casadi.blockcat([[A, B.T], [B, casadi.SX(len(rows), len(rows))]])
        found = casadi.solve(K, casadi.vertcat(f, gamma))[: m.n_u]
        return casadi.Function("forward_dynamics", given, [found], list(inputs), ["udot"])

    def _callback(self, key: Any, make: Any) -> Any:
        if key not in self._made:
            self._made[key] = _Callback(make())
        return self._made[key]


class _Shaped(casadi.Callback):  # type: ignore[misc]
    """What all callbacks here have: names and shapes of columns."""

    def __init__(self, function: ArrayFunction, name: str):
        super().__init__()
        self.function = function
        self.sizes = [int(np.prod(shape)) for shape in function.shapes]
        self.n = int(np.prod(function.shape))
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self.sizes)

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, i: int) -> str:
        return self.function.arguments[i]

    def get_sparsity_in(self, i: int) -> Any:
        return casadi.Sparsity.dense(self.sizes[i], 1)

    def arrays(self, given: Sequence[Any]) -> list[np.ndarray]:
        """Columns in the shapes of the function's arguments."""
        return [np.array(x, dtype=float).reshape(shape) for x, shape in zip(given, self.function.shapes)]


class _Callback(_Shaped):
    def __init__(self, function: ArrayFunction):
        self.derivatives: list[Any] = []
        super().__init__(function, function.name.replace(" ", "_"))

    def get_sparsity_out(self, _: int) -> Any:
        return casadi.Sparsity.dense(self.n, 1)

    def eval(self, given: Sequence[Any]) -> list[Any]:
        return [self.function.value(*self.arrays(given)).ravel()]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, *_: Any) -> Any:
        made = _Jacobian(self.function, name)
        self.derivatives.append(made)  # CasADi does not keep it alive
        return made


class _Jacobian(_Shaped):
    """(arguments, result) → the blocks of the Jacobian, one for each argument."""

    def get_n_in(self) -> int:
        return len(self.sizes) + 1

    def get_n_out(self) -> int:
        return len(self.sizes)

    def get_name_in(self, i: int) -> str:
        return "result" if i == len(self.sizes) else self.function.arguments[i]

    def get_sparsity_in(self, i: int) -> Any:
        return casadi.Sparsity.dense(([*self.sizes, self.n])[i], 1)

    def get_sparsity_out(self, i: int) -> Any:
        return casadi.Sparsity.dense(self.n, self.sizes[i])

    def eval(self, given: Sequence[Any]) -> list[Any]:
        """All columns in one batch, or all rows where these are the fewer."""
        at, total = self.arrays(given[:-1]), sum(self.sizes)
        f = self.function
        if self.n < total:
            rows = np.eye(self.n).reshape(self.n, *f.shape)
            blocks = f.weigh(*at, rows)
            return [g.reshape(self.n, size) for g, size in zip(blocks, self.sizes)]
        every = np.split(np.eye(total), np.cumsum(self.sizes)[:-1], axis=1)
        moved = [x.reshape(total, *shape) for x, shape in zip(every, f.shapes)]
        columns = f.change(*at, *moved).reshape(total, self.n).T
        return np.split(columns, np.cumsum(self.sizes)[:-1], axis=1)
