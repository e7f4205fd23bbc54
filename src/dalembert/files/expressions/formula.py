"""What an expression computes: on numbers, on traced values, on a state."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.files.expressions.functions import CONSTANTS, FUNCTIONS
from dalembert.files.expressions.parser import KNOWN, NO_TABLES, Tables, parse
from dalembert.files.expressions.syntax import (
    Call,
    Chain,
    Compared,
    JointRead,
    Minus,
    Name,
    Not,
    Number,
    OutputRead,
    Power,
    SignalRead,
    SyntaxNode,
    parts,
)  # fmt: skip
from dalembert.files.expressions.tokens import ExpressionError
from dalembert.parts.names import nearest
from dalembert.trace import Expr, Scalar, symbol

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "and": operator.and_, "or": operator.or_,
}  # fmt: skip

Scope = Callable[[SyntaxNode], Any]
"""The value of a name or of a freedom."""


def evaluated(node: SyntaxNode, text: str, scope: Scope) -> Scalar:
    """Value of a node in a scope: a float, or an Expr. What has no value (1/0, log(-1), too large) is an error with its place."""
    try:
        value: Scalar = _value(node, text, scope)
        return value
    except RecursionError:
        raise ExpressionError(text, node.at, "it is nested too deeply") from None


def _value(node: SyntaxNode, text: str, scope: Scope) -> Any:
    try:
        match node:
            case Number():
                return node.value
            case Name() | JointRead() | OutputRead() | SignalRead():
                return scope(node)
            case Minus():
                return -_value(node.of, text, scope)
            case Chain():
                total = _value(node.first, text, scope)
                for sign, x in node.rest:
                    other = _value(x, text, scope)
                    total = _finite(_BINARY[sign](total, other), total, other)
                return total
            case Power():
                return _power(_value(node.base, text, scope), _value(node.exponent, text, scope))
            case Compared():
                return _BINARY[node.sign](_value(node.left, text, scope), _value(node.right, text, scope))
            case Not():
                inner = _value(node.of, text, scope)
                return ~inner if type(inner) is Expr else not inner
            case Call():
                arguments = [_value(x, text, scope) for x in node.arguments]
                return _finite(node.apply(*arguments), *arguments)
    except (ValueError, ArithmeticError) as problem:
        raise ExpressionError(text, node.at, f"it has no value here ({problem})") from problem
    raise AssertionError(node)


def _finite(value: Any, *made_of: Any) -> Any:
    """A value. What is made of finite numbers must be finite."""
    if (
        type(value) is float
        and not math.isfinite(value)
        and all(type(x) is not Expr and math.isfinite(x) for x in made_of)
    ):
        raise OverflowError("too large")
    return value


def _power(base: Any, exponent: Any) -> Any:
    if type(base) is not Expr and type(exponent) is not Expr and base < 0.0 and exponent != int(exponent):
        raise ValueError("a negative number to a broken power")
    return base**exponent


def named(text: str, at: int, name: str, known: Mapping[str, Scalar]) -> Scalar:
    """A name's value, a constant, or the error with what may have been meant."""
    if name in known:
        return known[name]
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name in FUNCTIONS:
        raise ExpressionError(text, at, f"{name} is a function: write {name}(…)")
    choice = [*known, *CONSTANTS]
    raise ExpressionError(text, at, f"there is no parameter or variable {name!r}; {nearest(name, choice)}")


