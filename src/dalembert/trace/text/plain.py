"""A computation as plain lines a person can read: `name = expression`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dalembert.trace import ops
from dalembert.trace.canonical import canonical
from dalembert.trace.expr import Expr, tracing
from dalembert.trace.text.intermediates import Naming, program
from dalembert.trace.text.latex_atoms import fraction
from dalembert.trace.text.notation import Level, Piece, Writer, place, signed
from dalembert.trace.text.python import TRACED


def _number(x: float) -> Piece:
    """The shortest text of a number: 2, 9.81, 1/3."""
    if x < 0.0:
        return Piece("-" + _number(-x).at(Level.PRODUCT), Level.SIGN)
    if x == int(x) if abs(x) < LARGEST else False:
        return Piece(str(int(x)))
    found = fraction(x) if len(repr(x)) > ENDLESS else None
    return Piece("{}/{}".format(*found), Level.PRODUCT) if found else signed(repr(x))


def _multiply(write: Writer, a: Any, b: Any) -> Piece:
    """Numbers first, equal factors as a power, functions last; what is divided by comes after all of them."""
    top, bottom = _fraction(write, [a, b])
    if not bottom:
        return _product(write, top)
    below = _product(write, bottom)
    above = _product(write, top).at(Level.PRODUCT) if top else "1"
    return Piece(f"{above}/{below.at(Level.POWER)}", Level.PRODUCT)


def _divide(write: Writer, a: Any, b: Any) -> Piece:
    return Piece(f"{write(a).at(Level.PRODUCT)}/{write(b).at(Level.POWER)}", Level.PRODUCT)


def _product(write: Writer, factors: list[Any]) -> Piece:
    powers = Counter(x for x in factors if type(x) is Expr)
    order = sorted(powers, key=place)
    number = math.prod(x for x in factors if type(x) is not Expr)
    texts = [_number(number).at(Level.PRODUCT)] if number != 1.0 or not order else []
    for x in order:
        texts.append(write(x).at(Level.PRODUCT) if powers[x] == 1 else f"{write(x).at(Level.ATOM)}**{powers[x]}")
    return Piece("*".join(texts), Level.PRODUCT) if len(texts) > 1 else _alone(write, order, texts[0], powers)


def _alone(write: Writer, order: list[Expr], text: str, powers: Counter[Expr]) -> Piece:
    """One factor by itself, as tightly bound as it is."""
    if not order:
        return Piece(text, Level.PRODUCT if "/" in text else Level.ATOM)
    return write(order[0]) if powers[order[0]] == 1 else Piece(text, Level.POWER)


def _fraction(write: Writer, factors: list[Any]) -> tuple[list[Any], list[Any]]:
    """The factors above and below the line, of products and quotients within a product; what has a name is one factor."""
    above: list[Any] = []
    below: list[Any] = []
    for x in factors:
        if write.spells_out(x, ops.MUL):
            up, down = _fraction(write, list(x.args))
        elif write.spells_out(x, ops.DIV):
            up, into = _fraction(write, [x.args[0]])
            down, over = _fraction(write, [x.args[1]])
            up, down = up + over, down + into
        else:
            up, down = [x], []
        above, below = above + up, below + down
    return [x for x in above if type(x) is Expr or x != 1.0], below


LARGEST, ENDLESS = 1e15, 15
"""Whole numbers beyond which powers of ten are written, and characters of decimals for which a fraction is sought."""

PLAIN = replace(TRACED, number=_number, rules={**TRACED.rules, ops.MUL: _multiply, ops.DIV: _divide})
"""As `repr` writes, with products and numbers as one would write them by hand."""


def plain_text(outputs: Mapping[str, Any], naming: Naming = program) -> str:
    """A line for every named intermediate, then one for every output."""
    with tracing():
        outputs = dict(zip(outputs, canonical(list(outputs.values()))))
    steps = naming(list(outputs.values()), outputs)
    names = {s: s.name for s in steps.inputs}
    write = PLAIN.writer(names)
    lines = []
    for name, e in steps.assignments:
        lines.append(f"{name} = {PLAIN.define(e, write).text}")
        names[e] = name
    lines += [f"{name} = {write(e).text}" for name, e in outputs.items()]
    return "\n".join(lines)
