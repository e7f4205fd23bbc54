"""What belts and cables have in common: pulleys, and the way over them."""

from __future__ import annotations

from typing import Any

from dalembert.elements.drawn.spans import Pulleys
from dalembert.elements.element import Element
from dalembert.parts.forces.points import Point


class OverPulleys(Element):
    """A base of elements with fields for `pulleys` in their order, their radii, sides and axis; an end is a pulley of radius 0."""

    pulleys: tuple[Point, ...]
    radii: tuple[Any, ...]
    sides: tuple[Any, ...] | None
    axis: Any
    closed: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        self.path.check(type(self).__name__)

    @property
    def path(self) -> Pulleys:
        """The way it takes."""
        return Pulleys(self.pulleys, self.radii, self.sides or (1.0,) * len(self.pulleys), self.axis, self.closed)

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(p.body for p in self.pulleys)