class Formula:
    """A function that came from text and keeps it: of a state, `arguments` being ("s",), or of numbers with these names.

    Parameters in it stay symbols, as in any user's function.
    """

    def __init__(
        self,
        texts: Sequence[str],
        arguments: tuple[str, ...],
        parameters: Sequence[str],
        single: bool,
        tables: Tables = NO_TABLES,
        outputs: Mapping[str, Any] = NO_TABLES,
    ):
        self.texts, self.arguments, self.single = tuple(texts), arguments, single
        self.nodes = tuple(parse(text, tables) for text in texts)
        self._known = {name: symbol(name) for name in parameters}
        self._outputs = outputs

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """All that it calls."""
        return [x.apply for node in self.nodes for x in parts(node) if isinstance(x, Call)]

    def __repr__(self) -> str:
        return f"Formula({', '.join(self.texts)})"

    def __call__(self, *given: Any) -> Any:
        if self.arguments == ("s",):
            state, known = given[0], self._known | {"t": given[0].t}
        else:
            state, known = None, self._known | dict(zip(self.arguments, given))
        values = [self._value(text, node, state, known) for text, node in zip(self.texts, self.nodes)]
        return values[0] if self.single else np.array(values)

    def _value(self, text: str, node: SyntaxNode, state: Any, known: Mapping[str, Any]) -> Any:
        def scope(x: SyntaxNode) -> Any:
            if isinstance(x, Name):
                return named(text, x.at, x.name, known)
            if isinstance(x, OutputRead):
                return _output(state, text, x, self._outputs)
            if isinstance(x, SignalRead):
                return _signal(state, text, x)
            assert isinstance(x, JointRead)
            if state is None:
                what = ", ".join(self.arguments)
                raise ExpressionError(
                    text, x.at, f"coordinates and speeds are not known here, only {what} and parameters"
                )
            return _freedom(state, text, x)

        return evaluated(node, text, scope)


def _output(state: Any, text: str, x: OutputRead, outputs: Mapping[str, Any]) -> Any:
    """An output by name, or a component of one."""
    if x.output not in outputs:
        if not outputs:
            raise ExpressionError(
                text, x.at, "outputs are not known here; only events and chosen speeds may look at them"
            )
        raise ExpressionError(text, x.at, f"there is no output {x.output!r}; {nearest(x.output, outputs)}")
    value = np.asarray(outputs[x.output].value(state), dtype=object)
    if value.ndim == 0 and x.part is None:
        return value.item()
    if value.shape == (3,) and x.part in ("x", "y", "z"):
        return value["xyz".index(x.part)]
    its = f"out.{x.output}" if value.ndim == 0 else ", ".join(f"out.{x.output}.{c}" for c in "xyz")
    raise ExpressionError(text, x.at, f"output {x.output!r} is read as {its}")


def _signal(state: Any, text: str, x: SignalRead) -> Any:
    """A state or an output of an element."""
    if state is None:
        where = "forces of type motor and load, outputs, events and elements read signals"
        raise ExpressionError(text, x.at, f"{x.name!r} is not known here; {where}")
    try:
        return state.signal(x.name)
    except ModelError as problem:
        if str(problem).startswith("element "):
            raise
        meant = str(problem).rpartition("; ")[2]
        hint = meant if meant.startswith("did you mean") else KNOWN
        raise ExpressionError(text, x.at, f"{x.name!r} is not known; {hint}") from problem


def _freedom(state: Any, text: str, x: JointRead) -> Any:
    """A coordinate or speed of a joint or of an elastic body, or one that was chosen, by name."""
    own = state.own_variable(x.kind, x.joint if x.freedom is None else f"{x.joint}.{x.freedom}")
    if own is not None:
        return own
    try:
        coordinates, speeds, q, u = state.freedoms(x.joint)
    except ModelError as problem:
        raise ExpressionError(text, x.at, str(problem)) from problem
    names, values, what = (coordinates, q, "coordinate") if x.kind == "q" else (speeds, u, "speed")
    if x.freedom is None and len(names) == 1:
        return values[0]
    if x.freedom in names:
        return values[names.index(x.freedom)]
    its = ", ".join(f"{x.kind}.{x.joint}.{n}" for n in names if n) or (f"{x.kind}.{x.joint}" if names else "none")
    raise ExpressionError(text, x.at, f'joint "{x.joint}" has no such {what}; it has {its}')
