"""How an expression becomes text: a table of rules per language, and parentheses only where precedence asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.ops import Op
from dalembert.trace.table import TableOp


class Level(IntEnum):
    """How tightly a text holds together, loosest first."""

    CHOICE, OR, AND, NOT, COMPARISON, SUM, SIGN, PRODUCT, POWER, ATOM = range(10)


class Piece(NamedTuple):
    """Text of a part of an expression."""

    text: str
    level: Level = Level.ATOM

    def at(self, level: Level) -> str:
        """The text where at least `level` is needed."""
        return self.text if self.level >= level else f"({self.text})"


Write = Callable[[Any], Piece]
"""Writes an argument of the expression at hand: an Expr or a float."""

Rule = Callable[..., Piece]
"""(write, *arguments) → the operation's text."""


@dataclass(frozen=True)
class Notation:
    """A language's way of writing numbers and operations."""

    number: Callable[[float], Piece]
    rules: Mapping[Op, Rule]
    function: Callable[[str], str] = str
    """How the name of a user's table is written."""

    def writer(self, names: Mapping[Expr, str]) -> Writer:
        """Writes down to the nodes that have names; all symbols must be among them."""
        return Writer(self, names)

    def define(self, e: Expr, write: Write) -> Piece:
        """The operation of the node itself, whether or not its value has a name."""
        if isinstance(e.op, TableOp):
            return Piece(f"{self.function(e.op.name)}({write(e.args[0]).text})")
        return self.rules[e.op](write, *e.args)


@dataclass(frozen=True)
class Writer:
    """Writes an expression, or an argument of one, in a notation."""

    notation: Notation
    names: Mapping[Expr, str]

    def __call__(self, x: Any) -> Piece:
        if type(x) is not Expr:
            return self.notation.number(float(x))
        return Piece(self.names[x]) if x in self.names else self.notation.define(x, self)

    def spells_out(self, e: Any, op: Op) -> bool:
        """Whether this is such an operation and not written as a mere name."""
        return type(e) is Expr and e.op is op and e not in self.names


def place(factor: Expr) -> tuple[Any, ...]:
    """A key by which factors stand in a product: symbols as they were made, sines and cosines by their angles, then all else."""
    if factor.op is ops.SYMBOL:
        return 0, factor.serial
    if factor.op in (ops.SIN, ops.COS) and type(factor.args[0]) is Expr:
        return 1, factor.args[0].serial, factor.op is ops.COS
    return 2, factor.serial


def signed(text: str) -> Piece:
    """The text of a number, as loose as a sign where it has one."""
    return Piece(text, Level.SIGN if text.startswith("-") else Level.ATOM)


def add(write: Write, a: Any, b: Any) -> Piece:
    left, right = write(a), write(b)
    if right.level == Level.SUM < left.level:
        left, right = right, left  # the same sum to the last bit, without parentheses
    return _sum(left, right, "+", "-")


def subtract(write: Write, a: Any, b: Any) -> Piece:
    return _sum(write(a), write(b), "-", "+")


def _sum(left: Piece, right: Piece, sign: str, opposite: str) -> Piece:
    term = right.at(Level.SIGN)
    if term.startswith("-"):
        sign, term = opposite, term[1:]
    return Piece(f"{left.at(Level.SUM)} {sign} {term}", Level.SUM)


def negate(write: Write, a: Any) -> Piece:
    return Piece(f"-{write(a).at(Level.PRODUCT)}", Level.SIGN)


def multiply(write: Write, a: Any, b: Any) -> Piece:
    left, right = write(a), write(b)
    if left.level != Level.PRODUCT and (type(b) is float or right.level == Level.PRODUCT):
        left, right = right, left
    return Piece(f"{left.at(Level.PRODUCT)}*{right.at(Level.POWER)}", Level.PRODUCT)


def divide(write: Write, a: Any, b: Any) -> Piece:
    return Piece(f"{write(a).at(Level.PRODUCT)}/{write(b).at(Level.POWER)}", Level.PRODUCT)


def call(function: str) -> Rule:
    return lambda write, *args: Piece(f"{function}({', '.join(write(a).text for a in args)})")


def compare(sign: str) -> Rule:
    return lambda write, a, b: Piece(f"{write(a).at(Level.SUM)} {sign} {write(b).at(Level.SUM)}", Level.COMPARISON)


def combine(sign: str, level: Level, operands: Level = Level.COMPARISON) -> Rule:
    """`and`, `or`: mixed or nested, they get parentheses although not all languages ask for them."""
    return lambda write, *args: Piece(f" {sign} ".join(write(a).at(operands) for a in args), level)


OPERATORS: dict[ops.Op, Rule] = {
    ops.ADD: add,
    ops.SUB: subtract,
    ops.NEG: negate,
    ops.MUL: multiply,
    ops.DIV: divide,
    ops.LT: compare("<"),
    ops.LE: compare("<="),
}

MATHEMATICS = frozenset(
    {
        *(ops.POW, ops.SQRT, ops.EXP, ops.LOG, ops.SINH, ops.COSH, ops.TANH),
        *(ops.FLOOR, ops.FMOD),
        *(ops.SIN, ops.COS, ops.TAN, ops.ASIN, ops.ACOS, ops.ATAN, ops.ATAN2),
    }
)
"""Functions that C's and Python's libraries call as `ops` does."""
