"""PairContact: surfaces of two bodies that cannot go through each other, with Coulomb's friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.laws.planar_pair import axis_of_plane
from dalembert.laws.surfaces import SurfaceLike
from dalembert.laws.surfaces.pairs import places_of, round_enough, way_of
from dalembert.laws.surfaces.plane import SurfacePlane
from dalembert.laws.surfaces.surface import Surface, length_of
from dalembert.laws.touching import Touch, Touching
from dalembert.parts.forces.points import Point
from dalembert.trace import select
from dalembert.vectors import IDENTITY, Vector, across, cross

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

NEAR_POLE = 0.9
"""Component of a normal along z from which on directions of slip are measured from x instead."""


@dataclass(frozen=True, eq=False)
class PairContact(Touching):
    """Two surfaces that touch: `da.PairContact(da.surfaces.sphere("a", radius=0.1), da.surfaces.sphere("b", radius=0.2), mu=0.3)`.

    Every surface touches planes (but planes themselves and height fields), and spheres touch everything; corners touch whatever
    spheres do, capsules also each other. `mu`, `mu_static`, `stribeck` and `restitution` are as of `da.Contact`. Where they touch
    in several places, each is an element of the law.
    """

    of_differences = True
    a: SurfaceLike
    b: SurfaceLike

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f"PairContact of {_named(self.a)} and {_named(self.b)}"
        self._check(where)
        if self.a.place.body == self.b.place.body:
            raise ModelError(f"{where}: a body does not touch itself; name surfaces of two bodies")
        if way_of(self.a, self.b) is None:
            raise ModelError(
                f"{where}: how these touch is not known exactly; put spheres or corners on one of them, or a plane on the other"
            )
        if not round_enough(self.a, self.b):
            raise ModelError(f"{where}: where a point touches an edge there is no normal; give one of them a radius")

    @property
    def ends(self) -> tuple[Point, Point]:
        return self.a.place, self.b.place

    def touches(self, s: State) -> Sequence[Touch]:
        places = places_of(self.a, self.b, s)
        flat = next((x for x in (self.a, self.b) if isinstance(x, SurfacePlane)), None)
        if flat is not None:
            R = s.rotation(flat.at)
            first, second = (R @ x for x in across(np.array(flat.normal)))
            return [Touch(x.gap, x.at, (first, second)) for x in places]
        a, b = self.ends
        axis = axis_of_plane(s, a, b)
        return [Touch(x.gap, x.at, _along_surface(s.rotation(b), x.normal, axis)) for x in places]


def _along_surface(R: Any, n: Vector, axis: Vector | None) -> tuple[Vector, Vector]:
    """Two unit vectors across the normal n; the second is the axis across which nothing moves, if there is one. R turns both into the
    world; without such an axis they are measured from z of the second body, from its x where the normal is near z."""
    if axis is None:
        x, z = R @ IDENTITY[0], R @ IDENTITY[2]
        near = abs(n @ z) > NEAR_POLE
        beside = np.array([select(near, p, q) for p, q in zip(x, z)])
    else:
        beside = R @ axis
    first = cross(beside, n)
    first = first / length_of(first)
    return first, cross(n, first)


def _named(surface: Surface) -> str:
    return f'{surface.word} of "{surface.place.body}"'
