"""Rates and outputs along a direction of state, forces and parameters: the directional derivatives of an FMU, exact.

Rates go by `SlopeProducts`, whose factors are those of the equations at the state; the outputs are formulas of the state, of its
accelerations and multipliers, differentiated as such.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.products.lane_blocks import LaneBlock
from dalembert.kernels.products.slope_products import SlopeProducts
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import RightHandSide
from dalembert.kernels.tree.body_motion import N_MOTION
from dalembert.kinematics.totals import kinetic_energy, potential_energy
from dalembert.motion.joint_wrenches import joint_wrenches
from dalembert.simulation.march.marched_equations import put_states
from dalembert.simulation.march.memory import Layout
from dalembert.trace import tracing
from dalembert.trace.graph import flatten
from dalembert.trace.native import Block, Module, Output, Pointer, Signature
from dalembert.trace.native.module import Prefixed
from dalembert.view.live.shown import Shown

_CHANGES: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "dt", "X", "dx", "dP", "rates", "out", "work"), Pointer)
PREFIX = "changed_"
"""What names of its code begin with."""


def emit_changes(module: Module, slope: Signature, rhs: RightHandSide, inputs: Layout, shown: Shown, work: int) -> int:
    """Add `changes(t, y, inputs, dt, X, dx, dP, rates, out, work)`: of (q̇, u̇, ż) and of everything shown, along δt, δ(q, u, z), δτ and
    δp. `work` is what the slope needs; returns what this needs."""
    m = rhs.m
    own = rhs if isinstance(rhs, RangeSpaceRightHandSide) else RangeSpaceRightHandSide(m)
    apart = Prefixed(module, PREFIX)
    code = None
    if own is not rhs:
        code, size = own.emit(apart, 1, name="accelerations")
        work = max(work, size)
    products = SlopeProducts(own, apart, 1)
    tangent, block = products.tangent, _changed_outputs(own, shown)
    outputs = None if block is None else module.block(block)
    n, n_y = m.n_u, m.n_q + m.n_u + m.n_z
    with module.function("changes", **_CHANGES) as f:
        p = inputs.of(f.inputs)
        put_states(f, m, f.y + (m.n_q + n), p.P)
        dy, scratch = f.work + work, f.work + (work + n_y)
        state = (f.t, f.y, f.y + m.n_q)
        if code is None:
            f.call(slope, f.t, f.y, dy, f.inputs, f.work)
        else:
            f.call(code, *state, p.x, p.P, dy, f.work)
        f.call(tangent, *state, p.P, dy, f.work, f.dt, f.X, f.dx, f.dP, f.rates, scratch)
        if outputs is not None:
            lam, changed = f.work + own.places["r"], scratch + own.n_rows
            rates = (dy + m.n_q, lam, f.rates + m.n_q, changed)
            f.call(outputs, *state, p.P, *rates, f.out, f.dt, f.X, f.X + m.n_q, f.dP)
    return int(work + n_y + products.scratch)


def _changed_outputs(rhs: RangeSpaceRightHandSide, shown: Shown) -> Block | None:
    """Changes of everything shown, at its places; None where nothing is."""
    m = rhs.m
    sizes = {"udot": m.n_u, "lam": rhs.n_rows, "dudot": m.n_u, "dlam": rhs.n_rows, "out": shown.layout.size}
    with tracing():
        s, made = m.symbolic_state(), LaneBlock(m, sizes)
        udot, lam = made.vector("udot"), made.vector("lam")
        values = _shown_values(rhs, shown, s, udot, lam)
        along = {x: dx for x, dx in zip([*udot, *lam], [*made.vector("dudot"), *made.vector("dlam")])}
        found = made.along(list(values.values()), along)
        outputs = [Output(x, "out", at) for at, x in zip(values, found)]
        return made.block("outputs_changed", outputs) if outputs else None


def _shown_values(rhs: RangeSpaceRightHandSide, shown: Shown, s: Any, udot: Any, lam: Any) -> dict[int, Any]:
    """Formulas of what is shown, by their places."""
    m, at = rhs.m, shown.layout.parts
    found: dict[int, Any] = {}
    for k in range(m.n_bodies):
        pose = s.poses[k + 1]
        first = at["pose"].start + N_MOTION * k
        found |= dict(enumerate([*np.asarray(pose.R).ravel(), *pose.p], start=first))
    found |= dict(enumerate([kinetic_energy(s), potential_energy(s)], start=at["energy"].start))
    for name in shown.traced:
        found |= dict(enumerate(flatten(shown.formulas[name](s)), start=at[name].start))
    if shown.reactions:
        every = np.zeros(len(m.rows), dtype=object)
        every[list(rhs.pattern.rows)] = lam
        wrenches = flatten(joint_wrenches(s, shown.reactions, udot, every))
        found |= dict(enumerate(wrenches, start=at["reactions"].start))
    return found
