"""Gauss's principle of least constraint, minimised directly [B 39]: of all accelerations the joints admit, the true ones
minimise

Z = ½ ‖r̈ − M⁻¹F‖²_M + ½ ‖ω̇ − I⁻¹(G + C g − ω × Iω)‖²_I,

where ω̇ of an elastic body takes its own accelerations q̈ along.

The joints are eliminated first, as in least squares with equality constraints: the bodies' accelerations are written in the
free accelerations u̇ of the joints, in which Z is an unconstrained quadratic. A is its second derivative and f minus its
gradient at u̇ = 0, both taken by the trace from Z itself. The loops remain as equality constraints of the minimum.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.tree.kane import (
    first_order,
    formulation_speeds,
    refusal,
    speeds,
    state,
    takes_variables,
    udot,
)
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.trace import Scalar, gradient, jacobian, substitute, symbols, tracing

__all__ = [
    "constraint",
    "equations",
    "explain",
    "first_order",
    "formulation_speeds",
    "refusal",
    "speeds",
    "state",
    "takes_variables",
    "title",
    "udot",
]

title = "Gauss's least constraint, minimised over the joints' accelerations"


def constraint(s: State, udot: np.ndarray) -> Scalar:
    """Z at these accelerations, without its constant part ½ ‖M⁻¹F‖²_M + …, which no acceleration changes."""
    b = s.view(Bodies)
    rates, total = s.accelerations(udot), 0.0
    for k in b.numbers:
        body, R, q, qd = s.mechanism.bodies[k - 1], s.poses[k].R, s.modal_q(k), s.modal_u(k)
        a, F, G = b.centre_acceleration(k, rates[k], udot), b.forces[k - 1], b.applied_torques[k - 1]
        turn = np.concatenate([R.T @ rates[k].w, s.modal_udot(k, udot)])
        left = np.concatenate([R.T @ G[:3], G[3:]]) - body.central_bias(R.T @ s.velocities[k].w, q, qd)
        total = total + (0.5 * body.mass) * (a @ a) - a @ F
        total = total + 0.5 * (turn @ (body.central_inertia(q) @ turn)) - turn @ left
    return total


def equations(s: State) -> Equations:
    n = s.mechanism.n_u
    with nullcontext() if s.traced else tracing():
        x = symbols("#udot", range(n))
        slope = gradient(constraint(s, x), list(x))
        A = jacobian(slope, list(x)) if n else np.zeros((0, 0))
        f = -np.asarray(substitute(slope, dict.fromkeys(x, 0.0)))
    closed = constraint_rows(s)
    kind = object if s.traced else float
    return Equations(A.astype(kind), f.astype(kind), closed.B, closed.gamma)


def explain(s: State) -> list[Quantity]:
    """Z as a function of the accelerations."""
    x = symbols("udot_", s.mechanism.speeds)
    return [quantity("Z", "the constraint Z, without what no acceleration changes [B 39]", constraint(s, x))]
