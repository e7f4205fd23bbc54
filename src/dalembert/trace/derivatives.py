"""Derivatives of traced expressions, as traced expressions: forward along a direction, and backward to every symbol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.trace import ops
from dalembert.trace.expr import Expr, node
from dalembert.trace.graph import flatten, ordered
from dalembert.trace.scalar_functions import cos, cosh, log, select, sign, sin, sqrt
from dalembert.trace.table import TableOp

Rule = Callable[..., tuple[Any, ...]]
"""(node, *arguments) → the partial derivative of the node in each argument."""

_ONE = 1.0
"""The partial derivative of a sum: what it multiplies is handed on as it is."""

_RULES: dict[ops.Op, Rule] = {
    ops.ADD: lambda e, a, b: (_ONE, _ONE),
    ops.SUB: lambda e, a, b: (_ONE, -1.0),
    ops.NEG: lambda e, a: (-1.0,),
    ops.MUL: lambda e, a, b: (b, a),
    ops.DIV: lambda e, a, b: (1.0 / b, -e / b),
    ops.POW: lambda e, a, b: (
        b * a ** (b - 1.0) if type(a) is Expr else 0.0,
        e * log(a) if type(b) is Expr else 0.0,
    ),
    ops.SQRT: lambda e, a: (0.5 / e,),
    ops.EXP: lambda e, a: (e,),
    ops.LOG: lambda e, a: (1.0 / a,),
    ops.ABS: lambda e, a: (sign(a),),
    ops.SIGN: lambda e, a: (0.0,),
    ops.FLOOR: lambda e, a: (0.0,),
    ops.FMOD: lambda e, a, b: (_ONE, (e - a) / b),
    ops.SIN: lambda e, a: (cos(a),),
    ops.COS: lambda e, a: (-sin(a),),
    ops.TAN: lambda e, a: (1.0 + e * e,),
    ops.ASIN: lambda e, a: (1.0 / sqrt(1.0 - a * a),),
    ops.ACOS: lambda e, a: (-1.0 / sqrt(1.0 - a * a),),
    ops.ATAN: lambda e, a: (1.0 / (1.0 + a * a),),
    ops.ATAN2: lambda e, y, x: (x / (x * x + y * y), -y / (x * x + y * y)),
    ops.SINH: lambda e, a: (cosh(a),),
    ops.COSH: lambda e, a: (a.sinh(),),
    ops.TANH: lambda e, a: (1.0 - e * e,),
    **{op: lambda e, *args: (0.0,) * len(args) for op in ops.BOOLEAN},
}

_CHOICES: dict[ops.Op, Callable[..., tuple[Any, Any, Any]]] = {
    ops.SELECT: lambda condition, yes, no: (condition, yes, no),
    ops.MIN: lambda a, b: (a < b, a, b),
    ops.MAX: lambda a, b: (b < a, a, b),
}
"""Operations that pass one of two arguments on: (condition, taken if true, taken if false).

