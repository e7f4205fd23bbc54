"""Output at several times at once, a time in each SIMD lane: worth it where every output must be projected onto constraints."""

from __future__ import annotations

from typing import Any

from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.trace.native import Pointer, Signature, UniformPointer


def wide_scratch(e: MarchedEquations) -> int:
    """Working memory in doubles, behind that of the equations."""
    return e.wide_lanes * (e.n + e.input_layout.size + 1 + e.work)


def emit_wide(e: MarchedEquations, polynomial: Any) -> Signature:
    """`dense_wide(memory, inputs, work, times, out)`: rows of `out` at as many times as there are lanes, all within the last step.

    `polynomial(p, i, x)` is component i of the dense output at the part x of the step.
    """
    assert e.project_wide is not None
    everything: dict[str, Any] = dict.fromkeys(("memory", "inputs", "work", "times", "out"), UniformPointer)
    with e.module.function("dense_wide", lanes=e.wide_lanes, public=False, **everything) as f:
        p = e.layout.of(f.memory)
        size = e.input_layout.size
        y = (f.work + e.work).lanes
        inputs, time = y + e.n, y + e.n + size
        time[0] = f.times.rows(1)[0]
        x = (time[0] - p.t_old[0]) / (p.t[0] - p.t_old[0])
        with f.loop(e.n) as i:
            y[i] = polynomial(p, i, x)
        with f.loop(size) as i:
            inputs[i] = f.inputs[i]
        f.call(e.project_wide, time, y, inputs, time + 1)
        write_rows(f, e.n, y, f.out.rows(e.n))
    return f.signature


def write_rows(f: Any, n: int, y: Pointer, rows: Any) -> None:
    """A state per lane into a row per state, in squares of lanes × lanes as far as they go."""
    lanes = f.signature.lanes
    if lanes == 1:
        for i in f.each(n):
            rows.pointer[i] = y[i]
        return
    whole = n - n % lanes
    with f.loop(0, whole, lanes) as i:
        rows.write_square(i, [y[i + k] for k in range(lanes)])
    for i in range(whole, n):
        rows[i] = y[i]
