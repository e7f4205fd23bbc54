"""A computation as plain lines a person can read: `name = expression`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.text.intermediates import Naming, program
from dalembert.trace.text.notation import Level, Piece, Writer
from dalembert.trace.text.python import TRACED


def _multiply(write: Writer, a: Any, b: Any) -> Piece:
    """Numbers first, equal factors as a power, functions last."""
    factors = [*_factors(write, a), *_factors(write, b)]
    powers = Counter(x for x in factors if type(x) is Expr)
    order = sorted(powers, key=lambda x: (x.op is not ops.SYMBOL, x.serial))
    texts = [write(x).at(Level.PRODUCT) for x in factors if type(x) is not Expr]
    for x in order:
        texts.append(write(x).at(Level.PRODUCT) if powers[x] == 1 else f"{write(x).at(Level.ATOM)}**{powers[x]}")
    return Piece("*".join(texts), Level.PRODUCT if len(texts) > 1 else Level.POWER)


def _factors(write: Writer, x: Any) -> list[Any]:
    if write.spells_out(x, ops.MUL):
        return [*_factors(write, x.args[0]), *_factors(write, x.args[1])]
    return [x]


PLAIN = replace(TRACED, rules={**TRACED.rules, ops.MUL: _multiply})
"""As `repr` writes, with products as one would write them by hand."""


def plain_text(outputs: Mapping[str, Any], naming: Naming = program) -> str:
    """A line for every named intermediate, then one for every output."""
    steps = naming(list(outputs.values()), outputs)
    names = {s: s.name for s in steps.inputs}
    write = PLAIN.writer(names)
    lines = []
    for name, e in steps.assignments:
        lines.append(f"{name} = {PLAIN.define(e, write).text}")
        names[e] = name
    lines += [f"{name} = {write(e).text}" for name, e in outputs.items()]
    return "\n".join(lines)
