"""How two surfaces touch: which ways there are, and the places that each gives. To add one: write it and add it to `WAYS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.laws.surfaces.capsule import near_points
from dalembert.laws.surfaces.closed_curve import curve_places
from dalembert.laws.surfaces.surface import Surface, away
from dalembert.trace import Expr
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


class PlaceOfTouch(NamedTuple):
    """Where surfaces may touch: the gap, the unit normal from the second to the first, and the place, all in the world."""

    gap: Any
    normal: Vector
    at: Vector


class PairWay(NamedTuple):
    """A way in which two surfaces touch."""

    suits: Callable[[Surface, Surface], bool]
    places: Callable[[Surface, Surface, Any], list[PlaceOfTouch]]


def _on_plane(a: Surface, b: Surface, s: State) -> list[PlaceOfTouch]:
    """Everything that may lie lowest, on a plane."""
    n = b.distance(s, s.position(b.place)).normal
    return [
        PlaceOfTouch(b.distance(s, ball.centre).distance - ball.radius, n, ball.centre - ball.radius * n)
        for ball in a.supports(s, n)
    ]


def _balls_on(a: Surface, b: Surface, s: State) -> list[PlaceOfTouch]:
    """Balls on anything that knows its distance."""
    found = []
    for ball in a.balls(s):
        near = b.distance(s, ball.centre)
        found.append(PlaceOfTouch(near.distance - ball.radius, near.normal, ball.centre - ball.radius * near.normal))
    return found


def _bars(a: Surface, b: Surface, s: State) -> list[PlaceOfTouch]:
    """Two bars with round ends."""
    first, second = a.segment(s), b.segment(s)
    found = []
    for pair in near_points(first, second):
        far = away(pair.x - pair.y)
        gap = far.distance - first.radius - second.radius + pair.besides
        found.append(PlaceOfTouch(gap, far.normal, pair.x - first.radius * far.normal))
    return found


def _curves(a: Surface, b: Surface, s: State) -> list[PlaceOfTouch]:
    """Two closed curves of a plane."""
    return [PlaceOfTouch(*x) for x in curve_places(a.curve(), b.curve(), s)]


WAYS = (
    PairWay(lambda a, b: b.flat and not a.flat and "supports" in a.offers, _on_plane),
    PairWay(lambda a, b: "balls" in a.offers and "distance" in b.offers and not b.flat, _balls_on),
    PairWay(lambda a, b: "segment" in a.offers and "segment" in b.offers, _bars),
    PairWay(lambda a, b: "curve" in a.offers and "curve" in b.offers, _curves),
)


def way_of(a: Surface, b: Surface) -> tuple[PairWay, bool] | None:
    """The way in which they touch, and whether it sees b first; None where there is none."""
    for way in WAYS:
        for first, second, turned in ((a, b, False), (b, a, True)):
            if way.suits(first, second):
                return way, turned
    return None


def places_of(a: Surface, b: Surface, s: State) -> list[PlaceOfTouch]:
    """Every place where they may touch."""
    found = way_of(a, b)
    assert found is not None
    way, turned = found
    if not turned:
        return way.places(a, b, s)
    return [PlaceOfTouch(x.gap, -x.normal, x.at) for x in way.places(b, a, s)]


def round_enough(a: Surface, b: Surface) -> bool:
    """Whether their normal is known where they touch: where both are sharp, one of them must be round."""
    if not (a.sharp and b.sharp):
        return True
    radii = [getattr(x, "radius", 0.0) for x in (a, b) if {"balls", "segment"} & x.offers]
    return any(isinstance(r, Expr) or r > 0.0 for r in radii)
