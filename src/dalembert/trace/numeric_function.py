"""Expressions evaluated on numbers again and again: walked at first, then written and compiled as Python, once for all that are alike.

Two functions are alike where their graphs differ in the values of constants alone: the loops of a net, say. Constants are then one
more argument of the function that both call.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from dalembert.cached import cached_property
from dalembert.trace import ops
from dalembert.trace.expr import Expr, node, tracing, unshared_symbol
from dalembert.trace.graph import Walk, flatten, ordered, reshaped

WORTH_COMPILING = 50
"""Evaluations that cost as much as writing and compiling a function: 46 to 68 in the loops of the gallery."""

WITH_CONSTANTS = frozenset((ops.ADD, ops.SUB, ops.MUL, ops.DIV))
"""Operations whose constants become arguments; of others, like powers, the written form hangs on the number."""

CONSTANTS = "constants"
"""The argument that constants are."""

Inputs = Mapping[str, Expr | list[Expr]]
Outputs = Mapping[str, Any]


class NumericFunction:
    """The outputs, by name, as a list of arrays and floats, of arguments that are numbers or sequences of numbers.

    Nan where a function in it is outside its domain, as in machine code. Arguments without a symbol are left out of `inputs` by
    the caller.
    """

    def __init__(self, inputs: Inputs, outputs: Outputs):
        self._inputs, self._outputs = inputs, outputs

    def __call__(self, *values: Any) -> list[Any]:
        kind, constants = self._kind
        return kind(*values, constants) if constants else kind(*values)

    @cached_property
    def _kind(self) -> tuple[_Kind, list[float]]:
        """The function for all that are alike, and this one's constants."""
        nodes = [e for e in ordered(list(self._outputs.values())) if e.op is not ops.SYMBOL]
        key = _structure(self._inputs, self._outputs, nodes)
        kind = _kinds.get(key)
        if kind is None:
            kind = _kinds[key] = _general(self._inputs, self._outputs, nodes)
        return kind, [a for e in nodes for a in _constants_of(e)]


class _Kind:
    """What functions that are alike call."""

    def __init__(self, inputs: Inputs, outputs: Outputs):
        self._inputs, self._outputs = inputs, outputs
        self._calls = 0

    def __call__(self, *values: Any) -> list[Any]:
        self._calls += 1
        if self._calls <= WORTH_COMPILING:
            return self._walked(values)
        try:
            found = self._compiled(*values)
        except (ValueError, ArithmeticError):
            return self._walked(values)
        return list(found) if len(self._outputs) > 1 else [found]

    def _walked(self, values: tuple[Any, ...]) -> list[Any]:
        known: dict[Expr, Any] = {}
        for x, v in zip(self._inputs.values(), values):
            if isinstance(x, Expr):
                known[x] = v
            else:
                known.update(zip(x, v))
        found: list[Any] = self._walk(known)
        return found

    @cached_property
    def _walk(self) -> Walk:
        return Walk(list(self._outputs.values()))

    @cached_property
    def _compiled(self) -> Callable[..., Any]:
        from dalembert.trace.text import python_function

        return python_function("values", dict(self._inputs), dict(self._outputs))


_kinds: WeakValueDictionary[Hashable, _Kind] = WeakValueDictionary()


def _constants_of(e: Expr) -> list[float]:
    """Constants of a node that are arguments."""
    return [a for a in e.args if type(a) is not Expr] if e.op in WITH_CONSTANTS else []


def _structure(inputs: Inputs, outputs: Outputs, nodes: Sequence[Expr]) -> Hashable:
    """The same for graphs that differ in such constants and in names of symbols alone: nodes in their order, by their arguments."""
    place: dict[Expr, Hashable] = {}
    for name, given in inputs.items():
        place |= {given: name} if isinstance(given, Expr) else {x: (name, i) for i, x in enumerate(given)}
    place |= {e: i for i, e in enumerate(nodes)}

    def literal(a: Any) -> Hashable:
        if type(a) is Expr:
            return place.get(a, a)
        return "literal", a.hex() if type(a) is float else a

    def of(e: Expr) -> Hashable:
        if e.op in WITH_CONSTANTS:
            return e.op, *(place.get(a, a) if type(a) is Expr else CONSTANTS for a in e.args)
        return e.op, *map(literal, e.args)

    sizes = tuple((name, None if isinstance(x, Expr) else len(x)) for name, x in inputs.items())
    shapes = tuple((name, getattr(x, "shape", None), *map(literal, flatten(x))) for name, x in outputs.items())
    return sizes, tuple(map(of, nodes)), shapes


def _general(inputs: Inputs, outputs: Outputs, nodes: Iterable[Expr]) -> _Kind:
    """The function with its constants as symbols."""
    with tracing():
        known: dict[Expr, Expr] = {}
        constants: list[Expr] = []
        for e in nodes:
            args: list[Any] = []
            for a in e.args:
                if type(a) is not Expr and e.op in WITH_CONSTANTS:
                    constants.append(unshared_symbol(f"{CONSTANTS} {len(constants)}"))
                    args.append(constants[-1])
                else:
                    args.append(known.get(a, a) if type(a) is Expr else a)
            known[e] = node(e.op, *args)
        made = reshaped(list(outputs.values()), lambda x: known.get(x, x) if type(x) is Expr else x)
    every = {**inputs, CONSTANTS: constants} if constants else inputs
    return _Kind(every, dict(zip(outputs, made)))
