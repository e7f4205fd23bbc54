"""A hand that pulls at a point of a body: a spring with damping from the point to where the hand is.

It is part of the equations, so that however stiff it is, the integrator's own error control follows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.runtime.straight import NAMES, block, extra_input, known_symbols
from dalembert.mechanism import Mechanism
from dalembert.simulation.march.memory import Layout
from dalembert.trace import jacobian, tracing
from dalembert.trace.native import Module, Output, Pointer, Signature
from dalembert.vectors import cross

HAND = {"body": 1, "at": 3, "to": 3, "stiffness": 1, "damping": 1}
"""Inputs of the hand: the number of the body, 0 for none; the point in its axes; the hand's place in the world; N/m and N s/m."""
SIZE = sum(HAND.values())
MOST_BODIES = 60
"""Bodies up to which each has code of its own for being pulled at."""


def emit_hand(module: Module, m: Mechanism, inputs: Layout) -> Signature:
    """`hand(t, y, inputs, x)`: the hand's generalized forces, added to x."""
    pulled = [_emit_pull(module, m, k) for k in range(1, m.n_bodies + 1)]
    parameters: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "x"), Pointer)
    with module.function("hand", public=False, **parameters) as f:
        p, nothing = inputs.of(f.inputs), f.array(1)
        with f.if_((p.hand[0] > 0.0).all()):
            for k, pull in enumerate(pulled, start=1):
                with f.if_((p.hand[0] == float(k)).all()):
                    f.call(pull, f.t, f.y, f.y + m.n_q, p.hand + 1, p.P, f.x, nothing)
    return f.signature


def _emit_pull(module: Module, m: Mechanism, k: int) -> Signature:
    """`pull_k(t, q, u, x, P, y, work)`: y += Vᵀ F with F the hand's force on body k and V the partial velocities of the point."""
    with tracing():
        s, given = m.symbolic_state(), extra_input(range(SIZE - 1))
        at, to, stiffness, damping = given[:3], given[3:6], given[6], given[7]
        arm = s.poses[k].R @ at
        velocity = s.velocities[k].v + cross(s.velocities[k].w, arm)
        force = stiffness * (to - s.poses[k].p - arm) - damping * velocity
        pulled = np.asarray(jacobian(velocity, list(s.speeds))).T @ force
        known = known_symbols(m) | {x: ("x", i) for i, x in enumerate(given)}
        outputs = [Output(x, "y", i, add=True) for i, x in enumerate(pulled)]
        return module.block(block(f"pull_{k}", known, outputs))


assert NAMES[3] == "x" and NAMES[5] == "y"
