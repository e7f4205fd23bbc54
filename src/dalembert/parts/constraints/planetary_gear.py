"""PlanetaryGear: sun, ring and carrier of an epicyclic gear, by Willis' equation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.constraints.coupling import check_coordinate, coordinate
from dalembert.parts.fields import Count, JointValue

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class PlanetaryGear(Constraint):
    """z_s (sun − carrier) + z_r (ring − carrier) = offset, with the teeth of sun and ring: Willis' equation.

    The three coordinates are those of joints to the same frame, one of which may be left out because it stands still. `planet`, of a
    joint on the carrier, turns with them: z_p planet = z_r (ring − carrier), z_p = (z_r − z_s)/2.
    """

    sun_teeth: Count
    ring_teeth: Count
    sun: str | None = None
    ring: str | None = None
    carrier: str | None = None
    planet: str | None = None
    offset: JointValue = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(x is None for x in (self.sun, self.ring, self.carrier)) > 1:
            raise ModelError("PlanetaryGear: name two at least of sun, ring and carrier; the third then stands still")
        if self.ring_teeth <= self.sun_teeth:
            raise ModelError(
                f"PlanetaryGear: ring_teeth={self.ring_teeth} must be more than sun_teeth={self.sun_teeth}, since planets lie between"
            )

    @property
    def _named(self) -> list[str]:
        return [x for x in (self.sun, self.ring, self.carrier, self.planet) if x is not None]

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(name.partition(".")[0] for name in self._named)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        for each in self._named:
            check_coordinate(name, each, joint_of)

    def residual(self, s: State) -> np.ndarray:
        sun, ring, carrier = (0.0 if x is None else coordinate(s, x) for x in (self.sun, self.ring, self.carrier))
        teeth = self.sun_teeth + self.ring_teeth
        rows = [(self.sun_teeth * (sun - carrier) + self.ring_teeth * (ring - carrier)) / teeth - self.offset]
        if self.planet is not None:
            between = 0.5 * (self.ring_teeth - self.sun_teeth)
            rows.append(coordinate(s, self.planet) - self.ring_teeth / between * (ring - carrier))
        return np.array(rows)
