"""Operators as C and Python share them. Their text computes exactly what the graph says, rounding included."""

from __future__ import annotations

from typing import Any

from dalembert.trace import ops
from dalembert.trace.text.notation import Level, Piece, Rule, Write


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
