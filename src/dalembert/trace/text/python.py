"""Expressions as Python text: a short one for `repr`, and whole functions on floats that can be compiled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.ops import Op
from dalembert.trace.text.notation import MATHEMATICS, OPERATORS, Level, Notation, Piece, call, combine, signed
from dalembert.trace.text.routine import Inputs, Outputs, Place, Routine, routine, tables_among


def number(x: float) -> Piece:
    """The shortest text that gives the same float again."""
    return signed(repr(x)) if abs(x) < float("inf") else Piece(f"float('{x}')")


def module(wanted: Routine, head: Iterable[str], body: Iterable[str], decorator: str = "") -> str:
    """A module with this one function."""
    arguments = ", ".join(wanted.inputs)
    results = ", ".join(wanted.outputs)
    lines = ['"""Written by dalembert."""', "", *head, "", ""]
    lines += [decorator] if decorator else []
    lines += [f"def {wanted.name}({arguments}):", *(f"    {line}" for line in body), f"    return {results}", ""]
    return "\n".join(lines)


def assigned(wanted: Routine, notation: Notation) -> Iterable[str]:
    """The lines of the named intermediates."""
    return (f"{name} = {text}" for name, _, text in wanted.assignments(notation))


def read(p: Place, value: str) -> str:
    """The line that gives a symbol its value, with its name where the identifier differs."""
    return f"{p.identifier} = {value}" + (f"  # {p.remark}" if p.remark else "")


def compiled(name: str, source: str) -> Callable[..., Any]:
    """The function of this name in the source."""
    scope: dict[str, Any] = {}
    exec(compile(source, f"<{name}, written by dalembert>", "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


SHORT = 120
"""Longest text of an expression in `repr`; beyond it, parts are elided."""

_FUNCTIONS = {op: call(op.name) for op in {*MATHEMATICS, ops.ABS, ops.SIGN}} | {
    ops.MIN: call("minimum"),
    ops.MAX: call("maximum"),
}
_WRITTEN = {
    ops.SIGN: ["def sign(x):", "    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else x + 0.0"],
    ops.FLOOR: ["def floor(x):", "    return float(np.floor(x))"],
    ops.MIN: ["def minimum(a, b):", "    return a if a != a or a < b else b"],
    ops.MAX: ["def maximum(a, b):", "    return a if a != a or a > b else b"],
}
"""Functions that `math` lacks. Unlike that of `min`, a minimum with a NaN is NaN; the floor of −0 is −0."""

ON_FLOATS = Notation(
    number,
    {
        **OPERATORS,
        **_FUNCTIONS,
        ops.AND: combine("and", Level.AND),
        ops.OR: combine("or", Level.OR),
        ops.NOT: lambda write, a: Piece(f"not {write(a).at(Level.NOT)}", Level.NOT),
    },
)
"""Python's own operators and `math`. Without `select`, for the reason given in `python_source`."""

TRACED = Notation(
    lambda x: signed(repr(x)),
    {
        **OPERATORS,
        **_FUNCTIONS,
        ops.POW: lambda write, a, b: Piece(f"{write(a).at(Level.ATOM)}**{write(b).at(Level.ATOM)}", Level.POWER),
        ops.AND: combine("&", Level.AND, Level.ATOM),
        ops.OR: combine("|", Level.OR, Level.ATOM),
        ops.NOT: lambda write, a: Piece(f"~{write(a).at(Level.ATOM)}"),
        ops.SELECT: call("select"),
    },
)
"""dalembert's own spelling: run with `from dalembert.trace import *`, the text gives the expression again."""


def expression_text(e: Any) -> str:
    """The expression in dalembert's own functions, its innermost parts elided (…) where it is large."""
    text = "…"
    for depth in range(SHORT):
        deeper = _to_depth(e, depth).text
        if len(deeper) > SHORT:
            break
        text = deeper
        if "…" not in text:
            break
    return text


def _to_depth(x: Any, depth: int) -> Piece:
    if type(x) is not Expr:
        return TRACED.number(float(x))
    if x.op is ops.SYMBOL:
        return Piece(x.name)
    return TRACED.define(x, lambda a: _to_depth(a, depth - 1)) if depth > 0 else Piece("…")


def python_source(name: str, inputs: Inputs, outputs: Outputs) -> str:
    """A Python function of floats that returns the outputs as NumPy arrays; array arguments may be any sequences.

    With `select` in it, it is written on NumPy's functions: a branch not taken may be outside its domain, where those of
    `math` would raise.
    """
    wanted = routine(name, inputs, outputs)
    if ops.SELECT in wanted.operations:
        from dalembert.trace.text.numpy_form import numpy_source

        return numpy_source(name, inputs, outputs)
    return module(wanted, _head(wanted), _body(wanted))


def python_function(name: str, inputs: Inputs, outputs: Outputs) -> Callable[..., Any]:
    """The function of `python_source`, compiled."""
    return compiled(name, python_source(name, inputs, outputs))


def _head(wanted: Routine) -> list[str]:
    functions = sorted(op.name for op in (wanted.operations & MATHEMATICS) - _WRITTEN.keys())
    lines = [f"from math import {', '.join(functions)}", ""] if functions else []
    lines += ["import numpy as np"]
    for op, function in _WRITTEN.items():
        lines += ["", "", *function] if op in wanted.operations else []
    return lines + python_tables(wanted.operations)


def _body(wanted: Routine) -> Iterator[str]:
    for p in wanted.places:
        yield read(p, f"float({p.argument})" if p.index is None else f"float({p.argument}[{p.index}])")
    yield from assigned(wanted, ON_FLOATS)
    for output, values in wanted.outputs.items():
        if values.shape:
            yield f"{output} = np.empty({values.shape})"
        for index, text in wanted.elements(output, ON_FLOATS):
            yield f"{output}[{', '.join(map(str, index))}] = {text}" if index else f"{output} = {text}"


def python_tables(operations: Collection[Op]) -> list[str]:
    """Functions on floats and on arrays."""
    lines: list[str] = []
    for op in tables_among(operations):
        lines += [
            "",
            "",
            f"def {op.name}(x):",
            f"    breaks = np.array({op.breaks.tolist()})",
            f"    pieces = np.array({op.coefficients.tolist()})",
            "    i = np.clip(np.searchsorted(breaks, x, side='right') - 1, 0, len(breaks) - 2)",
            "    total = 0.0 * np.asarray(x)",
            "    for row in pieces:",
            "        total = total * (x - breaks[i]) + row[i]",
            "    return np.where((x >= breaks[0]) & (x <= breaks[-1]), total, np.nan)[()]",
        ]
    return lines
