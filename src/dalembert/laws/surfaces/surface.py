"""What every surface must say about itself to touch others.

Against a plane, a surface gives by `supports(s, n)` the balls that may lie lowest along the plane's normal n; against a ball, by
`distance(s, x)` how far the ball's centre x is from it. What can do neither says so by leaving the method out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.errors import ModelError
from dalembert.parts.conform import Described
from dalembert.parts.forces.points import Point
from dalembert.portable import Portable
from dalembert.trace import Scalar, select, sqrt
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.laws.surfaces.closed_curve import SurfaceCurve

NOT_A_LENGTH = 1e-150
"""Length below which a vector has no direction: far below every length, and its square is still a number."""


class SupportBall(NamedTuple):
    """A ball of a surface; a point where the radius is zero."""

    centre: Vector
    radius: Any


class NearestPoint(NamedTuple):
    """How far a point of the world is outside a surface, and the surface's unit normal towards it."""

    distance: Any
    normal: Vector


class Segment(NamedTuple):
    """A bar with round ends: the centres of these, and their radius."""

    a: Vector
    b: Vector
    radius: Any


@dataclass(frozen=True, eq=False)
class Surface(Described, Portable):
    """What every surface is made from."""

    @property
    def place(self) -> Point:
        """A point of the body that it belongs to."""
        raise NotImplementedError

    @property
    def flat(self) -> bool:
        """Whether it is a plane."""
        return False

    @property
    def sharp(self) -> bool:
        """Whether its normal is known only at a distance from it, or from its core: what touches it must be round."""
        return True

    @property
    def offers(self) -> frozenset[str]:
        """What it gives: "supports", "distance", "balls", "segment", "curve"."""
        return frozenset(
            name
            for name in ("supports", "distance", "balls", "segment", "curve")
            if getattr(type(self), name) is not getattr(Surface, name)
        )

    def supports(self, s: State, n: Vector) -> Sequence[SupportBall]:
        """Balls that may be lowest along n, a unit vector of the world."""
        raise self._cannot("lie on a plane")

    def distance(self, s: State, x: Vector) -> NearestPoint:
        """How far a point of the world is from it."""
        raise self._cannot("be touched by a ball")

    def balls(self, s: State) -> Sequence[SupportBall]:
        """The balls that it consists of."""
        raise self._cannot("be taken for balls")

    def segment(self, s: State) -> Segment:
        """The bar with round ends that it is."""
        raise self._cannot("be taken for a bar")

    def curve(self) -> SurfaceCurve:
        """The closed curve of a plane that it is."""
        raise self._cannot("be taken for a curve")

    def _cannot(self, what: str) -> ModelError:
        return ModelError(f"{self.word} cannot {what}")

    @property
    def word(self) -> str:
        """What it is, for sentences."""
        return type(self).__name__.removeprefix("Surface").lower()


def length_of(v: Vector) -> Scalar:
    """|v|, and as good as nothing, with a slope of zero, where v is nothing."""
    squared = v @ v
    return sqrt(select(squared > NOT_A_LENGTH * NOT_A_LENGTH, squared, NOT_A_LENGTH * NOT_A_LENGTH))


def away(v: Vector) -> NearestPoint:
    """Length and direction of v."""
    size = length_of(v)
    return NearestPoint(size, v / size)
