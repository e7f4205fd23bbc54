"""Which values of a traced computation get a name, so that its text is compact: shared parts once, no endless line."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.graph import flatten, ordered

LINE = 100
"""About how many characters an expression may take before a part of it gets a name."""

WORTH = 40
"""Characters that are read as easily as a name is remembered."""

_NAME = len("z1234")
_INFIX = {ops.ADD, ops.SUB, ops.LT, ops.LE}


@dataclass(frozen=True)
class Intermediates:
    """The computation line by line: inputs, then named intermediates in evaluation order, then the outputs.

    An expression is to be written down to the inputs and to the names given before it.
    """

    inputs: tuple[Expr, ...]
    assignments: tuple[tuple[str, Expr], ...]
    outputs: tuple[Any, ...]

    @property
    def names(self) -> dict[Expr, str]:
        """The name of every named intermediate."""
        return {e: name for name, e in self.assignments}


def program(outputs: Any, taken: Collection[str] = ()) -> Intermediates:
    """Names z1, z2, … for what is used more than once or makes a line hard to read; none that is `taken`."""
    flat = flatten(outputs)
    nodes = ordered(flat)
    named = _with_cuts(nodes, _with_choices(nodes, _shared(nodes, flat)))
    inputs = tuple(e for e in nodes if e.op is ops.SYMBOL)
    names = _free_names({s.name for s in inputs}.union(taken))
    return Intermediates(inputs, tuple((next(names), e) for e in nodes if e in named), tuple(flat))


def for_readers(outputs: Any, taken: Collection[str] = ()) -> Intermediates:
    """Names for what is used more than once only where that saves reading: a short expression is written again instead."""
    flat = flatten(outputs)
    nodes = ordered(flat)
    uses = _uses(nodes, flat)
    named = _with_cuts(nodes, _with_choices(nodes, set()), {e: n for e, n in uses.items() if n > 1})
    inputs = tuple(e for e in nodes if e.op is ops.SYMBOL)
    names = _free_names({s.name for s in inputs}.union(taken))
    return Intermediates(inputs, tuple((next(names), e) for e in nodes if e in named), tuple(flat))


def whole(outputs: Any, taken: Collection[str] = ()) -> Intermediates:
    """No names at all: every output is written as one expression, for outputs that are short."""
    flat = flatten(outputs)
    return Intermediates(tuple(e for e in ordered(flat) if e.op is ops.SYMBOL), (), tuple(flat))


Naming = Callable[[Any, Collection[str]], Intermediates]
"""How intermediates are named: `program` or `whole`."""


class Lengths:
    """About how many characters expressions take with nothing named, by a count that cannot run away; each part is counted once."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def __call__(self, e: Any) -> int:
        if type(e) is not Expr:
            return 0
        known, waiting = self._known, [e]
        while waiting:
            x = waiting[-1]
            missing = [] if x in known else [a for a in x.args if type(a) is Expr and a not in known]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if x not in known:
                parts = sum(
                    known[a] if type(a) is Expr else len(f"{a:.17g}" if type(a) is float else a) for a in x.args
                )
                known[x] = min(_own_length(x.op) + parts, 10**9)
        return known[e]


def expanded_length(e: Any) -> int:
    """About how many characters one expression takes."""
    return Lengths()(e)


def _shared(nodes: list[Expr], outputs: list[Any]) -> set[Expr]:
    """Nodes used more than once."""
    return {e for e, n in _uses(nodes, outputs).items() if n > 1}


def _uses(nodes: list[Expr], outputs: list[Any]) -> Counter[Expr]:
    """How often each node is used, but for symbols. A sign is never named: the uses of −x are uses of x."""
    uses: Counter[Expr] = Counter()
    for e in nodes:
        if e.op is not ops.NEG:
            uses.update(_unsigned(a) for a in e.operands)
    uses.update(_unsigned(x) for x in outputs if type(x) is Expr)
    return Counter({e: n for e, n in uses.items() if e.op is not ops.SYMBOL})


def _with_choices(nodes: list[Expr], named: set[Expr]) -> set[Expr]:
    """Further names, so that no condition holds a choice: that is hard to read, and SymPy would take it apart."""
    named, choosing = set(named), set()
    for e in nodes:
        inside = [a for a in map(_unsigned, e.operands) if a in choosing]
        if e.op in ops.BOOLEAN:
            named.update(inside)
        elif e.op is ops.SELECT or not named.issuperset(inside):
            choosing.add(e)
    return named


def _with_cuts(nodes: list[Expr], named: set[Expr], uses: Mapping[Expr, int] | None = None) -> set[Expr]:
    """Further names, so that no expression written down to names and symbols is much longer than a line.

    Where uses are given, what is used often enough to be worth it gets a name too.
    """
    named = set(named)
    length: dict[Expr, int] = {}

    def written(x: Any) -> int:
        if type(x) is not Expr:
            return len(repr(x))
        return _NAME if x in named else length[x]

    for e in nodes:
        if e.op is ops.SYMBOL:
            length[e] = len(e.name)
        elif e.op is not ops.NEG:
            parts = [_unsigned(a) for a in e.args]
            while (total := _own_length(e.op) + sum(map(written, parts))) > LINE:
                longest = max(parts, key=written)
                if type(longest) is not Expr or longest.op is ops.SYMBOL or longest in named:
                    break
                named.add(longest)
            length[e] = total
            n = uses.get(e, 1) if uses else 1
            if (n - 1) * total > WORTH + n * _NAME:
                named.add(e)
    return named


def _own_length(op: ops.Op) -> int:
    if op in (ops.MUL, ops.DIV):
        return len("*")
    return 0 if op is ops.SYMBOL else len(" + ") if op in _INFIX else len(f"{op}()")


def _unsigned(x: Any) -> Any:
    return x.args[0] if type(x) is Expr and x.op is ops.NEG else x


def _free_names(taken: Collection[str]) -> Iterator[str]:
    """z1, z2, … without those that would look like a name in use: z1, but also z_1 or z.1."""
    similar = {"".join(filter(str.isalnum, name)) for name in taken}
    return (name for k in itertools.count(1) if (name := f"z{k}") not in similar)
