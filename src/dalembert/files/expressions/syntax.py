"""What an expression is made of. Every part knows its place in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Node:
    at: int

    @property
    def condition(self) -> bool:
        """Whether its value is true or false instead of a number."""
        return False

    @property
    def inner(self) -> tuple[Node, ...]:
        return ()


@dataclass(frozen=True)
class Number(Node):
    value: float


@dataclass(frozen=True)
class Name(Node):
    """A parameter, an argument, a constant or t."""

    name: str


@dataclass(frozen=True)
class Freedom(Node):
    """q.joint, q.joint.freedom, u.joint, u.joint.freedom."""

    kind: str
    joint: str
    freedom: str | None


@dataclass(frozen=True)
class Reading(Node):
    """out.name, or out.name.x of an output with three components."""

    output: str
    part: str | None


@dataclass(frozen=True)
class Call(Node):
    function: str
    arguments: tuple[Node, ...]
    apply: Callable[..., Any]

    @property
    def inner(self) -> tuple[Node, ...]:
        return self.arguments


@dataclass(frozen=True)
class Minus(Node):
    of: Node

    @property
    def inner(self) -> tuple[Node, ...]:
        return (self.of,)


@dataclass(frozen=True)
class Chain(Node):
    """first ∘ second ∘ third …, from the left, with operators of one rank: + and −, or * and /, or `and`, or `or`."""

    first: Node
    rest: tuple[tuple[str, Node], ...]

    @property
    def condition(self) -> bool:
        return self.rest[0][0] in ("and", "or")

    @property
    def inner(self) -> tuple[Node, ...]:
        return (self.first, *(node for _, node in self.rest))


@dataclass(frozen=True)
class Power(Node):
    base: Node
    exponent: Node

    @property
    def inner(self) -> tuple[Node, ...]:
        return (self.base, self.exponent)


@dataclass(frozen=True)
class Comparison(Node):
    sign: str
    left: Node
    right: Node

    @property
    def condition(self) -> bool:
        return True

    @property
    def inner(self) -> tuple[Node, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class Not(Node):
    of: Node

    @property
    def condition(self) -> bool:
        return True

    @property
    def inner(self) -> tuple[Node, ...]:
        return (self.of,)


def parts(node: Node) -> Iterator[Node]:
    """The node and everything in it."""
    yield node
    for x in node.inner:
        yield from parts(x)
