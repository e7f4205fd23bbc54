"""What the design view of a page needs: inputs that loops can be swept along, their transmission angles, the plane of the pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.linkage.transmission import four_link_loops, is_plane, transmission_angle
from dalembert.cached import cached_property
from dalembert.errors import DalembertError
from dalembert.kinematics.state import State
from dalembert.simulation.error_sizes import coordinate_units
from dalembert.topology import loops
from dalembert.vectors import cross
from dalembert.view.live.live_model import LiveModel
from dalembert.view.live.sliders import coordinate_speed_pairs

MOST_BODIES = 40
"""Bodies up to which polygons of velocities and accelerations are drawn."""
MOST_INPUTS = 12
"""Coordinates of loops that can be chosen as input of a sweep."""
PLANAR = 1e-6
"""Part of all angular velocities that may point out of one direction."""
ALONG_AXIS = 0.999
"""Part of a direction of the plane along an axis of the world from which on it bears that axis's name."""


@dataclass(frozen=True, eq=False)
class Design:
    """The design view of what a page marches."""

    live: LiveModel
    points: Sequence[Any] = ()
    """Points whose ways are drawn."""

    @property
    def polygons(self) -> bool:
        """Whether velocities and accelerations are drawn as polygons: of rigid bodies, if they are not too many."""
        m = self.live.mechanism
        return not m.elastic and not self.live.stepping and m.n_bodies <= MOST_BODIES

    @cached_property
    def inputs(self) -> list[tuple[int, int]]:
        """Places in q and u of coordinates in loops: those with given values first."""
        m, given = self.live.mechanism, self.live.fixed[0]
        inside = {k for loop in loops(m.tree) for k in loop.bodies if k}
        columns = {i for k in inside for i in m.joints[k - 1].columns} if m.variables is None else set(range(m.n_u))
        pairs = [pair for pair in coordinate_speed_pairs(m) if pair[1] in columns and pair[1] not in m.deforming]
        return sorted(pairs, key=lambda pair: pair[1] not in given)[:MOST_INPUTS]

    @cached_property
    def why_not(self) -> str:
        """Why loops cannot be swept, in a sentence; nothing where they can."""
        m = self.live.mechanism
        if not self.inputs:
            return "There is no closed loop to sweep."
        try:
            mobility = m.numeric.mobility
        except DalembertError as problem:
            return str(problem)
        if mobility != 1:
            return f"A sweep goes along one freedom, and this mechanism has {mobility}."
        return ""

    @cached_property
    def angles(self) -> dict[tuple[str, str], Callable[[State], Any]]:
        """Formulas of transmission angles in plane loops of four links, by input and by the joint that closes the loop."""
        m, start = self.live.mechanism, self.live.motion
        if self.why_not or m.elastic or m.variables is not None:
            return {}
        states = [m.numeric.state(q, np.zeros(m.n_u), float(t)) for q, t in zip(start.q[:3], start.t[:3])]
        found: dict[tuple[str, str], Callable[[State], Any]] = {}
        for joint in (m.coordinates[at] for at, _ in self.inputs):
            for cut, around in four_link_loops(m.numeric, joint).items():
                if not all(is_plane(s, around) for s in states):
                    continue
                traced = four_link_loops(m, joint)[cut]
                found[joint, cut] = lambda s, around=traced: [transmission_angle(s, around)]  # type: ignore[misc]
        return found

    @property
    def formulas(self) -> dict[str, Callable[[State], Any]]:
        """The angles, as a page's samples name them."""
        return {f"angle {i}": formula for i, formula in enumerate(self.angles.values())}

    @cached_property
    def plane(self) -> dict[str, Any]:
        """The plane that joints move in most, upright: two directions and their names."""
        across, up = self._across, self._up
        across = across * (1.0 if across[int(np.argmax(np.abs(across)))] > 0.0 else -1.0)
        if abs(across @ up) > ALONG_AXIS:
            up = np.eye(3)[1 if abs(across[1]) < ALONG_AXIS else 2]
        second = up - (up @ across) * across
        second = second / np.linalg.norm(second)
        first = np.asarray(cross(second, across), dtype=float)
        if first[int(np.argmax(np.abs(first)))] < 0.0:
            first = -first
        return {"axes": [first.tolist(), second.tolist()], "names": [_named(first), _named(second)]}

    @property
    def _across(self) -> np.ndarray:
        """The axis that all bodies turn about; else the direction in which the points whose ways are drawn move least."""
        moved = self.live.motion.body_motion()
        some = slice(None, None, max(1, len(moved.velocity) // 200))
        turned = np.linalg.svd(moved.angular_velocity[some].reshape(-1, 3), full_matrices=False)
        if turned.S[0] > 0.0 and turned.S[1] <= PLANAR * turned.S[0]:
            return np.asarray(turned.Vh[0])
        ways = [self.live.motion.position(p)[some] for p in self.points]
        moves = np.concatenate([way - way.mean(axis=0) for way in ways]) if ways else np.zeros((1, 3))
        if np.any(moves):
            return np.asarray(np.linalg.svd(moves, full_matrices=True).Vh[-1])
        return np.asarray(np.eye(3)[int(np.argmin(np.abs(self._up)))])

    @property
    def _up(self) -> np.ndarray:
        g = self.live.mechanism.numeric.gravity.astype(float)
        size = float(np.linalg.norm(g))
        return -g / size if size > 0.0 else np.array([0.0, 0.0, 1.0])

    @property
    def data(self) -> dict[str, Any]:
        """As the page reads it."""
        m = self.live.mechanism
        units = coordinate_units(m)
        inputs = [{"name": m.coordinates[at], "at": at, "speed": of, "unit": units[at]} for at, of in self.inputs]
        movable = [[at, of] for at, of in coordinate_speed_pairs(m) if of not in m.deforming]
        return {
            "inputs": [] if self.why_not else inputs, "why": self.why_not, "movable": movable, "units": list(units),
            "angles": [list(pair) for pair in self.angles],
            "plane": self.plane, "polygons": self.polygons,
        }  # fmt: skip


def _named(direction: np.ndarray) -> str:
    k = int(np.argmax(np.abs(direction)))
    if abs(direction[k]) < ALONG_AXIS:
        return ""
    return ("" if direction[k] > 0.0 else "−") + "xyz"[k]
