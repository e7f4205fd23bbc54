"""Functions in C99: self-contained, arrays row by row, one line per named intermediate."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Any

from dalembert.trace import ops
from dalembert.trace.ops import Op
from dalembert.trace.text.notation import MATHEMATICS, OPERATORS, Level, Notation, Piece, Write, call, combine, signed
from dalembert.trace.text.routine import Inputs, Outputs, Routine, routine, tables_among

_FUNCTIONS = {
    ops.SIGN: ("sign_of", "double x", "x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x + 0.0"),
    ops.MIN: ("min_of", "double a, double b", "a != a ? a : a < b ? a : b"),
    ops.MAX: ("max_of", "double a, double b", "a != a ? a : a > b ? a : b"),
}
"""Functions that C lacks: name, arguments, result. Of −0 the sign is 0; unlike that of `fmin`, a minimum with a NaN is NaN."""


def _number(x: float) -> Piece:
    """The shortest text that gives the same double again, always a double."""
    if math.isfinite(x):
        return signed(repr(x))
    return Piece("NAN") if math.isnan(x) else signed("INFINITY" if x > 0.0 else "-INFINITY")


def _choose(write: Write, condition: Any, yes: Any, no: Any) -> Piece:
    parts = (write(x).at(Level.OR) for x in (condition, yes, no))
    return Piece("{} ? {} : {}".format(*parts), Level.CHOICE)


NOTATION = Notation(
    _number,
    {
        **OPERATORS,
        **{op: call(op.name) for op in MATHEMATICS},
        ops.ABS: call("fabs"),
        **{op: call(name) for op, (name, _, _) in _FUNCTIONS.items()},
        ops.AND: combine("&&", Level.AND),
        ops.OR: combine("||", Level.OR),
        ops.NOT: lambda write, a: Piece(f"!{write(a).at(Level.ATOM)}"),
        ops.SELECT: _choose,
    },
)


def c_source(name: str, inputs: Inputs, outputs: Outputs) -> str:
    """`void name(const double *q, …, double t, …, double *A, …)`: every element of every output is written.

    Inputs are read before anything is written, so that an output may take the place of an input. Sources may be joined in
    one file.
    """
    wanted = routine(name, inputs, outputs)
    arguments = [f"const double *{a}" if is_array else f"double {a}" for a, is_array in wanted.arguments]
    arguments += [f"double *{a}" for a in wanted.outputs]
    lines = ["/* Written by dalembert.", *_shapes(wanted), " */", "#include <math.h>", ""]
    lines += c_helpers(wanted.operations)
    lines += [f"void {name}({', '.join(arguments) or 'void'})", "{"]
    lines += [f"    {line}" for line in _body(wanted)]
    return "\n".join([*lines, "}", ""])


def _shapes(wanted: Routine) -> Iterator[str]:
    """What the caller has to bring."""
    for argument, symbols in wanted.inputs.items():
        yield f" * in   {argument}" + ("" if type(symbols) is not tuple else f"[{len(symbols)}]")
    for argument, values in wanted.outputs.items():
        rows = ", row by row" if values.ndim > 1 else ""
        yield f" * out  {argument}" + ("".join(f"[{n}]" for n in values.shape) or "[1]") + rows


def _body(wanted: Routine) -> Iterator[str]:
    for p in wanted.places:
        remark = f"/* {p.remark.replace('*/', '* /')} */" if p.remark else ""
        if p.index is not None:
            yield f"const double {p.identifier} = {p.argument}[{p.index}]; {remark}".rstrip()
        elif remark:
            yield f"/* {p.identifier} is {remark[3:]}"
    for name, e, text in wanted.assignments(NOTATION):
        yield f"const {'int' if e.op in ops.BOOLEAN else 'double'} {name} = {text};"
    for output in wanted.outputs:
        for k, (_, text) in enumerate(wanted.elements(output, NOTATION)):
            yield f"{output}[{k}] = {text};"


def c_helpers(operations: Collection[Op]) -> list[str]:
    """Static functions that these operations call, guarded so that sources can be joined."""
    lines: list[str] = []
    for op, (name, taken, result) in _FUNCTIONS.items():
        if op in operations:
            guard = f"DALEMBERT_{name.upper()}"
            function = f"static double {name}({taken}) {{ return {result}; }}"
            lines += [f"#ifndef {guard}", f"#define {guard}", function, "#endif"]
    for op in tables_among(operations):
        pieces, terms = len(op.breaks) - 1, len(op.coefficients)
        lines += [
            f"#ifndef DALEMBERT_{op.name.upper()}",
            f"#define DALEMBERT_{op.name.upper()}",
            f"static double {op.name}(double x)",
            "{",
            f"    static const double breaks[{pieces + 1}] = {{{_listed(op.breaks.tolist())}}};",
            f"    static const double pieces[{pieces * terms}] = {{{_listed(op.coefficients.T.ravel().tolist())}}};",
            f"    int low = 0, high = {pieces};",
            "    if (!(x >= breaks[0] && x <= breaks[high])) return NAN;",
            "    while (high - low > 1) {",
            "        int middle = (low + high)/2;",
            "        if (x >= breaks[middle]) low = middle; else high = middle;",
            "    }",
            "    double total = 0.0;",
            f"    for (int k = 0; k < {terms}; k++) total = total*(x - breaks[low]) + pieces[{terms}*low + k];",
            "    return total;",
            "}",
            "#endif",
        ]
    return lines


def _listed(values: list[float]) -> str:
    return ", ".join(repr(x) for x in values)
