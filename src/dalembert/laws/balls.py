"""Balls: many balls that touch each other and planes, by time stepping alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.arguments import numbers
from dalembert.errors import ModelError
from dalembert.laws.checks import check_not_negative, check_restitution
from dalembert.laws.law import Law
from dalembert.laws.surfaces import SurfaceLike
from dalembert.laws.surfaces.plane import SurfacePlane
from dalembert.parts.fields import BodyName, PlainNumber, Values


@dataclass(frozen=True, eq=False)
class Balls(Law):
    """Balls about the origins of many bodies, which touch each other and planes of the ground: `da.Balls(names, radius=0.05, mu=0.3)`.

    Every body is a free one, on a joint of its own to the ground. Pairs that touch are found anew in every step, so that hundreds of
    balls can be marched by time stepping (`method="moreau"`); for few balls event by event there is `da.PairContact`.
    """

    of_differences = True
    stepped_only = True
    of: tuple[BodyName, ...]
    radius: Values = 0.0
    planes: tuple[SurfaceLike, ...] | None = None
    mu: PlainNumber = 0.0
    restitution: PlainNumber = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f"Balls of {len(self.of)} bodies"
        check_restitution(self.restitution, where)
        check_not_negative(where, mu=self.mu)
        if len(set(self.of)) != len(self.of) or not self.of:
            raise ModelError(f"{where}: name every body once, and one at least")
        radii = np.atleast_1d(numbers(self.radius, f"{where}: radius"))
        if radii.shape not in ((1,), (len(self.of),)) or not (np.isfinite(radii) & (radii > 0.0)).all():
            raise ModelError(f"{where}: radius must be a number above 0, or one for each of them")
        for plane in self.planes or ():
            if not isinstance(plane, SurfacePlane) or plane.place.body != "ground":
                raise ModelError(f"{where}: planes must be da.surfaces.plane(…) of the ground, not {plane!r}")

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(self.of)

    @property
    def radii(self) -> np.ndarray:
        """One for every ball."""
        return np.broadcast_to(np.asarray(self.radius, dtype=float), len(self.of))

    @property
    def walls(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Point and normal of every plane."""
        return [(np.array(x.at.at, dtype=float), np.array(x.normal, dtype=float)) for x in self.planes or ()]

    @property
    def content(self) -> list[Any]:
        walls = [list(x) for wall in self.walls for x in wall]
        return [tuple(self.of), *self.radii.tolist(), *(x for wall in walls for x in wall), self.mu, self.restitution]
