"""A block's graph as a list of instructions, with products fused into sums and signs into both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from math import copysign
from typing import Any

from dalembert.trace.expr import Expr
from dalembert.trace.ops import ADD, DIV, MUL, NEG, SQRT, SUB

OPERATIONS = frozenset({ADD, SUB, NEG, MUL, DIV, SQRT})
"""What graphs may be made of."""

LATENCY = {
    "add": 3,
    "sub": 3,
    "mul": 3,
    "div": 13,
    "sqrt": 20,
    "xor": 1,
    "fmadd": 4,
    "fmsub": 4,
    "fnmadd": 4,
    "fnmsub": 4,
}
"""Cycles from operands to result; only their proportions matter."""

SIGN = "sign"
"""The source whose bits are those of −0: exclusive-or with it changes signs."""

_FUSED = {(False, False): "fmadd", (False, True): "fmsub", (True, False): "fnmadd", (True, True): "fnmsub"}
"""By the signs of product and addend."""


@dataclass
class Arithmetic:
    """Values are numbered. Each is a source (a symbol or a constant), or made by an instruction from others."""

    sources: dict[Any, int] = field(default_factory=dict)
    instructions: list[tuple[str, int, tuple[int, ...]]] = field(default_factory=list)
    """What is done, which value it makes, of which."""
    depth: list[int] = field(default_factory=list)
    """For each value, when it could be known at the earliest."""

    @property
    def count(self) -> int:
        return len(self.depth)

    def source(self, x: Any) -> int:
        found = self.sources.get(x)
        if found is None:
            found = self.sources[x] = self.count
            self.depth.append(0)
        return found

    def make(self, op: str, *operands: int) -> int:
        value = self.count
        self.depth.append(max(self.depth[a] for a in operands) + LATENCY[op])
        self.instructions.append((op, value, operands))
        return value


class Fusing:
    """Writes the nodes' instructions in their order; a product used once waits for the sum that takes it in."""

    def __init__(self, nodes: Sequence[Expr], outputs: Sequence[Any], inputs: Container[Any]) -> None:
        """`inputs`: what is known, among them the graph's symbols."""
        self.made, self._inputs = Arithmetic(), inputs
        self._uses = Counter(a for e in nodes for a in e.args)
        self._uses.update(outputs)
        self._signed: dict[Any, tuple[int, bool]] = {}
        self._plain: dict[Any, int] = {}
        stored = set(outputs)
        for e in nodes:
            if e in stored:
                self.value(e)
            elif not (e.op in (MUL, NEG) and self._uses[e] == 1):
                self.signed(e)

    def value(self, x: Any) -> int:
        """The number of a value, with its own sign."""
        x = _distinct(x)
        found = self._plain.get(x)
        if found is None:
            number, negative = self.signed(x)
            found = self._plain[x] = self.made.make("xor", number, self.made.source(SIGN)) if negative else number
        return found

    def signed(self, x: Any) -> tuple[int, bool]:
        """The number of a value or of its opposite."""
        x = _distinct(x)
        found = self._signed.get(x)
        if found is None:
            found = self._signed[x] = self._write(x)
        return found

    def _write(self, e: Any) -> tuple[int, bool]:
        made = self.made
        if type(e) is not Expr or e in self._inputs:
            return made.source(e), False
        if e.op is NEG:
            number, negative = self.signed(e.args[0])
            return number, not negative
        if e.op is SQRT:
            return made.make("sqrt", self.value(e.args[0])), False
        if e.op is MUL or e.op is DIV:
            (a, minus_a), (b, minus_b) = self.signed(e.args[0]), self.signed(e.args[1])
            return made.make("mul" if e.op is MUL else "div", a, b), minus_a != minus_b
        return self._sum(e)

    def _sum(self, e: Expr) -> tuple[int, bool]:
        made, minus = self.made, (False, e.op is SUB)
        products = [(k, *self._product(e.args[k])) for k in (1, 0)]
        fusable = [(k, self._factors(product), flipped) for k, product, flipped in products if product is not None]
        if fusable:  # of two products the one known later: the other is done by then
            k, ((a, minus_a), (b, minus_b)), flipped = max(fusable, key=lambda f: max(made.depth[x] for x, _ in f[1]))
            c, minus_c = self.signed(e.args[1 - k])
            op = _FUSED[(minus_a != minus_b) != (flipped != minus[k]), minus_c != minus[1 - k]]
            return made.make(op, a, b, c), False
        (a, minus_a), (b, minus_b) = self.signed(e.args[0]), self.signed(e.args[1])
        minus_b = minus_b != minus[1]
        if minus_a and minus_b:  # −1 a − b; −(a + b) would be −0 where this is 0
            return made.make("fnmsub", a, made.source(1.0), b), False
        if not minus_a and not minus_b:
            return made.make("add", a, b), False
        return made.make("sub", *((b, a) if minus_a else (a, b))), False

    def _factors(self, product: Expr) -> tuple[tuple[int, bool], tuple[int, bool]]:
        return self.signed(product.args[0]), self.signed(product.args[1])

    def _product(self, x: Any) -> tuple[Expr | None, bool]:
        """The product that this is, or is the opposite of, if nothing else uses it."""
        flipped = False
        while type(x) is Expr and self._uses[x] == 1 and x not in self._signed:
            if x.op is MUL:
                return x, flipped
            if x.op is not NEG:
                break
            x, flipped = x.args[0], not flipped
        return None, False


def _distinct(x: Any) -> Any:
    """−0 under a name of its own: as keys, 0 and −0 are one."""
    return SIGN if type(x) is not Expr and x == 0.0 and copysign(1.0, x) < 0.0 else x
