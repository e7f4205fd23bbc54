"""Traced computations for SymPy, in the form `sympy.cse` gives: replacements in order, then the expressions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.optional import optional
from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.table import TableOp
from dalembert.trace.text.intermediates import Naming, program
from dalembert.trace.text.notation import MATHEMATICS


def to_sympy(outputs: Any, naming: Naming = program) -> tuple[list[tuple[Any, Any]], Any]:
    """(replacements, expressions): named intermediates as (symbol, expression) in evaluation order, and the outputs.

    An array of outputs gives nested lists. Symbols are real; back-substitute from the last replacement to the first to
    expand everything.
    """
    sympy = optional("sympy", "an expression in SymPy's form", TraceError)
    rules = _rules(sympy)
    steps = naming(outputs, ())
    known: dict[Expr, Any] = {s: sympy.Symbol(s.name, real=True) for s in steps.inputs}

    def form(x: Any) -> Any:
        if type(x) is not Expr:
            return sympy.Float(x)
        if x in known:
            return known[x]
        rule = sympy.Function(x.op.name) if isinstance(x.op, TableOp) else rules[x.op]
        return rule(*map(form, x.args))

    replacements = []
    for name, e in steps.assignments:
        value = form(e)
        known[e] = sympy.Symbol(name) if e.op in ops.BOOLEAN else sympy.Symbol(name, real=True)
        replacements.append((known[e], value))
    return replacements, _like(outputs, form)


def _like(outputs: Any, form: Callable[[Any], Any]) -> Any:
    if isinstance(outputs, np.ndarray):
        outputs = outputs.tolist()
    return [_like(x, form) for x in outputs] if isinstance(outputs, (list, tuple)) else form(outputs)


def _rules(sympy: Any) -> dict[ops.Op, Callable[..., Any]]:
    return {
        **{op: getattr(sympy, op.name) for op in MATHEMATICS - {ops.POW, ops.FMOD}},
        ops.ADD: operator.add,
        ops.SUB: operator.sub,
        ops.NEG: operator.neg,
        ops.MUL: operator.mul,
        ops.DIV: operator.truediv,
        ops.POW: operator.pow,
        ops.ABS: sympy.Abs,
        ops.SIGN: sympy.sign,
        ops.FMOD: lambda a, b: sympy.sign(a) * sympy.Mod(sympy.Abs(a), sympy.Abs(b)),
        ops.MIN: sympy.Min,
        ops.MAX: sympy.Max,
        ops.LT: sympy.StrictLessThan,
        ops.LE: sympy.LessThan,
        ops.AND: sympy.And,
        ops.OR: sympy.Or,
        ops.NOT: sympy.Not,
        ops.SELECT: lambda condition, yes, no: sympy.Piecewise((yes, condition), (no, True)),
    }
