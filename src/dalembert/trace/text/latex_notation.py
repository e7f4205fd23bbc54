"""The rules by which operations are written in LaTeX: fractions, powers, products side by side."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.text.latex_atoms import number_in_latex
from dalembert.trace.text.notation import Level, Notation, Piece, Rule, Write, Writer, place

_COMMANDS = {
    ops.SIN: r"\sin", ops.COS: r"\cos", ops.TAN: r"\tan", ops.ASIN: r"\arcsin", ops.ACOS: r"\arccos",
    ops.ATAN: r"\arctan", ops.SINH: r"\sinh", ops.COSH: r"\cosh", ops.TANH: r"\tanh", ops.LOG: r"\ln",
    ops.ATAN2: r"\operatorname{atan2}", ops.SIGN: r"\operatorname{sgn}", ops.MIN: r"\min", ops.MAX: r"\max",
    ops.FLOOR: r"\operatorname{floor}", ops.FMOD: r"\operatorname{fmod}",
}  # fmt: skip


def _in_parentheses(text: str) -> str:
    tall = r"\frac" in text or r"\begin" in text or r"\sqrt" in text
    return rf"\left({text}\right)" if tall else f"({text})"


def _at(piece: Piece, level: Level) -> str:
    return piece.text if piece.level >= level else _in_parentheses(piece.text)


def _add(write: Write, a: Any, b: Any) -> Piece:
    return _sum(write(a), _at(write(b), Level.SUM), "+", "-")


def _subtract(write: Write, a: Any, b: Any) -> Piece:
    return _sum(write(a), _at(write(b), Level.SIGN), "-", "+")


def _sum(left: Piece, term: str, sign: str, opposite: str) -> Piece:
    if term.startswith("-"):
        sign, term = opposite, term[1:]
    return Piece(f"{_at(left, Level.SUM)} {sign} {term}", Level.SUM)


def _multiply(write: Writer, a: Any, b: Any) -> Piece:
    """Numbers, then symbols, then the rest, equal factors as a power."""
    factors = [*_factors(write, a), *_factors(write, b)]
    numbers = [_at(write(x), Level.PRODUCT) for x in factors if type(x) is not Expr]
    powers = Counter(x for x in factors if type(x) is Expr)
    order = sorted(powers, key=place)
    texts = [r" \cdot ".join(numbers)] * bool(numbers) + [_power(write, x, powers[x]) for x in order]
    return Piece(_side_by_side(texts), Level.PRODUCT if len(texts) > 1 else Level.POWER)


def _side_by_side(factors: list[str]) -> str:
    """A thin space keeps words apart, which letters do not need: m g, but mass length."""
    text = factors[0]
    for before, factor in pairwise(factors):
        words = any(x.startswith((r"\mathrm", r"{\mathrm")) for x in (before, factor))
        text += rf" \, {factor}" if words else f" {factor}"
    return text


def _factors(write: Writer, x: Any) -> list[Any]:
    """The factors of a product within a product; a product that has a name is one factor."""
    if write.spells_out(x, ops.MUL):
        return [*_factors(write, x.args[0]), *_factors(write, x.args[1])]
    return [x]


def _power(write: Writer, base: Expr, n: int) -> str:
    piece = write(base)
    if n == 1:
        return _at(piece, Level.PRODUCT)
    if base.op in _COMMANDS and write.spells_out(base, base.op):
        command = _COMMANDS[base.op]
        return f"{command}^{{{n}}}{piece.text.removeprefix(command)}"
    return _raised(piece, str(n))


def _raised(base: Piece, exponent: str) -> str:
    text = _at(base, Level.ATOM)
    return f"{{{text}}}^{{{exponent}}}" if "'" in text else f"{text}^{{{exponent}}}"  # a prime is an exponent to TeX


def _call(command: str) -> Rule:
    return lambda write, *args: Piece(command + _in_parentheses(", ".join(write(a).text for a in args)))


def _between(before: str, after: str, level: Level = Level.ATOM) -> Rule:
    return lambda write, a: Piece(before + write(a).text + after, level)


def _infix(sign: str, level: Level, operands: Level) -> Rule:
    return lambda write, a, b: Piece(f"{_at(write(a), operands)} {sign} {_at(write(b), operands)}", level)


def _cases(write: Write, condition: Any, yes: Any, no: Any) -> Piece:
    lines = rf"{write(yes).text} & \text{{if }} {write(condition).text} \\ {write(no).text} & \text{{otherwise}}"
    return Piece(rf"\begin{{cases}} {lines} \end{{cases}}", Level.CHOICE)


NOTATION = Notation(
    number_in_latex,
    {
        ops.ADD: _add,
        ops.SUB: _subtract,
        ops.NEG: lambda write, a: Piece("-" + _at(write(a), Level.PRODUCT), Level.SIGN),
        ops.MUL: _multiply,
        ops.DIV: lambda write, a, b: Piece(rf"\frac{{{write(a).text}}}{{{write(b).text}}}", Level.PRODUCT),
        ops.POW: lambda write, a, b: Piece(_raised(write(a), write(b).text), Level.POWER),
        ops.SQRT: _between(r"\sqrt{", "}"),
        ops.EXP: _between("e^{", "}", Level.POWER),
        ops.ABS: _between(r"\lvert ", r" \rvert"),
        **{op: _call(command) for op, command in _COMMANDS.items()},
        ops.LT: _infix("<", Level.COMPARISON, Level.SUM),
        ops.LE: _infix(r"\le", Level.COMPARISON, Level.SUM),
        ops.AND: _infix(r"\land", Level.AND, Level.COMPARISON),
        ops.OR: _infix(r"\lor", Level.OR, Level.COMPARISON),
        ops.NOT: lambda write, a: Piece(r"\lnot " + _at(write(a), Level.ATOM)),
        ops.SELECT: _cases,
    },
    lambda name: rf"\mathrm{{{name}}}".replace("_", r"\_"),
)
