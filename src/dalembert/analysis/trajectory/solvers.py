"""IPOPT through CasADi, and SciPy's SLSQP: both are given values, exact gradients and, where they take it, the Jacobian's sparsity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from dalembert.analysis.trajectory.casadi_callbacks import cost_and_rows
from dalembert.analysis.trajectory.problem import MotionProblem
from dalembert.errors import ArgumentError
from dalembert.optional import optional

LARGEST_DENSE = 1500
"""Unknowns beyond which SciPy's dense method would take minutes for every step."""


class SolverAnswer(NamedTuple):
    x: np.ndarray
    success: bool
    words: str
    iterations: int


def scipy_slsqp(p: MotionProblem, x: np.ndarray, tolerance: float, most: int) -> SolverAnswer:
    if len(x) > LARGEST_DENSE:
        raise ArgumentError(
            f'optimal motion: {len(x)} unknowns are too many for solver="scipy", which keeps dense matrices; take fewer intervals, or '
            'solver="ipopt"'
        )
    low, high = p.row_bounds
    equal = low == high
    rows: list[Any] = [
        {"type": "eq", "fun": lambda x: (p.rows(x) - low)[equal], "jac": lambda x: p.jacobian(x)[equal].toarray()}
    ]
    for sign, bound in ((1.0, low), (-1.0, high)):
        which = ~equal & np.isfinite(bound)
        if which.any():
            rows.append(
                {
                    "type": "ineq",
                    "fun": lambda x, s=sign, b=bound, w=which: s * (p.rows(x) - b)[w],
                    "jac": lambda x, s=sign, w=which: s * p.jacobian(x)[w].toarray(),
                }
            )
    found = minimize(
        p.cost, x, jac=p.gradient, method="SLSQP", constraints=rows, bounds=list(zip(p.low, p.high)),
        options={"ftol": tolerance, "maxiter": most},
    )  # fmt: skip
    return SolverAnswer(np.asarray(found.x), bool(found.success), str(found.message), int(found.nit))


def ipopt(p: MotionProblem, x: np.ndarray, tolerance: float, most: int) -> SolverAnswer:
    casadi: Any = optional("casadi", 'optimal motion by solver="ipopt"')
    functions = cost_and_rows(casadi, p)
    at = casadi.MX.sym("x", len(x))
    options = {
        "print_time": False,
        "ipopt": {
            "print_level": 0, "sb": "yes", "tol": tolerance, "max_iter": most, "hessian_approximation": "limited-memory",
            "limited_memory_max_history": 30, "mu_strategy": "adaptive",
        },
    }  # fmt: skip
    solver = casadi.nlpsol("optimal_motion", "ipopt", {"x": at, "f": functions[0](at), "g": functions[1](at)}, options)
    low, high = p.row_bounds
    found = solver(x0=x, lbx=p.low, ubx=p.high, lbg=low, ubg=high)
    told = solver.stats()
    return SolverAnswer(
        np.array(found["x"]).ravel(), bool(told["success"]), str(told["return_status"]), int(told["iter_count"])
    )


SOLVERS: dict[str, Callable[[MotionProblem, np.ndarray, float, int], SolverAnswer]] = {
    "ipopt": ipopt,
    "scipy": scipy_slsqp,
}
"""Solvers by name."""
