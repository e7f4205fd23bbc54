"""How (q̇, u̇) changes along directions (δq, δu, δp), in machine code: W directions at a time, one in each lane.

What every right-hand side needs to write its own.
`sensitivity(t, q, u, x, P, dy, work, X, dX, along, scratch)` comes after the state's rates are in `dy`, with their working memory still
in `work`. X and dX hold groups of W directions, each n_q + n_u + n_z elements of W lanes; `along` has their δp, with δz among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.kernels.runtime.straight import known_symbols
from dalembert.mechanism import Mechanism
from dalembert.trace import directional, free_symbols, symbol, symbols, tracing
from dalembert.trace.native import Array, Block, FunctionBuilder, Module, Output, Signature, UniformPointer

ARGUMENTS = ("t", "q", "u", "x", "P", "dy", "work", "X", "dX", "along", "scratch")
DIRECTIONS: dict[str, Any] = dict.fromkeys(ARGUMENTS, UniformPointer)
"""Arguments of `sensitivity` and of the projection that goes with it, and their kinds."""
_UNIFORM = ("t", "q", "u", "P", "rates", "lam")
_LANES = ("dq", "du", "dP", "to", "over", "under")


def direction(m: Mechanism) -> dict[Any, tuple[str, int]]:
    """Symbols of a direction, and where they are found."""
    known = known_symbols(m)
    return {symbol(f"#d {s.name}"): (f"d{known[s][0]}", known[s][1]) for s in _moving(m)}


def along_direction(m: Mechanism, values: Sequence[Any]) -> Sequence[Any]:
    """The rates of expressions of the state along a direction."""
    found: Sequence[Any] = directional(list(values), {s: symbol(f"#d {s.name}") for s in _moving(m)})
    return found


def _moving(m: Mechanism) -> list[Any]:
    """Symbols of the state that change along a direction."""
    return [s for s, at in known_symbols(m).items() if at[0] != "t"]


def sensitivity_block(
    name: str, m: Mechanism, outputs: list[Output], more: dict[Any, tuple[str, int]] | None = None
) -> Block:
    """Straight-line code of one state and W directions."""
    known = known_symbols(m) | direction(m) | (more or {})
    inputs = {s: known[s] for s in free_symbols([o.value for o in outputs])}
    arrays = [*(Array(a, uniform=True) for a in _UNIFORM), *(Array(a) for a in _LANES)]
    return Block(name, arrays, inputs, outputs)


def each_direction(module: Module, name: str, lanes: int, groups: int, m: Mechanism, body: Any) -> Signature:
    """The function `name`, in which `body(f, X, dX, dP)` is written once for every group of directions."""
    n, n_p = m.n_q + m.n_u + m.n_z, len(m.parameters)
    with module.function(name, lanes=lanes, **DIRECTIONS) as f, f.loop(groups) as g:
        body(f, (f.X + g * (n * lanes)).lanes, (f.dX + g * (n * lanes)).lanes, (f.along + g * (n_p * lanes)).lanes)
    return f.signature


def emit_state_sensitivity(module: Module, m: Mechanism, lanes: int, groups: int) -> Signature:
    """`state_sensitivity`: δż of the elements along directions."""
    with tracing():
        changes = along_direction(m, m.state_rates(m.symbolic_state()))
        outputs = [Output(x, "to", i) for i, x in enumerate(changes)]
        code = module.block(sensitivity_block("state_sensitivity_equations", m, outputs), lanes)
    z_at = m.n_q + m.n_u

    def body(f: FunctionBuilder, X: Any, dX: Any, dP: Any) -> None:
        f.call(code, f.t, f.q, f.u, f.P, f.dy, f.dy, X, X + m.n_q, dP, dX + z_at, dX, dX)

    return each_direction(module, "state_sensitivity", lanes, groups, m, body)


def emit_update_sensitivity(module: Module, m: Mechanism, element: str, lanes: int, groups: int) -> Signature:
    """`update_sensitivity_…`: δz of a sampled element along directions, written over those before; u̇ and δu̇ stand in `dy` and `dX`."""
    number = list(m.elements).index(element)
    with tracing():
        s = m.sampled_state()
        values = m.elements[element].update(s)
        rates = {x: symbol(f"#d {x.name}") for x in s.udot}
        changes = directional(values, {x: symbol(f"#d {x.name}") for x in _moving(m)} | rates)
        outputs = [Output(x, "to", i) for i, x in enumerate(changes)]
        known = {x: ("rates", m.n_q + i) for i, x in enumerate(s.udot)}
        known |= {x: ("over", i) for i, x in enumerate(rates.values())}
        code = module.block(sensitivity_block(f"update_sensitivity_equations_{number}", m, outputs, known), lanes)
    own = m.n_q + m.n_u + m.states.index(m.elements[element].state_names[0])

    def body(f: Any, X: Any, dX: Any, dP: Any) -> None:
        f.call(code, f.t, f.q, f.u, f.P, f.dy, f.dy, X, X + m.n_q, dP, X + own, dX + m.n_q, dX)

    return each_direction(module, f"update_sensitivity_{number}", lanes, groups, m, body)


def emit_put_states(module: Module, m: Mechanism, lanes: int, groups: int) -> Signature:
    """`put_directions`: δz of every direction where δp is read."""

    def body(f: FunctionBuilder, X: Any, dX: Any, dP: Any) -> None:
        for i in range(m.n_z):
            dP[m.states_at + i] = X[m.n_q + m.n_u + i]

    return each_direction(module, "put_directions", lanes, groups, m, body)


def emit_normalised(module: Module, m: Mechanism, lanes: int) -> Signature | None:
    """δq of Euler parameters that are brought back to unit length; None where there are none."""
    with tracing():
        q = symbols("q_", m.coordinates)
        made = m.admissible(q)
        places = [i for i, x in enumerate(made) if x is not q[i]]
        changed = along_direction(m, [made[i] for i in places])
        outputs = [Output(x, "dq", i) for i, x in zip(places, changed)]
        return module.block(sensitivity_block("normalised", m, outputs), lanes) if outputs else None
