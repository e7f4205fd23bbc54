"""Slip in a plane: its direction turns ever faster as it slows down, so that its end is foreseen, not stepped over.

While an element slides in two directions, every step is examined: the next one is not longer than a part of the time that is left
until the slip ends at its present rate; where that is shorter than anything else in the motion, the slip ends there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.kinematics.law_mode import ElementState, LawMode

if TYPE_CHECKING:
    from dalembert.simulation.event_driven.law_run import LawRun

PART = 0.8
"""Part of the time left that a step may take."""
SLOW = 1e-9
"""Slip, by its scale in the mechanism's own time, at which it may be ended."""
SHORT = 1e-3
"""Part of the usual step that the time left must be below for that."""
NO_TIME = 1e-15
"""Part of the time that is rounding."""


class PlanarSlip(NamedTuple):
    """An element that slides in a plane: its speed, the rate of that, and the time left until it ends."""

    element: int
    speed: float
    rate: float

    still: float = 0.0
    """Speed that counts as none."""

    @property
    def begins(self) -> bool:
        """Whether it has only just begun, or grows."""
        return self.speed <= self.still or self.rate >= 0.0

    def seen(self, still: float) -> PlanarSlip:
        """The same, with the speed that counts as none."""
        return self._replace(still=still)

    @property
    def left(self) -> float:
        return -self.speed / self.rate if self.rate < 0.0 else np.inf


def planar(mode: LawMode) -> list[int]:
    """Elements that slide in two directions, or more, under a load."""
    return [
        i
        for i, (e, state) in enumerate(zip(mode.table.elements, mode.states))
        if state is ElementState.SLIP and len(e.tangents) > 1 and mode.loaded(i)
    ]


def planar_slips(k: Kinetics, mode: LawMode, udot: np.ndarray) -> list[PlanarSlip]:
    """All slips in a plane, in a state with these accelerations."""
    found = []
    for i in planar(mode):
        rows = list(k.elements[i].tangents)
        v = k.v[rows]
        speed = float(np.linalg.norm(v))
        way = v / speed if speed > 0.0 else mode.direction(i)
        found.append(PlanarSlip(i, speed, float(way @ (k.J[rows] @ udot - k.gamma[rows]))))
    return found


def ending(run: LawRun, k: Kinetics, udot: np.ndarray) -> PlanarSlip | None:
    """The slip that ends now; else the next step is limited by the slip that ends first."""
    slips = planar_slips(k, run.mode, udot)
    run.part("longest_step")[:] = run.longest_step
    if not slips:
        return None
    first = min(slips, key=lambda x: x.left)
    usual = run.usual_step or run.span
    if first.speed < SLOW * k.speed_scale(first.element) and first.left < SHORT * usual:
        return first
    if np.isfinite(first.left):
        least = NO_TIME * max(1.0, abs(run.t))
        run.part("longest_step")[:] = min(run.longest_step, max(PART * first.left, least))
    return None
