"""Impulses of loops and latches in a time step, and latches that they break."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.kernels.masked.law_blocks import UNBREAKABLE
from dalembert.kinematics.law_mode import ElementState
from dalembert.trace.native import FunctionBuilder, select, sqrt

if TYPE_CHECKING:
    from dalembert.kernels.masked.cone_sweeps import ConeSweeps


def emit_latches(sweeps: ConeSweeps, f: FunctionBuilder, part: dict[str, Any]) -> None:
    """Latches that bear more than their strength let go at the end of the step."""
    _bear(sweeps, f, part)
    first, squared = sweeps.rhs.first, f.variables(force=0.0)
    with f.loop(sweeps.elements) as e, f.if_(sweeps.hold_count[e] > 0):
        squared.force = 0.0
        with f.loop(sweeps.hold_count[e]) as k:
            impulse = part["r"][sweeps.hold_at[e] + k + first]
            squared.force = squared.force + impulse * impulse
        breaks = (sqrt(squared.force) > f.h * part["strength"][e]) & (part["strength"][e] < UNBREAKABLE)
        part["state"][e] = select(breaks, float(ElementState.OFF), part["state"][e])
        with f.loop(sweeps.hold_count[e]) as k:
            for name in ("active", "enforced"):
                at = sweeps.first_hold[e] + k
                part[name][at] = select(breaks, 0.0, part[name][at])


def _bear(sweeps: ConeSweeps, f: FunctionBuilder, part: dict[str, Any]) -> None:
    """Impulses of loops and latches under all others, into r; those of latches among the others, too."""
    n, w = sweeps.n, part["moved"]
    with f.loop(n) as i:
        w[i] = f.h * part["f"][i]
    with f.loop(sweeps.elements) as e, f.if_((part["touches"][e] != 0.0).any()):
        with f.if_(sweeps.normal_of[e] >= 0):
            sweeps.add(f, w, part, sweeps.normal_of[e], f.impulse[sweeps.normal_of[e]])
        with f.loop(sweeps.tangents_of[e], sweeps.tangents_of[e + 1]) as t:
            r = sweeps.tangent[t]
            sweeps.add(f, w, part, r, f.impulse[r] + f.viscous[r])
    sweeps.solver.tree.solve(f, part["A"], w, 1)
    with f.loop(n) as i:
        w[i] = f.before[i] + w[i]
    with f.loop(sweeps.rhs.n_rows) as k:
        part["r"][k] = sweeps.solver.row_times(f, part["B"], k, w) - sweeps.asked(f, part, k)
    sweeps.solver.solve(f, part["S"], part["r"])
    for latch, row in enumerate(sweeps.rhs.holds):
        f.impulse[row] = -part["r"][sweeps.rhs.first + latch]
