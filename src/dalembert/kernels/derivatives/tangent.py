"""Derivatives of a swept kernel along many directions at once, for mechanisms of any size.

The tangent of every block follows from its graph. With the state the same in all lanes and a different direction in each, one pass of
tangent sweeps gives W columns of the Jacobian.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dalembert.kernels.derivatives.tangent_block import STEADY, tangent
from dalembert.kernels.runtime.directions_in_lanes import LaneMemory, UnitDirections
from dalembert.kernels.runtime.straight import NAMES, ONE_STATE
from dalembert.kernels.tree import rates
from dalembert.kernels.tree.algorithm import Algorithm
from dalembert.kernels.tree.sweep_kernel import Parts, SweepKernel
from dalembert.mechanism import Mechanism
from dalembert.trace import tracing
from dalembert.trace.native import Int, Module, Pointer, Signature


def emit_tangents(kernel: SweepKernel, module: Module, lanes: int, name: str = "d_run") -> Signature:
    """`name(NAMES…, d…)`: after `run` on the same arrays, the output's rates along the directions in dq, du, dx, dP."""
    parts = kernel.parts
    with tracing():
        prepare = tangent(parts.prepare) if parts.prepare else None
        moving = Parts(prepare, None, None, [[tangent(b) for b in sweep] for sweep in parts.sweeps])
        forces = parts.forces.compiled_tangent(module, lanes, name) if parts.forces else None
    code = replace(moving.compiled(module, lanes, name), forces=forces)
    parameters: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
    parameters |= {f"d{name}": Pointer for name in NAMES if name not in STEADY}
    tables = kernel.tables(module)
    with module.function(name, lanes=lanes, **parameters) as f:

        def of_body(k: Int) -> dict[str, Any]:
            return tables.arguments(f, k) | tables.arguments(f, k, "d")

        kernel.drive(f, code, f.dy, [getattr(f, name) for name in parameters], of_body)
    return f.signature


def emit_jacobian(
    m: Mechanism, algorithm: Algorithm, module: Module, lanes: int, kinds: str = "quxP"
) -> tuple[Signature, int]:
    """`run(t, q, u, x, P, J, work)` on plain arrays of one state: J[i, j] is the rate of output i along direction j.

    Directions are, in order and by their `kinds`: the displacement each speed makes, each speed, each extra input, each parameter.
    Returns also the doubles of working memory.
    """
    kernel, displacement = SweepKernel(m, algorithm, lasting=True), SweepKernel(m, rates.ALGORITHM)
    run, d_run = kernel.emit(module, lanes, "primal"), emit_tangents(kernel, module, lanes)
    d_rates = displacement.emit(module, lanes, "displacements")
    n_u, n_p, n_y = m.n_u, len(m.parameters), algorithm.n_output(m)
    n_d = 3 * n_u + n_p
    places = {"q": range(n_u), "u": range(n_u, 2 * n_u), "x": range(2 * n_u, 3 * n_u), "P": range(3 * n_u, n_d)}
    width = sum(len(places[kind]) for kind in kinds)
    sizes = {"t": 1, "q": m.n_q, "u": n_u, "x": n_u, "P": n_p, "y": n_y, "work": kernel.places["end"]}
    sizes |= {"seeds": n_d, "dq": m.n_q, "dy": n_y, "dwork": kernel.places["end"], "rates": displacement.places["end"]}
    with module.function("run", lanes=lanes, **ONE_STATE) as f:
        memory, column = LaneMemory(f, f.work, sizes), 0
        memory.fill("t", "q", "u", "x", "P")
        state = memory.arguments(NAMES)
        f.call(run, *state)
        seeds = memory["seeds"]
        t, q, _, x, P, _, _ = state
        directions = [memory["dq"], seeds + n_u, seeds + 2 * n_u, seeds + 3 * n_u, memory["dy"], memory["dwork"]]
        for along in (places[kind] for kind in kinds):
            with UnitDirections(f, seeds, n_d, lanes).along(along) as columns:
                f.call(d_rates, t, q, seeds, x, P, memory["dq"], memory["rates"])
                f.call(d_run, *state, *directions)
                columns.put(f.y, width, n_y, lambda i: memory["dy"][i], column)
            column += len(along)
    return f.signature, memory.end * lanes
