"""Walking the graph: order, evaluation, substitution, counting, and what can be computed before some inputs are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.trace import ops
from dalembert.trace.expr import Expr, Scalar, node, plain, symbol
from dalembert.trace.scalar_functions import maximum, minimum, select


def flatten(values: Any) -> list[Any]:
    """The scalars of nested sequences and arrays, in row-major order."""
    if isinstance(values, np.ndarray):
        return list(values.ravel())
    if isinstance(values, (list, tuple)):
        return [x for v in values for x in flatten(v)]
    return [values]


def ordered(outputs: Any) -> list[Expr]:
    """All nodes the outputs depend on, every node after its arguments."""
    nodes = [x for x in flatten(outputs) if type(x) is Expr]
    seen = set(nodes)
    nodes = list(seen)
    for e in nodes:  # it grows as we go
        if e.op is not ops.SYMBOL:
            for a in e.args:
                if type(a) is Expr and a not in seen:
                    seen.add(a)
                    nodes.append(a)
    return sorted(nodes, key=_serial)


_serial = attrgetter("serial")


def as_rows(e: Expr) -> list[tuple[Any, ...]]:
    """A node and all it depends on: operation and arguments, where an integer is the number of another row."""
    nodes = ordered([e])
    number = {x: i for i, x in enumerate(nodes)}
    return [(x.op, *(number[a] if type(a) is Expr else a for a in x.args)) for x in nodes]


def from_rows(rows: list[tuple[Any, ...]]) -> Expr:
    """The node that `as_rows` took apart."""
    made: list[Expr] = []
    for op, *args in rows:
        made.append(symbol(*args) if op is ops.SYMBOL else node(op, *(made[a] if type(a) is int else a for a in args)))
    return made[-1]


def free_symbols(outputs: Any) -> list[Expr]:
    """The symbols the outputs depend on, in order of creation."""
    return [e for e in ordered(outputs) if e.op is ops.SYMBOL]


def evaluate(outputs: Any, values: Mapping[Expr, Any]) -> Any:
    """The outputs' values where every symbol has the given value (a float, or an array of samples).

    An expression gives its value, a sequence a list, an array an array of the same shape. As in machine code, a function
    outside its domain is nan or inf: it may stand in a branch that `select` does not take.
    """
    return Walk(outputs)(values)


class Walk:
    """Outputs to be evaluated more than once: their nodes in order."""

    def __init__(self, outputs: Any):
        self._outputs, self._nodes = outputs, ordered(outputs)

    def __call__(self, values: Mapping[Expr, Any]) -> Any:
        known: dict[Any, Any] = dict(values)
        value = known.get  # a float is not among the nodes: it stands for itself
        with np.errstate(all="ignore"):
            for e in self._nodes:
                if e in known:
                    continue
                args = e.args
                if len(args) == 2:
                    known[e] = e.op.value(value(args[0], args[0]), value(args[1], args[1]))
                elif e.op is ops.SYMBOL:
                    raise TraceError(f"no value was given for the symbol {e.name!r}")
                else:
                    known[e] = e.op.value(*[value(a, a) for a in args])
        return reshaped(self._outputs, lambda x: known[x] if type(x) is Expr else x)


def substitute(outputs: Any, replacements: Mapping[Expr, Any]) -> Any:
    """The outputs rebuilt with symbols replaced by other expressions or floats, simplified on the way."""
    new: dict[Expr, Any] = {e: plain(x) for e, x in replacements.items()}
    with np.errstate(all="ignore"):
        for e in ordered(outputs):
            if e not in new:
                new[e] = e if e.op is ops.SYMBOL else rebuild(e.op, [new[a] if type(a) is Expr else a for a in e.args])
    return reshaped(outputs, lambda x: new[x] if type(x) is Expr else x)


def rebuild(op: ops.Op, args: Sequence[Scalar]) -> Scalar:
    """The operation applied anew, so that folding and sign rules act on the new arguments."""
    if not any(type(a) is Expr for a in args):
        return op.value(*args)
    maker = _MAKERS.get(op)
    return maker(*args) if maker else node(op, *map(plain, args))


_MAKERS: dict[ops.Op, Any] = {
    ops.ADD: lambda a, b: a + b,
    ops.SUB: lambda a, b: a - b,
    ops.NEG: lambda a: -a,
    ops.MUL: lambda a, b: a * b,
    ops.DIV: lambda a, b: a / b,
    ops.POW: lambda a, b: a**b,
    ops.SIN: lambda a: a.sin(),
    ops.COS: lambda a: a.cos(),
    ops.ABS: abs,
    ops.MIN: minimum,
    ops.MAX: maximum,
    ops.AND: lambda a, b: a & b,
    ops.OR: lambda a, b: a | b,
    ops.SELECT: select,
}


def reshaped(outputs: Any, value: Any) -> Any:
    """Nested sequences and arrays like the outputs, of every scalar's value."""
    if isinstance(outputs, np.ndarray):
        flat = [value(x) for x in outputs.ravel()]
    elif isinstance(outputs, (list, tuple)):
        return [reshaped(x, value) for x in outputs]
    else:
        return value(outputs)
    if any(isinstance(x, np.ndarray) for x in flat):  # samples: put their axis first
        samples = np.stack(np.broadcast_arrays(*flat), axis=-1)
        return samples.reshape(*samples.shape[:-1], *outputs.shape)
    made = np.array(flat, dtype=object if any(type(x) is Expr for x in flat) else float)
    return made.reshape(outputs.shape)


@dataclass(frozen=True)
class Operations:
    """How many operations of each kind a graph holds, shared parts counted once."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    trigonometric: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        return self.multiplications + self.additions + self.divisions + self.trigonometric + self.other


def count_operations(outputs: Any) -> Operations:
    """Operations needed to compute all outputs together; a change of sign counts as an addition."""
    counts: dict[str, int] = {}
    for e in ordered(outputs):
        counts[e.op.kind] = counts.get(e.op.kind, 0) + 1
    counts.pop("symbol", None)
    return Operations(**counts)


def depends_on(outputs: Any, wanted: Iterable[Expr]) -> bool:
    """Whether any output depends on any of the symbols."""
    return not set(wanted).isdisjoint(ordered(outputs))


def known_before(outputs: Any, late: Iterable[Expr]) -> list[Expr]:
    """The computed values that do not depend on the late symbols but are needed where they do (or are outputs themselves)."""
    waiting: set[Expr] = set(late)
    needed: dict[Expr, None] = {}

    def need(x: Any) -> None:
        if type(x) is Expr and x not in waiting and x.op is not ops.SYMBOL:
            needed[x] = None

    for e in ordered(outputs):
        if e.op is not ops.SYMBOL and any(type(a) is Expr and a in waiting for a in e.args):
            waiting.add(e)
            for a in e.args:
                need(a)
    for x in flatten(outputs):
        need(x)
    return list(needed)
