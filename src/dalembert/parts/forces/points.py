"""Points of bodies, as forces name them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dalembert.errors import ModelError
from dalembert.parts.names import text
from dalembert.parts.numbers import numbers
from dalembert.portable import Portable
from dalembert.vectors import ZERO, Vector


@dataclass(frozen=True, eq=False)
class Point(Portable):
    """A point fixed in a body (or the ground), in the body's axes from its origin; or in the axes of a node of an elastic body."""

    body: str
    """Name of the body."""
    at: Vector = field(default_factory=lambda: ZERO)
    """Position in the body's axes from its origin (or in the node's axes from the node), m."""
    node: str | None = None
    """Node of an elastic body."""

    def __post_init__(self) -> None:
        text(self.body, "Point: body")
        if self.node is not None:
            text(self.node, "Point: node")
        object.__setattr__(self, "at", numbers(self.at, (3,), f'Point of "{self.body}"'))

    @classmethod
    def trusted(cls, body: str, at: Vector, node: str | None) -> Point:
        """A point from parts already known to be right."""
        made = object.__new__(cls)
        for name, value in (("body", body), ("at", at), ("node", node)):
            object.__setattr__(made, name, value)
        return made


def point(given: Any, what: str) -> Point:
    """A Point from a Point, a body's name, (name, three numbers), or (name, node)."""
    if isinstance(given, Point):
        return given
    if isinstance(given, str):
        return Point(given)
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], str):
        if isinstance(given[1], str):
            return Point(given[0], node=given[1])
        return Point(given[0], numbers(given[1], (3,), what))
    raise ModelError(f'{what} must be a body\'s name, ("name", (x, y, z)) or ("name", "node"), not {given!r}')
