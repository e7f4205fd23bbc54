"""Sums of products back to expressions: in an order that reads well, with common factors taken out where that is shorter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dalembert.trace import ops
from dalembert.trace.expr import Expr, Scalar, node
from dalembert.trace.text.intermediates import expanded_length

ROUNDING = 1e-13
"""Part of a number by which it may miss the fraction that it is written as."""

Powers = tuple[tuple[Expr, int], ...]
Term = Powers
"""Powers of atoms, in the order in which these were made."""
Sum = dict[Term, tuple[float, float]]
"""Coefficient of every term, and the size of what was added up to it."""
Rank = Callable[[Expr], int]
"""How soon an atom is taken out as a factor: 0 first."""
LAST = 3
"""Ranks there are."""


def written(
    total: Sum, rank: Rank | None, length: Callable[[Any], int] = expanded_length, in_order: bool = False
) -> Scalar:
    """The expression; with a rank, common factors are taken out where that is shorter."""
    key = (lambda item: 0) if in_order else (lambda item: (item[1][0] < 0.0, _weight(item[0])))
    terms = [(neat(c), term) for term, (c, _) in sorted(total.items(), key=key)]
    flat = _added(terms)
    if rank is None or len(terms) < 2:
        return flat
    factored = _factored(terms, rank, 0)
    return factored if length(factored) < length(flat) else flat


def _factored(terms: list[tuple[float, Term]], rank: Rank, level: int) -> Any:
    """Terms with the same atoms of a rank together, what they share before them, and so on inside."""
    if len(terms) < 2 or level >= LAST:
        return _added(terms)

    def part(item: tuple[float, Term]) -> Term:
        return tuple((x, k) for x, k in item[1] if rank(x) == level)

    groups: dict[Term, list[tuple[float, Term]]] = {}
    for item in terms:
        groups.setdefault(part(item), []).append(item)
    out: Any = 0.0
    for own in groups.values():
        shared = _shared([term for _, term in own]) if len(own) > 1 else ()
        if not shared and not (len(own) > 1 and len(groups) > 1):
            out = _plus(out, _factored(own, rank, level + 1))
            continue
        size = abs(own[0][0]) if len({abs(c) for c, _ in own}) == 1 else 1.0
        sign = math.copysign(size, own[0][0])
        inside = _factored([(c / sign, _without(term, shared)) for c, term in own], rank, level + 1)
        out = _plus(out, sign * (_product(shared) * inside))
    return out


def _shared(terms: list[Term]) -> Term:
    """The powers that all terms have."""
    first = dict(terms[0])
    for term in terms[1:]:
        powers = dict(term)
        first = {x: min(k, powers[x], key=abs) for x, k in first.items() if x in powers and (k > 0) == (powers[x] > 0)}
    return tuple(first.items())


def _without(term: Term, shared: Term) -> Term:
    left = dict(term)
    for x, k in shared:
        left[x] -= k
    return tuple((x, k) for x, k in left.items() if k)


def _added(terms: list[tuple[float, Term]]) -> Any:
    out: Any = 0.0
    for c, term in terms:
        out = _plus(out, c * _product(term))
    return out


def _plus(a: Any, b: Any) -> Any:
    """a + b in this order, whichever was made first."""
    if type(a) is not Expr or type(b) is not Expr:
        return a + b
    return node(ops.SUB, a, b.args[0]) if b.op is ops.NEG else node(ops.ADD, a, b)


def _product(term: Term) -> Any:
    top, bottom = _powers(term, 1), _powers(term, -1)
    return top / bottom


def _powers(term: Term, sign: int) -> Any:
    out: Any = 1.0
    for x, k in term:
        if k * sign > 0:
            out = out * x ** abs(k)
    return out


def _weight(term: Term) -> tuple[Any, ...]:
    """Terms without waves first, those of fewer factors first, then in the order in which the symbols were made."""
    waves = [x for x, _ in term if x.op in (ops.SIN, ops.COS)]
    others = [(x, k) for x, k in term if x.op not in (ops.SIN, ops.COS)]
    angles = [[s.serial for s in _symbols(x)] for x in waves]
    return sum(map(len, angles)), sum(abs(k) for _, k in others), [x.serial for x, _ in others], angles


def _symbols(e: Expr) -> list[Expr]:
    if e.op is ops.SYMBOL:
        return [e]
    return [s for a in e.args if type(a) is Expr for s in _symbols(a)]


def neat(c: float) -> float:
    """The fraction p/q with q < 100 that c is within rounding of, or c."""
    for q in range(1, 100):
        p = round(c * q)
        if p and math.isclose(p / q, c, rel_tol=ROUNDING):
            return p / q
    return c


__all__ = ["Powers", "Rank", "Sum", "Term", "neat", "written"]
