"""Traced values as expressions of model files: read again, the text gives the same node."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dalembert.errors import ModelError
from dalembert.files.expressions.tokens import LONGEST
from dalembert.trace import Expr, free_symbols, ops
from dalembert.trace.graph import ordered
from dalembert.trace.table import TableOp
from dalembert.trace.text.notation import MATHEMATICS, OPERATORS, Level, Notation, Piece, call, combine, signed

_NOTATION = Notation(
    lambda x: signed(repr(x)),
    {
        **OPERATORS,
        **{op: call(op.name) for op in {*MATHEMATICS, ops.ABS, ops.SIGN, ops.MIN, ops.MAX, ops.SELECT}},
        ops.NEG: lambda write, a: Piece(
            f"-{write(a).at(Level.POWER)}", Level.SIGN
        ),  # -(a*b): a sign binds before a product
        ops.POW: lambda write, a, b: Piece(f"{write(a).at(Level.ATOM)}^{write(b).at(Level.ATOM)}", Level.POWER),
        ops.AND: combine("and", Level.AND),
        ops.OR: combine("or", Level.OR),
        ops.NOT: lambda write, a: Piece(f"not {write(a).at(Level.ATOM)}", Level.NOT),
    },
)


def written(value: Any, where: str) -> float | str:
    """A float as it is; an expression as text."""
    if type(value) is not Expr:
        return float(value)
    for e in ordered([value]):
        if isinstance(e.op, TableOp) and e.op.column is None:
            raise ModelError(f"{where}: the derivative of sampled data (da.Table) cannot be written into a model file")
    sizes: dict[Expr, int] = {}
    for e in ordered([value]):  # text repeats what the graph shares
        sizes[e] = 1 + sum(sizes[a] if type(a) is Expr else 1 for a in e.args if e.op is not ops.SYMBOL)
    if sizes[value] > LONGEST // 2:
        raise ModelError(f"{where}: the expression is too long for a model file; give some of its parts as parameters")
    tables = {e.op.name: e.op.column.call for e in ordered([value]) if isinstance(e.op, TableOp) and e.op.column}
    text = (
        replace(_NOTATION, function=tables.__getitem__).writer({s: s.name for s in free_symbols([value])})(value).text
    )
    if len(text) > LONGEST:
        raise ModelError(f"{where}: the expression is too long for a model file; give some of its parts as parameters")
    return text