The branch not taken may be outside its domain, so its derivative is discarded by `select`, never multiplied by 0.
"""


def _partials(e: Expr) -> tuple[Any, ...]:
    try:
        return _RULES[e.op](e, *e.args)
    except KeyError:
        if isinstance(e.op, TableOp):
            return (node(e.op.derivative, *e.args),)
        raise TraceError(f"the operation {e.op} has no derivative") from None


def directional(outputs: Any, direction: Mapping[Expr, Any]) -> Any:
    """d(outputs) along `direction`, which maps symbols to their rates (forward mode). Same shape as the outputs.

    With `{t: 1, q: q̇, u: u̇}` it is the time derivative.
    """
    rates = _forward(outputs, {s: {0: r} for s, r in direction.items()})
    return _like(outputs, lambda x: rates[x].get(0, 0.0) if type(x) is Expr else 0.0)


def gradient(output: Any, wrt: Sequence[Expr]) -> np.ndarray:
    """∂output/∂wrt of one scalar in one backward sweep, whatever the number of symbols."""
    nodes = ordered(output)
    moving = _moving(nodes, wrt)
    adjoint: dict[Expr, Any] = {output: 1.0} if type(output) is Expr else {}
    for e in reversed(nodes):
        weight = adjoint.get(e)
        if weight is None or e.op is ops.SYMBOL or (type(weight) is not Expr and weight == 0.0):
            continue
        for a, contribution in _backward(e, weight, moving):
            before = adjoint.get(a)
            adjoint[a] = contribution if before is None else _plus(before, contribution)
    return _array([adjoint.get(s, 0.0) for s in wrt])


def jacobian(outputs: Any, wrt: Sequence[Expr]) -> np.ndarray:
    """∂outputs/∂wrt, rows as outputs: forward with sparse rates, or backward where outputs are the fewer."""
    flat = flatten(outputs)
    if len(flat) < len(wrt):
        return np.array([gradient(y, wrt) for y in flat], dtype=object).reshape(len(flat), len(wrt))
    rates = _forward(flat, {s: {k: 1.0} for k, s in enumerate(wrt)})
    rows = [[rates[y].get(k, 0.0) if type(y) is Expr else 0.0 for k in range(len(wrt))] for y in flat]
    return np.array(rows, dtype=object).reshape(len(flat), len(wrt))


def _forward(outputs: Any, seeds: dict[Expr, dict[int, Any]]) -> dict[Expr, dict[int, Any]]:
    """Every node's rate in every direction k it moves in."""
    rates, none = dict(seeds), dict[int, Any]()
    for e in ordered(outputs):
        if e not in rates:
            own = [rates.get(a, none) for a in e.args]  # an argument that is no node does not move
            rates[e] = _rates_of(e, own) if any(own) else none
    return rates


def _rates_of(e: Expr, own: Sequence[dict[int, Any]]) -> dict[int, Any]:
    """The rates of a node from those of its arguments."""
    total: dict[int, Any] = {}
    if e.op in _CHOICES:
        condition, *branches = _CHOICES[e.op](*e.args)
        yes, no = (own[e.args.index(b)] if type(b) is Expr else {} for b in branches)
        total = {k: select(condition, yes.get(k, 0.0), no.get(k, 0.0)) for k in {**yes, **no}}
    else:
        for p, rates in zip(_partials(e), own):
            for k, r in rates.items():
                term = r if p is _ONE else p * r
                total[k] = total[k] + term if k in total else term
    return {k: r for k, r in total.items() if type(r) is Expr or r != 0.0}


def _moving(nodes: list[Expr], wrt: Sequence[Expr]) -> set[Expr]:
    """The nodes that depend on `wrt`."""
    moving = set(wrt)
    for e in nodes:
        if not moving.isdisjoint(e.args):
            moving.add(e)
    return moving


def _backward(e: Expr, weight: Any, moving: set[Expr]) -> list[tuple[Expr, Any]]:
    """What `weight` on a node means for each of its arguments that moves."""
    if e.op in _CHOICES:
        condition, yes, no = _CHOICES[e.op](*e.args)
        shares = [(yes, select(condition, weight, 0.0)), (no, select(condition, 0.0, weight))]
        return [(a, share) for a, share in shares if a in moving]
    return [(a, _times(p, weight)) for a, p in zip(e.args, _partials(e)) if a in moving]


def _times(p: Any, weight: Any) -> Any:
    """p · weight, where a weight that is 0 off its branch stays so whatever p is there."""
    if p is _ONE:
        return weight
    if type(weight) is Expr and weight.op is ops.SELECT and 0.0 in weight.args[1:]:
        condition, yes, no = weight.args
        return select(condition, p * yes, p * no)
    return p * weight


def _plus(a: Any, b: Any) -> Any:
    """a + b, two weights of one branch together."""
    if type(a) is type(b) is Expr and a.op is b.op is ops.SELECT and a.args[0] is b.args[0]:
        return select(a.args[0], a.args[1] + b.args[1], a.args[2] + b.args[2])
    return a + b


def _array(values: list[Any]) -> np.ndarray:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _like(outputs: Any, value: Callable[[Any], Any]) -> Any:
    if isinstance(outputs, np.ndarray):
        return _array([value(x) for x in outputs.ravel()]).reshape(outputs.shape)
    if isinstance(outputs, (list, tuple)):
        return [_like(x, value) for x in outputs]
    return value(outputs)
