"""Traced computations as CasADi functions."""

from __future__ import annotations

import operator
from typing import Any

from dalembert.errors import TraceError
from dalembert.optional import optional
from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.graph import ordered
from dalembert.trace.table import TableOp
from dalembert.trace.text.notation import MATHEMATICS
from dalembert.trace.text.routine import Inputs, Outputs, routine


def casadi_function(name: str, inputs: Inputs, outputs: Outputs) -> Any:
    """`casadi.Function(name)` with these arguments and results, on SX."""
    casadi = optional("casadi", "a function in CasADi's form", TraceError)
    wanted = routine(name, inputs, outputs)
    known: dict[Expr, Any] = {}
    arguments = []
    for argument, given in wanted.inputs.items():
        symbols = [given] if isinstance(given, Expr) else list(given)
        vector = casadi.SX.sym(argument, len(symbols))
        known |= {s: vector[k] for k, s in enumerate(symbols)}
        arguments.append(vector)
    rules = _rules(casadi)
    for e in ordered(list(wanted.outputs.values())):
        if isinstance(e.op, TableOp):
            raise TraceError(f'the table "{e.op.name}" has no CasADi form; write the function with formulas')
        if e not in known:
            known[e] = rules[e.op](*(known[a] if type(a) is Expr else a for a in e.args))
    results = []
    for values in wanted.outputs.values():
        table = values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)
        made = casadi.SX(*table.shape)
        for i, row in enumerate(table):
            for j, x in enumerate(row):
                made[i, j] = known[x] if type(x) is Expr else x
        results.append(made)
    return casadi.Function(name, arguments, results, list(wanted.inputs), list(wanted.outputs))


def _rules(casadi: Any) -> dict[ops.Op, Any]:
    return {
        **{op: getattr(casadi, op.name) for op in MATHEMATICS - {ops.POW}},
        ops.ADD: operator.add,
        ops.SUB: operator.sub,
        ops.NEG: operator.neg,
        ops.MUL: operator.mul,
        ops.DIV: operator.truediv,
        ops.POW: operator.pow,
        ops.ABS: casadi.fabs,
        ops.SIGN: casadi.sign,
        ops.MIN: lambda a, b: casadi.if_else(a < b, a, casadi.if_else(b <= a, b, a + b)),  # fmin would lose a NaN
        ops.MAX: lambda a, b: casadi.if_else(a > b, a, casadi.if_else(b >= a, b, a + b)),
        ops.LT: casadi.lt,
        ops.LE: casadi.le,
        ops.AND: casadi.logic_and,
        ops.OR: casadi.logic_or,
        ops.NOT: casadi.logic_not,
        ops.SELECT: lambda condition, yes, no: casadi.if_else(condition, yes, no),
    }
