"""How (q̇, u̇) of a tree changes along directions (δq, δu, δp), in machine code: W directions at a time, one in each lane.

`vary(t, q, u, x, P, dy, work, X, dX, along, scratch)` comes after the state's own rates are in `dy`, with their working memory still in
`work`. X and dX hold groups of W directions, each n_q + n_u elements of W lanes; `along` has their δp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.derivatives.tangent import emit_tangents
from dalembert.kernels.runtime.straight import known_symbols
from dalembert.kernels.tree import articulated, rates
from dalembert.kernels.tree.sweep_kernel import Outlined
from dalembert.mechanism import Mechanism
from dalembert.recursive import algorithms as recursive
from dalembert.trace import directional, free_symbols, symbol, symbols, tracing
from dalembert.trace.native import Array, Block, Module, Output, Signature, UniformPointer

ARGUMENTS = ("t", "q", "u", "x", "P", "dy", "work", "X", "dX", "along", "scratch")
_UNIFORM = ("t", "q", "u", "P", "rates", "lam")
_LANES = ("dq", "du", "dP", "to", "over", "under")


class Varied(Protocol):
    """What a march of sensitivities needs of a mechanism."""

    def emit(self, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
        """`vary`, and the doubles of scratch memory it needs."""

    def emit_projection(self, module: Module, lanes: int, groups: int) -> Signature | None:
        """`project_varied`, which takes what `vary` takes: X back onto what a consistent motion obeys, the state itself being there
        already; None where nothing must be obeyed."""


def direction(m: Mechanism) -> dict[Any, tuple[str, int]]:
    """Symbols of a direction, and where they are found."""
    places = {s: at for s, at in known_symbols(m).items() if at[0] != "t"}
    return {symbol(f"#d {s.name}"): (f"d{array}", i) for s, (array, i) in places.items()}


def along_direction(m: Mechanism, values: Sequence[Any]) -> Sequence[Any]:
    """The rates of expressions of the state along a direction."""
    moving = [s for s, at in known_symbols(m).items() if at[0] != "t"]
    found: Sequence[Any] = directional(list(values), {s: symbol(f"#d {s.name}") for s in moving})
    return found


def varied_block(
    name: str, m: Mechanism, outputs: list[Output], more: dict[Any, tuple[str, int]] | None = None
) -> Block:
    """Straight-line code of one state and W directions."""
    known = known_symbols(m) | direction(m) | (more or {})
    inputs = {s: known[s] for s in free_symbols([o.value for o in outputs])}
    arrays = [*(Array(a, uniform=True) for a in _UNIFORM), *(Array(a) for a in _LANES)]
    return Block(name, arrays, inputs, outputs)


def each_direction(module: Module, name: str, lanes: int, groups: int, m: Mechanism, body: Any) -> Signature:
    """The function `name`, in which `body(f, X, dX, dP)` is written once for every group of directions."""
    n, n_p = m.n_q + m.n_u, len(m.parameters)
    parameters: dict[str, Any] = dict.fromkeys(ARGUMENTS, UniformPointer)
    with module.function(name, lanes=lanes, **parameters) as f, f.loop(groups) as g:
        body(f, (f.X + g * (n * lanes)).lanes, (f.dX + g * (n * lanes)).lanes, (f.along + g * (n_p * lanes)).lanes)
    return f.signature


def emit_normalised(module: Module, m: Mechanism, lanes: int) -> Signature | None:
    """δq of Euler parameters that are brought back to unit length; None where there are none."""
    with tracing():
        q = symbols("q_", m.coordinates)
        made = m.admissible(q)
        places = [i for i, x in enumerate(made) if x is not q[i]]
        changed = along_direction(m, [made[i] for i in places])
        outputs = [Output(x, "dq", i) for i, x in zip(places, changed)]
        return module.block(varied_block("normalised", m, outputs), lanes) if outputs else None


class _Tree:
    """Without constraints only Euler parameters obey something among themselves."""

    def __init__(self, m: Mechanism):
        self.m = m

    def emit_projection(self, module: Module, lanes: int, groups: int) -> Signature | None:
        m = self.m
        code = emit_normalised(module, m, lanes)
        if code is None:
            return None

        def body(f: Any, X: Any, dX: Any, dP: Any) -> None:
            f.call(code, f.t, f.q, f.u, f.P, f.dy, f.dy, X, X + m.n_q, dP, dX, dX, dX)

        return each_direction(module, "project_varied", lanes, groups, m, body)


class StraightTree(_Tree):
    """A small mechanism: the formula of forward dynamics, differentiated."""

    def emit(self, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
        m = self.m
        with tracing():
            s = m.symbolic_state()
            slopes = [*s.rates, *recursive.articulated(recursive.Tree(s), [0.0] * m.n_u)]
            outputs = [Output(x, "to", i) for i, x in enumerate(along_direction(m, slopes))]
            code = module.block(varied_block("varied", m, outputs), lanes)

        def body(f: Any, X: Any, dX: Any, dP: Any) -> None:
            f.call(code, f.t, f.q, f.u, f.P, f.dy, f.dy, X, X + m.n_q, dP, dX, dX, dX)

        return each_direction(module, "vary", lanes, groups, m, body), 0


class SweptTree(_Tree):
    """A large one: the recursion over the bodies, differentiated step by step."""

    def emit(self, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
        m = self.m
        parts = [Outlined(m, algorithm, lasting=True) for algorithm in (rates.ALGORITHM, articulated.ALGORITHM)]
        runs = [part.emit(module, lanes, f"varied_{part.algorithm.name}") for part in parts]
        tangents = [emit_tangents(part, module, lanes, f"d_{part.algorithm.name}") for part in parts]
        work = max(part.places["end"] for part in parts)
        n_q, n_u, n_p = m.n_q, m.n_u, len(m.parameters)
        sizes = {"t": 1, "q": n_q, "u": n_u, "x": n_u, "P": n_p, "dx": n_u, "y": n_q + n_u, "work": work, "dwork": work}
        parameters: dict[str, Any] = dict.fromkeys(ARGUMENTS, UniformPointer)
        with module.function("vary", lanes=lanes, **parameters) as f:
            at, memory = 0, {}
            for name, size in sizes.items():
                memory[name] = f.scratch.lanes + at
                at += size + 1
            for name in ("t", "q", "u", "x", "P"):
                with f.loop(sizes[name]) as i:
                    memory[name][i] = getattr(f, name)[i]
            with f.loop(n_u) as i:
                memory["dx"][i] = 0.0
            state = [memory[name] for name in ("t", "q", "u", "x", "P")]
            for run, tangent, start in zip(runs, tangents, (0, n_q)):
                f.call(run, *state, memory["y"], memory["work"])
                with f.loop(groups) as g:
                    X, dX = ((p + g * ((n_q + n_u) * lanes)).lanes for p in (f.X, f.dX))
                    dP = (f.along + g * (n_p * lanes)).lanes
                    f.call(
                        tangent, *state, memory["y"], memory["work"],
                        X, X + n_q, memory["dx"], dP, dX + start, memory["dwork"],
                    )  # fmt: skip
        return f.signature, at * lanes


def varied_tree(c: Catalogue) -> Varied:
    """By the size of the mechanism, as its dynamics is."""
    return StraightTree(c.mechanism) if c.straight else SweptTree(c.mechanism)
