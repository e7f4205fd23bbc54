"""Forward and inverse dynamics and outputs as functions of (q, u, τ or u̇, t, P), P being all parameters in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import FormulationError
from dalembert.frameworks.array_function import ArrayFunction, Arrays
from dalembert.kernels.compiled_solution import rows_at
from dalembert.kernels.products.acceleration_products import AccelerationProducts
from dalembert.kernels.products.lane_blocks import check_differentiable
from dalembert.kernels.products.value_products import ValueProducts, Weights
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown
from dalembert.parts.outputs import as_output
from dalembert.recursive.algorithms import Tree, newton_euler


@dataclass(frozen=True, eq=False)
class ForwardDynamics(ArrayFunction):
    """u̇(q, u, τ, t, P)."""

    m: Mechanism

    def value(self, *arguments: np.ndarray) -> np.ndarray:
        """u̇ of arguments as they are: what is the same in all states is given once."""
        q, u, tau, t, P = arguments
        return self.m.forward_dynamics(q, u, tau, t if np.ndim(t) else float(t), _named(self.m, P))

    def changes(self, arguments: Arrays, changes: Arrays) -> np.ndarray:
        q, u, tau, t, P = (np.ascontiguousarray(x) for x in arguments)
        dq, du, dtau, dt, dP = (np.ascontiguousarray(x) for x in changes)
        return self._products(q, t, P).change(q, u, tau, t, P, Weights(dt, dq, du, dP, dtau))

    def weights(self, arguments: Arrays, w: np.ndarray) -> Sequence[np.ndarray]:
        q, u, tau, t, P = (np.ascontiguousarray(x) for x in arguments)
        g = self._products(q, t, P).weigh(q, u, tau, t, P, np.ascontiguousarray(w))
        return g.q, g.u, g.x, g.t, g.P

    def _products(self, q: np.ndarray, t: np.ndarray, P: np.ndarray) -> AccelerationProducts:
        m = self.m
        rows = rows_at(m.kernels, q, t, _named(m, P))
        made: AccelerationProducts = m.kernels.once(
            ("acceleration products", rows), lambda: AccelerationProducts(m, rows)
        )
        return made


@dataclass(frozen=True, eq=False)
class OfState(ArrayFunction):
    """A formula of the state, and where `n_x` says so of further numbers; the argument x then comes third."""

    products: ValueProducts

    def values(self, *arguments: np.ndarray) -> np.ndarray:
        q, u, x, t, P = self._ordered(arguments)
        return self.products.values(q, u, t, P, x).reshape(len(q), *self.shape)

    def changes(self, arguments: Arrays, changes: Arrays) -> np.ndarray:
        q, u, x, t, P = self._ordered(arguments)
        dq, du, dx, dt, dP = self._ordered(changes)
        d = Weights(dt, dq, du, dP, np.zeros((len(q), 0)) if dx is None else dx)
        return self.products.change(q, u, t, P, d, x).reshape(len(q), *self.shape)

    def weights(self, arguments: Arrays, w: np.ndarray) -> Sequence[np.ndarray]:
        q, u, x, t, P = self._ordered(arguments)
        g = self.products.weigh(q, u, t, P, w.reshape(len(q), -1), x)
        return (g.q, g.u, g.t, g.P) if x is None else (g.q, g.u, g.x, g.t, g.P)

    def _ordered(self, given: Arrays) -> Any:
        found = [np.ascontiguousarray(a) for a in given]
        return found if self.products.n_x else [*found[:2], None, *found[2:]]


def forward_dynamics(m: Mechanism) -> ArrayFunction:
    """ArrayFunction for accelerations, loops included."""
    check_differentiable(m, "forward_dynamics")
    return ForwardDynamics("forward_dynamics", ("q", "u", "tau", "t", "parameters"), _shapes(m, m.n_u), (m.n_u,), m)


def inverse_dynamics(m: Mechanism) -> ArrayFunction:
    """ArrayFunction for generalized forces of a tree."""
    check_differentiable(m, "inverse_dynamics")
    if m.constraint_rows:
        raise FormulationError(
            f'mechanism "{m.name}" has loops or constraints, whose rows carry a part of the load that inverse dynamics cannot know: '
            "m.drives(q, u, udot) is inverse dynamics with them"
        )
    products = ValueProducts(m, lambda s, udot: newton_euler(Tree(s), udot), m.n_u)
    return OfState("inverse_dynamics", ("q", "u", "udot", "t", "parameters"), _shapes(m, m.n_u), (m.n_u,), products)


def output(m: Mechanism, name: str, of: Any = None) -> ArrayFunction:
    """ArrayFunction for an output of the model by name, or for a function of the state."""
    check_differentiable(m, "outputs")
    if of is None and name not in m.plan.outputs:
        raise unknown(name, "output", m.plan.outputs, f'mechanism "{m.name}"')
    quantity = as_output(m.plan.outputs[name] if of is None else of, name)
    found = quantity.value(m.numeric.state(m.reference, np.zeros(m.n_u)))
    products = ValueProducts(m, lambda s: [quantity.value(s)])
    return OfState(f"output {name}", ("q", "u", "t", "parameters"), _shapes(m), np.shape(np.asarray(found)), products)


def _shapes(m: Mechanism, *more: int) -> tuple[tuple[int, ...], ...]:
    return (m.n_q,), (m.n_u,), *((n,) for n in more), (), (len(m.parameters),)


def _named(m: Mechanism, P: np.ndarray) -> dict[str, Any] | None:
    """Values by name: one for all states where all have the same; None for the mechanism's own, which are known to be right."""
    if P.ndim > 1 and P.strides[0] != 0 and len(P) > 1:
        return {name: np.ascontiguousarray(P[:, i]) for i, name in enumerate(m.parameters)}
    values = (P[0] if P.ndim > 1 else P).tolist()
    return None if values == [*m.parameters.values()] else dict(zip(m.parameters, values))
