"""Recursive descent over an expression's tokens, loosest operators first. Depth is limited, so that no text can exhaust the stack.

either     := both ("or" both)*
both       := negation ("and" negation)*
negation   := "not" negation | comparison
comparison := sum (("<" | "<=" | ">" | ">=") sum)?
sum        := product (("+" | "-") product)*
product    := signed (("*" | "/") signed)*
signed     := ("-" | "+") signed | power
power      := atom (("^" | "**") signed)?
atom       := number | name | out.name | element.name | name "(" either ("," either)* ")" | ("q" | "u") "[" text "]" | "(" either ")"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from dalembert.files.expressions.functions import FUNCTIONS
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
)  # fmt: skip
from dalembert.files.expressions.tokens import ExpressionError, Token, tokens
from dalembert.parts.names import nearest

DEEPEST = 60
"""Brackets, signs and powers within each other."""
KNOWN = "coordinates are q.joint or q.joint.freedom, speeds u.joint, outputs out.name, signals element.name"
"""What names with dots may stand for."""


Tables = Mapping[str, Callable[[Any], Any]]
"""Functions of one argument that a model brings with it."""
NO_TABLES: Tables = MappingProxyType({})


def parse(text: str, tables: Tables = NO_TABLES) -> SyntaxNode:
    """The expression, which must be a number (not a condition)."""
    return _Parser(text, tables).whole()


class _Parser:
    def __init__(self, text: str, tables: Tables):
        self.text, self.tokens, self.at, self.depth = text, tokens(text), 0, 0
        self.functions = {**{name: (apply, 1) for name, apply in tables.items()}, **FUNCTIONS}

    @property
    def now(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def has(self, *signs: str) -> bool:
        return self.now.kind in ("sign", "name") and self.now.text in signs

    def need(self, sign: str) -> Token:
        if not self.has(sign):
            found = f"not {self.now.text!r}" if self.now.kind != "end" else "but the expression ends"
            raise self.error(self.now.at, f"{sign!r} is expected here, {found}")
        return self.take()

    def error(self, at: int, problem: str) -> ExpressionError:
        return ExpressionError(self.text, at, problem)

    def whole(self) -> SyntaxNode:
        if self.now.kind == "end":
            raise self.error(0, "it is empty; write a number or a formula")
        node = self.number(self.either())
        if self.now.kind != "end":
            raise self.error(self.now.at, f"{self.now.text!r} is not expected here; is an operator missing before it?")
        return node

    # -- kinds ---------------------------------------------------------------------------------------------------------
    def number(self, node: SyntaxNode) -> SyntaxNode:
        if node.condition:
            raise self.error(node.at, "a condition is no number; use select(condition, a, b)")
        return node

    def condition(self, node: SyntaxNode) -> SyntaxNode:
        if not node.condition:
            raise self.error(node.at, "a condition such as q.A > 0 is expected here")
        return node

    # -- ranks ---------------------------------------------------------------------------------------------------------
    def either(self) -> SyntaxNode:
        return self.chain(self.both, ("or",), self.condition)

    def both(self) -> SyntaxNode:
        return self.chain(self.negation, ("and",), self.condition)

    def negation(self) -> SyntaxNode:
        if not self.has("not"):
            return self.comparison()
        at = self.take().at
        return Not(at, self.condition(self.deeper(self.negation, at)))

    def comparison(self) -> SyntaxNode:
        left = self.sum()
        if not self.has("<", "<=", ">", ">="):
            return left
        sign = self.take()
        made = Compared(sign.at, sign.text, self.number(left), self.number(self.sum()))
        if self.has("<", "<=", ">", ">="):
            raise self.error(self.now.at, "comparisons cannot be chained; join two of them with `and`")
        return made

    def sum(self) -> SyntaxNode:
        return self.chain(self.product, ("+", "-"), self.number)

    def product(self) -> SyntaxNode:
        return self.chain(self.signed, ("*", "/"), self.number)

    def chain(
        self, operand: Callable[[], SyntaxNode], signs: tuple[str, ...], kind: Callable[[SyntaxNode], SyntaxNode]
    ) -> SyntaxNode:
        first = operand()
        if not self.has(*signs):
            return first
        rest = []
        while self.has(*signs):
            sign = self.take().text
            rest.append((sign, kind(operand())))
        return Chain(first.at, kind(first), tuple(rest))

    def signed(self) -> SyntaxNode:
        if self.has("+", "-"):
            sign = self.take()
            node = self.number(self.deeper(self.signed, sign.at))
            return Minus(sign.at, node) if sign.text == "-" else node
        return self.power()

    def power(self) -> SyntaxNode:
        base = self.atom()
        if not self.has("^", "**"):
            return base
        at = self.take().at
        return Power(at, self.number(base), self.number(self.deeper(self.signed, at)))

    # -- atoms ---------------------------------------------------------------------------------------------------------
    def atom(self) -> SyntaxNode:
        token = self.take()
        if token.kind == "number":
            return Number(token.at, float(token.text))
        if token.kind == "name":
            return self.named(token)
        if token.kind == "sign" and token.text == "(":
            node = self.deeper(self.either, token.at)
            self.need(")")
            return node
        if token.kind == "end":
            raise self.error(token.at, "it ends where a value is expected")
        raise self.error(token.at, f"a value is expected here, not {token.text!r}")

    def named(self, token: Token) -> SyntaxNode:
        if self.has("("):
            return self.call(token)
        if self.has("[") and token.text in ("q", "u"):
            return self.bracketed(token)
        kind, *path = token.text.split(".")
        if not path:
            return Name(token.at, kind)
        if token.text in self.functions:
            raise self.error(token.at, f"{token.text} is a function: write {token.text}(t)")
        if kind not in ("q", "u", "out") and len(path) == 1:
            return SignalRead(token.at, token.text)
        if kind not in ("q", "u", "out") or len(path) > 2:
            raise self.error(token.at, f"{token.text!r} is not known; {KNOWN}")
        part = path[1] if len(path) == 2 else None
        return OutputRead(token.at, path[0], part) if kind == "out" else JointRead(token.at, kind, path[0], part)

    def bracketed(self, token: Token) -> SyntaxNode:
        """q["a name with signs in it"]."""
        self.need("[")
        name = self.take()
        if name.kind != "text":
            raise self.error(name.at, "a joint's name in quotes is expected here")
        self.need("]")
        joint, _, freedom = name.text[1:-1].partition(".")
        return JointRead(token.at, token.text, joint, freedom or None)

    def call(self, token: Token) -> SyntaxNode:
        if token.text not in self.functions:
            raise self.error(
                token.at, f"there is no function {token.text!r}; {nearest(token.text, self.functions, 'functions are')}"
            )
        self.need("(")
        given = [self.deeper(self.either, token.at)]
        while self.has(","):
            self.take()
            given.append(self.deeper(self.either, token.at))
        self.need(")")
        apply, count = self.functions[token.text]
        if len(given) != count:
            raise self.error(token.at, f"{token.text} takes {count} argument{'s' * (count > 1)}, not {len(given)}")
        head = [self.condition(given.pop(0))] if token.text == "select" else []
        return Call(token.at, token.text, (*head, *(self.number(x) for x in given)), apply)

    def deeper(self, rule: Callable[[], SyntaxNode], at: int) -> SyntaxNode:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(at, f"it is nested more than {DEEPEST} deep")
        node = rule()
        self.depth -= 1
        return node
