"""Small expressions multiplied out and collected: Σ c · monomial · cos or sin of a sum of angles.

Products of sines and cosines become sums of sines and cosines of sums, so that cos a cos b + sin a sin b is found to be cos(a − b),
and whatever cancels is gone. Roots, quotients by sums, choices and the like are kept as they are, with collected arguments. It is a
form to be read: coefficients within rounding of a small fraction become it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from dalembert.trace import ops
from dalembert.trace.expr import Expr, node
from dalembert.trace.graph import ordered, rebuild
from dalembert.trace.scalar_functions import cos, sin

MOST_TERMS = 100
"""An expression of more terms is not easier to read than the computation it came from."""
MOST_PRODUCTS = 900
ROUNDING = 1e-13
"""Part of the largest coefficient below which a sum of them is zero."""

Monomial = tuple[tuple[Expr, int], ...]
Angle = tuple[tuple[Expr, float], ...]
Term = tuple[Monomial, Angle, str]
"""Powers of atoms, the angle as a sum of multiples of atoms, and "cos" or "sin" of it; no angle is cos 0 = 1."""
Sum = dict[Term, tuple[float, float]]
"""Coefficient of every term, and the size of what was added up to it."""

_ONE: Term = ((), (), "cos")


class TooLong(Exception):
    """The collected form would be too long to be read."""


def collected(outputs: Any) -> Any | None:
    """The outputs (nested sequences and arrays) in collected form; None where that is too long."""
    sums: dict[Expr, Sum] = {}
    try:
        for e in ordered(outputs):
            sums[e] = _sum_of(e, sums)
    except TooLong:
        return None
    return _like(outputs, lambda x: _written(sums[x]) if type(x) is Expr else x)


def _like(outputs: Any, form: Any) -> Any:
    if isinstance(outputs, np.ndarray):
        made = np.empty(outputs.shape, dtype=object)
        made.ravel()[:] = [form(x) for x in outputs.ravel()]
        return made
    return [_like(x, form) for x in outputs] if isinstance(outputs, (list, tuple)) else form(outputs)


def _sum_of(e: Expr, sums: dict[Expr, Sum]) -> Sum:
    given = [sums[a] if type(a) is Expr else _number(a) for a in e.args] if e.op is not ops.SYMBOL else []
    if e.op is ops.ADD:
        return _added(given[0], given[1], 1.0)
    if e.op is ops.SUB:
        return _added(given[0], given[1], -1.0)
    if e.op is ops.NEG:
        return _added({}, given[0], -1.0)
    if e.op is ops.MUL:
        return _multiplied(given[0], given[1])
    if e.op is ops.DIV:
        return _multiplied(given[0], _inverse(given[1]))
    if e.op in (ops.SIN, ops.COS):
        angle = _angle(given[0])
        if angle is not None:
            return _trigonometric((), angle, e.op.name, 1.0)
    return _atom(e if e.op is ops.SYMBOL else rebuild(e.op, [_written(x) for x in given]))


def _number(x: float) -> Sum:
    return {_ONE: (float(x), abs(float(x)))} if x else {}


def _atom(x: Any, power: int = 1) -> Sum:
    return {(((x, power),), (), "cos"): (1.0, 1.0)} if type(x) is Expr else _number(x**power)


def _added(a: Sum, b: Sum, sign: float) -> Sum:
    out = dict(a)
    for term, (c, size) in b.items():
        _add(out, term, sign * c, size)
    return _kept(out)


def _add(out: Sum, term: Term, c: float, size: float) -> None:
    before, scale = out.get(term, (0.0, 0.0))
    out[term] = (before + c, scale + size)


def _kept(out: Sum) -> Sum:
    out = {term: (c, size) for term, (c, size) in out.items() if abs(c) > ROUNDING * size}
    if len(out) > MOST_TERMS:
        raise TooLong
    return out


def _multiplied(a: Sum, b: Sum) -> Sum:
    if len(a) * len(b) > MOST_PRODUCTS:
        raise TooLong
    out: Sum = {}
    for (m, x, f), (c, p) in a.items():
        for (n, y, g), (d, q) in b.items():
            for term, k in _product(_powers(m, n), x, f, y, g):
                _add(out, term, k * c * d, abs(k) * p * q)
    return _kept(out)


def _powers(m: Monomial, n: Monomial) -> Monomial:
    powers = dict(m)
    for x, k in n:
        powers[x] = powers.get(x, 0) + k
    return tuple(sorted(((x, k) for x, k in powers.items() if k), key=lambda p: p[0].serial))


def _product(m: Monomial, x: Angle, f: str, y: Angle, g: str) -> Iterable[tuple[Term, float]]:
    """2 cos x cos y = cos(x − y) + cos(x + y), and so on."""
    if not x or not y:
        yield (m, x or y, f if x else g), 1.0
        return
    if f == "sin" and g == "cos":
        x, y, f, g = y, x, g, f
    kind = "cos" if f == g else "sin"
    minus, plus = _combined(x, y, -1.0), _combined(x, y, 1.0)
    signs = {("cos", "cos"): (0.5, 0.5), ("sin", "sin"): (0.5, -0.5), ("cos", "sin"): (-0.5, 0.5)}[f, g]
    for angle, sign in zip((minus, plus), signs):
        for term, (c, _) in _trigonometric(m, angle, kind, sign).items():
            yield term, c


def _combined(x: Angle, y: Angle, sign: float) -> Angle:
    total = dict(x)
    for s, k in y:
        total[s] = total.get(s, 0.0) + sign * k
    return tuple(sorted(((s, k) for s, k in total.items() if abs(k) > ROUNDING), key=lambda p: p[0].serial))


def _trigonometric(m: Monomial, angle: Angle, kind: str, c: float) -> Sum:
    """c · monomial · cos or sin of the angle, whose first multiple is made positive."""
    if not angle:
        return {(m, (), "cos"): (c, abs(c))} if kind == "cos" else {}
    if angle[0][1] < 0.0:
        angle, c = tuple((s, -k) for s, k in angle), c if kind == "cos" else -c
    return {(m, angle, kind): (c, abs(c))}


def _angle(total: Sum) -> Angle | None:
    """A sum that is linear in atoms."""
    linear = [(m[0][0], c) for (m, x, _), (c, _) in total.items() if len(m) == 1 and m[0][1] == 1 and not x]
    return tuple(sorted(linear, key=lambda p: p[0].serial)) if len(linear) == len(total) else None


def _inverse(total: Sum) -> Sum:
    """1 / sum: powers where it is one monomial, else an atom."""
    if len(total) == 1:
        ((m, x, _), (c, _)) = next(iter(total.items()))
        if not x:
            return {(tuple((s, -k) for s, k in m), (), "cos"): (1.0 / c, abs(1.0 / c))}
    written = _written(total)
    return _atom(1.0 / written) if type(written) is Expr else _number(1.0 / written)


# -- back to expressions ---------------------------------------------------------------------------------------------------
def _written(total: Sum) -> Any:
    out: Any = 0.0
    for term, (c, _) in sorted(total.items(), key=lambda item: (item[1][0] < 0.0, _weight(item[0]))):
        out = _plus(out, _neat(c) * _term_written(*term))
    return out


def _term_written(m: Monomial, x: Angle, f: str) -> Any:
    top, bottom = _powers_written(m, 1), _powers_written(m, -1)
    if x:
        angle: Any = 0.0
        for s, k in x:
            angle = _plus(angle, _neat(k) * s)
        top = top * (cos(angle) if f == "cos" else sin(angle))
    return top / bottom


def _plus(a: Any, b: Any) -> Any:
    """a + b in this order, whichever was made first."""
    if type(a) is not Expr or type(b) is not Expr:
        return a + b
    return node(ops.SUB, a, b.args[0]) if b.op is ops.NEG else node(ops.ADD, a, b)


def _weight(term: Term) -> tuple[Any, ...]:
    """Terms without angles first, those of fewer factors first, then in the order in which the symbols were made."""
    m, x, _ = term
    return len(x), sum(abs(k) for _, k in m), [s.serial for s, _ in m], [s.serial for s, _ in x]


def _powers_written(m: Monomial, sign: int) -> Any:
    out: Any = 1.0
    for x, k in m:
        if k * sign > 0:
            out = out * x ** abs(k)
    return out


def _neat(c: float) -> float:
    """The fraction p/q with q < 100 that c is within rounding of, or c."""
    for q in range(1, 100):
        p = round(c * q)
        if p and math.isclose(p / q, c, rel_tol=ROUNDING):
            return p / q
    return c
