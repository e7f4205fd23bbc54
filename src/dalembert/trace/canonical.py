"""Expressions in an order of their own, to be printed: the same text in every process, whatever was traced before.

Nodes are numbered as they are made, and symbols outlive every scope. So the numbers tell what was asked before, and a text that
follows them would too. Here every expression is made anew: over symbols made in a stated order, sums and products by what they
consist of, every node shortly before its first use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dalembert.trace import ops
from dalembert.trace.expr import Expr, unshared_symbol
from dalembert.trace.graph import flatten, free_symbols, ordered, rebuild, reshaped

Rank = tuple[Any, ...]


class Canonical:
    """Symbols made anew, the named ones first in the order given, the others after them by name."""

    def __init__(self, outputs: Any, first: Iterable[Expr] = ()):
        given = dict.fromkeys(first)
        others = sorted((s for s in free_symbols(outputs) if s not in given), key=lambda s: natural(s.name))
        self.anew: dict[Expr, Expr] = {s: unshared_symbol(s.name) for s in (*given, *others)}
        self.back: dict[Expr, Expr] = {new: s for s, new in self.anew.items()}

    def __call__(self, outputs: Any) -> Any:
        """The outputs over these symbols."""
        flat = [x for x in flatten(outputs) if type(x) is Expr]
        made: dict[Expr, Any] = dict(self.anew)
        for e in _before_use(flat, _ranks(flat, self.anew)):
            if e not in made:
                made[e] = rebuild(e.op, [made[a] if type(a) is Expr else a for a in e.args])
        return reshaped(outputs, lambda x: made[x] if type(x) is Expr else x)


def canonical(outputs: Any, first: Iterable[Expr] = ()) -> Any:
    """The outputs over symbols made anew in this order."""
    return Canonical(outputs, first)(outputs)


def natural(name: str) -> list[Any]:
    """A key by which z2 stands before z10."""
    return [int(part) if k % 2 else part for k, part in enumerate(re.split(r"(\d+)", name))]


def _ranks(outputs: list[Expr], symbols: Mapping[Expr, Expr]) -> dict[Expr, tuple[int, int]]:
    """Height and number of every node, which hang on nothing but what it consists of."""
    levels: dict[int, list[Expr]] = {}
    height: dict[Expr, int] = {}
    for e in ordered(outputs):
        height[e] = 1 + max((height[a] for a in e.operands), default=0) if e.op is not ops.SYMBOL else 0
        levels.setdefault(height[e], []).append(e)
    rank = {s: k for k, s in enumerate(symbols)}
    for level in sorted(levels):
        if level:
            for e in sorted(levels[level], key=lambda e: _consists_of(e, rank)):
                rank[e] = len(rank)
    return {e: (height.get(e, 0), k) for e, k in rank.items()}


def _consists_of(e: Expr, rank: Mapping[Expr, int]) -> Rank:
    parts = [(1, rank[a]) if type(a) is Expr else (0, a) for a in e.args]
    return e.op.name, sorted(parts) if e.op in _COMMUTING else parts


_COMMUTING = (ops.ADD, ops.MUL)
"""Operations whose arguments stand as they were made."""


def _before_use(outputs: list[Expr], rank: Mapping[Expr, tuple[int, int]]) -> list[Expr]:
    """All nodes, each after its arguments and as late as these allow. Of terms the higher goes first, of factors the lower."""
    done: dict[Expr, None] = {}
    waiting = list(reversed(outputs))
    while waiting:
        e = waiting[-1]
        missing = [a for a in e.operands if a not in done]
        if e in done or not missing:
            done[waiting.pop()] = None
        else:
            waiting += sorted(missing, key=lambda a: _last(e.op, *rank[a])) if e.op in _COMMUTING else missing[::-1]
    return list(done)


def _last(op: ops.Op, height: int, number: int) -> tuple[int, int]:
    """A key of what is visited later: of terms the lower, of factors the higher."""
    return (-height if op is ops.MUL else height), -number


__all__ = ["Canonical", "canonical", "natural"]
