"""Derivatives of forward and inverse dynamics as formulas: closed form where it applies, traced derivatives for the rest.

Columns are, in order: along each speed's direction of q, each speed, each extra input (τ or u̇), each named parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kinematics.loads import generalized, loads
from dalembert.kinematics.state import State
from dalembert.recursive import algorithms as recursive
from dalembert.recursive.derivatives import inverse_dynamics_derivatives, motion_columns_are_constant
from dalembert.recursive.sparse import factored, inboard_speeds
from dalembert.trace import jacobian, substitute, symbol, symbols


def of_inverse_dynamics(s: State, udot: Any) -> np.ndarray:
    """n_u × (3 n_u + n_p): ∂τ/∂(q, u, u̇, parameters)."""
    tree = recursive.Tree(s)
    parameters = [symbol(name) for name in s.mechanism.parameters]
    if motion_columns_are_constant(tree):
        d = inverse_dynamics_derivatives(tree, udot)
        dq, du, A = d.q, d.u, d.A
        if s.mechanism.forces:
            applied = generalized(s, loads(s, gravity=False))
            dq, du = dq - _along_speeds(s, applied), du - jacobian(applied, list(s.speeds))
    else:
        tau = recursive.newton_euler(tree, udot)
        dq, du, A = _along_speeds(s, tau), jacobian(tau, list(s.speeds)), recursive.composite(tree)
    dp = jacobian(recursive.newton_euler(tree, udot), parameters) if parameters else np.zeros((len(udot), 0))
    return np.hstack([dq, du, A, dp])


def of_forward_dynamics(s: State, tau: Any) -> np.ndarray:
    """n_u × (3 n_u + n_p): ∂u̇/∂(q, u, τ, parameters) = −A⁻¹ ∂τ/∂(…), at the accelerations τ gives."""
    m = s.mechanism
    n = m.n_u
    at = symbols("udot_", m.speeds)
    d = of_inverse_dynamics(s, at)
    solver = factored(d[:, 2 * n : 3 * n], inboard_speeds(m))
    bias = recursive.newton_euler(recursive.Tree(s), np.zeros(n))
    udot = solver.solve((tau - bias)[:, None])[:, 0]
    d = substitute(np.hstack([d[:, : 2 * n], d[:, 3 * n :]]), dict(zip(at, udot)))
    solved = solver.solve(np.hstack([-d, np.eye(n)]))
    n_p = len(m.parameters)
    return np.hstack([solved[:, : 2 * n], solved[:, 2 * n + n_p :], solved[:, 2 * n : 2 * n + n_p]])


def _along_speeds(s: State, values: Any) -> np.ndarray:
    """∂/∂q N(q): along the displacement that each speed makes."""
    return jacobian(values, list(s.coordinates)) @ jacobian(s.rates, list(s.speeds))
