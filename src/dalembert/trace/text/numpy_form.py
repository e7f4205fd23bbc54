"""Functions on NumPy arrays: any number of samples at once, and nan or inf where a function is outside its domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dalembert.trace import ops
from dalembert.trace.text.notation import OPERATORS, Notation, call
from dalembert.trace.text.python import assigned, compiled, module, number, python_tables, read
from dalembert.trace.text.routine import Inputs, Outputs, Routine, routine

_FUNCTIONS = {
    ops.POW: "power", ops.SQRT: "sqrt", ops.EXP: "exp", ops.LOG: "log", ops.ABS: "abs", ops.SIGN: "sign",
    ops.FLOOR: "floor", ops.FMOD: "fmod",
    ops.SIN: "sin", ops.COS: "cos", ops.TAN: "tan", ops.ASIN: "arcsin", ops.ACOS: "arccos", ops.ATAN: "arctan",
    ops.ATAN2: "arctan2", ops.SINH: "sinh", ops.COSH: "cosh", ops.TANH: "tanh", ops.MIN: "minimum", ops.MAX: "maximum",
    ops.AND: "logical_and", ops.OR: "logical_or", ops.NOT: "logical_not", ops.SELECT: "where",
}  # fmt: skip

NOTATION = Notation(number, {**OPERATORS, **{op: call(f"np.{name}") for op, name in _FUNCTIONS.items()}})


def numpy_source(name: str, inputs: Inputs, outputs: Outputs) -> str:
    """A function of arrays whose last axis runs over the symbols, earlier axes over samples; so with the outputs."""
    wanted = routine(name, inputs, outputs)
    # A branch that `select` does not take may be outside its domain: no warning then.
    guard = '@np.errstate(all="ignore")' if ops.SELECT in wanted.operations else ""
    return module(wanted, ["import numpy as np", *python_tables(wanted.operations)], _body(wanted), guard)


def numpy_function(name: str, inputs: Inputs, outputs: Outputs) -> Callable[..., Any]:
    """The function of `numpy_source`, compiled."""
    return compiled(name, numpy_source(name, inputs, outputs))


def _body(wanted: Routine) -> Iterator[str]:
    for argument in wanted.inputs:
        yield f"{argument} = np.asarray({argument}, dtype=float)"
    shapes = [f"{argument}.shape{'[:-1]' if is_array else ''}" for argument, is_array in wanted.arguments]
    yield f"samples = np.broadcast_shapes({', '.join(shapes)})"
    for p in wanted.places:
        if p.index is not None:
            yield read(p, f"{p.argument}[..., {p.index}]")
    yield from assigned(wanted, NOTATION)
    for output, values in wanted.outputs.items():
        yield f"{output} = np.empty(samples + {values.shape})"
        for index, text in wanted.elements(output, NOTATION):
            yield f"{output}[{', '.join(['...', *map(str, index)])}] = {text}"
