"""The equations of motion in coordinates and their momenta, from one traced function [Livens].

With G(q, u, p) = p·N(q)u − T(q, u), where T is the kinetic energy, motion obeys q̇ = ∂G/∂p, ṗ = −∂G/∂q + F, 0 = ∂G/∂u: Hamilton's
equations without having to solve for u first. Coordinates that are subject to a condition (Euler parameters) enter T and the forces
through the nearest admissible ones, so that q and p are canonical without it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.tree.coordinate_rates import speeds_per_rate
from dalembert.kernels.runtime.straight import block, known_symbols
from dalembert.kinematics import totals
from dalembert.kinematics.loads import generalized, loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive import algorithms as recursive
from dalembert.simulation.march.marched_equations import (
    MarchedEquations,
    controller_forces,
    layout_of_inputs,
    put_states,
)
from dalembert.trace import directional, gradient, symbol, symbols, tracing
from dalembert.trace.native import Output, Pointer, Signature


def emit_livens(e: MarchedEquations) -> Signature:
    """`livens(t, y, p, inputs, out)`: out = q̇ (n_q), N(q)ᵀp − ∂T/∂u (n_u), ṗ (n_q)."""
    m = e.mechanism
    with tracing():
        s, p = m.symbolic_state(), symbols("#p.", m.coordinates)
        near = State(m, s.t, m.admissible(s.coordinates), s.speeds)
        rates = s.rates
        G = p @ rates - totals.kinetic_energy(near)
        Q = generalized(near, loads(near)) + np.array(controller_forces(m), dtype=object)
        pdot = on_coordinates(m, s.coordinates, Q) - gradient(G, list(s.coordinates))
        values = [*rates, *gradient(G, list(s.speeds)), *pdot]
        return _emit(e, "livens", values, list(p))


def emit_momenta(e: MarchedEquations) -> Signature:
    """`momenta(t, y, p, inputs, out)`: out = the momenta p (n_q) of the state."""
    m = e.mechanism
    with tracing():
        s = m.symbolic_state()
        pi = gradient(totals.kinetic_energy(s), list(s.speeds))
        return _emit(e, "momenta", list(on_coordinates(m, s.coordinates, pi)), [])


def emit_mass_matrix(e: MarchedEquations) -> Signature:
    """`mass_matrix(t, y, p, inputs, out)`: A(q)."""
    with tracing():
        A = recursive.composite(recursive.Tree(e.mechanism.symbolic_state()))
        return _emit(e, "mass_matrix", list(A.ravel()), [])


def on_coordinates(m: Mechanism, q: Any, Q: Any) -> np.ndarray:
    """F with F·δq = Q·δs, where δs is the displacement along the speeds that δq makes."""
    shift = symbols("#dq.", m.coordinates)
    power: Any = 0.0
    if m.variables is not None:
        near = m.admissible(q)
        moved = np.asarray(directional(near, dict(zip(q, shift))))
        per_rate = speeds_per_rate(State(m, symbol("t"), near, np.zeros(m.n_u)))
        return gradient(Q @ (per_rate @ moved), list(shift))
    for j in m.joints:
        at = [i for i in j.q_at if i is not None]
        if at and len(at) == j.joint.n_q:
            near = j.joint.admissible(q[at])
            moved = directional(near, dict(zip(q[at], shift[at])))
            power = power + np.dot(Q[j.columns], j.joint.speeds_from_rates(near, moved)[j.free])
        else:
            power = power + np.dot(Q[j.columns], shift[at])
    return gradient(power, list(shift))


def _emit(e: MarchedEquations, name: str, values: list[Any], p: list[Any]) -> Signature:
    m = e.mechanism
    known = known_symbols(m) | {s: ("x", i) for i, s in enumerate(controller_forces(m))}
    known |= {s: ("work", i) for i, s in enumerate(p)}
    code = e.module.block(block(f"{name}_values", known, [Output(x, "y", i) for i, x in enumerate(values)]), e.lanes)
    parameters: dict[str, Any] = dict.fromkeys(("t", "y", "p", "inputs", "out"), Pointer)
    with e.module.function(name, lanes=e.lanes, public=False, **parameters) as f:
        g = layout_of_inputs(m).of(f.inputs)
        put_states(f, m, f.y + (m.n_q + m.n_u), g.P)
        f.call(code, f.t, f.y, f.y + m.n_q, g.x, g.P, f.out, f.p)
    return f.signature
