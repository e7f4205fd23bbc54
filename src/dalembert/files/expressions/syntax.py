"""What an expression is made of. Every part knows its place in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SyntaxNode:
    at: int

    @property
    def condition(self) -> bool:
        """Whether its value is true or false instead of a number."""
        return False

    @property
    def inner(self) -> tuple[SyntaxNode, ...]:
        return ()


@dataclass(frozen=True)
class Number(SyntaxNode):
    value: float


@dataclass(frozen=True)
class Name(SyntaxNode):
    """A parameter, an argument, a constant or t."""

    name: str


@dataclass(frozen=True)
class JointRead(SyntaxNode):
    """q.joint, q.joint.freedom, u.joint, u.joint.freedom."""

    kind: str
    joint: str
    freedom: str | None


@dataclass(frozen=True)
class OutputRead(SyntaxNode):
    """out.name, or out.name.x of an output with three components."""

    output: str
    part: str | None


@dataclass(frozen=True)
class SignalRead(SyntaxNode):
    """element.name: a state or an output of an element; own.name in the formulas of an element itself."""

    name: str


@dataclass(frozen=True)
class Call(SyntaxNode):
    function: str
    arguments: tuple[SyntaxNode, ...]
    apply: Callable[..., Any]

    @property
    def inner(self) -> tuple[SyntaxNode, ...]:
        return self.arguments


@dataclass(frozen=True)
class Minus(SyntaxNode):
    of: SyntaxNode

    @property
    def inner(self) -> tuple[SyntaxNode, ...]:
        return (self.of,)


@dataclass(frozen=True)
class Chain(SyntaxNode):
    """first ∘ second ∘ third …, from the left, with operators of one rank: + and −, or * and /, or `and`, or `or`."""

    first: SyntaxNode
    rest: tuple[tuple[str, SyntaxNode], ...]

    @property
    def condition(self) -> bool:
        return self.rest[0][0] in ("and", "or")

    @property
    def inner(self) -> tuple[SyntaxNode, ...]:
        return (self.first, *(node for _, node in self.rest))


@dataclass(frozen=True)
class Power(SyntaxNode):
    base: SyntaxNode
    exponent: SyntaxNode

    @property
    def inner(self) -> tuple[SyntaxNode, ...]:
        return (self.base, self.exponent)


@dataclass(frozen=True)
class Compared(SyntaxNode):
    sign: str
    left: SyntaxNode
    right: SyntaxNode

    @property
    def condition(self) -> bool:
        return True

    @property
    def inner(self) -> tuple[SyntaxNode, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class Not(SyntaxNode):
    of: SyntaxNode

    @property
    def condition(self) -> bool:
        return True

    @property
    def inner(self) -> tuple[SyntaxNode, ...]:
        return (self.of,)


def parts(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """The node and everything in it."""
    yield node
    for x in node.inner:
        yield from parts(x)
