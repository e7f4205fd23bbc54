"""Joints as robot files know them: each of ours is a row of hinges, slides and balls, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.parts.joints import (
    Cylindrical,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Translation,
    Universal,
    Weld,
)
from dalembert.parts.joints.axis import across
from dalembert.vectors import IDENTITY, Vector

HINGE, SLIDE, BALL, FREE, SCREW = "hinge", "slide", "ball", "free", "screw"


@dataclass(eq=False)
class RowJoint:
    """One joint of a row. Where all stand at zero, the axes of a row's frames are parallel."""

    kind: str
    coordinates: tuple[str, ...]
    """Those of the whole joint that are its own."""
    axis: Vector = field(default_factory=lambda: IDENTITY[2])
    pitch: float = 0.0
    """Advance of a screw per turn, m."""
    name: str = ""
    start: tuple[float, ...] = ()
    """Coordinates at the start."""
    rate: tuple[float, ...] = ()
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    ends: tuple[float, float] | None = None

    @property
    def single(self) -> bool:
        return self.kind in (HINGE, SLIDE, SCREW)


def _turns(orientation: str, names: tuple[str, ...]) -> list[RowJoint]:
    """A ball, or the hinges of a sequence of angles."""
    if orientation == "euler_parameters":
        return [RowJoint(BALL, names)]
    sequence = "123" if orientation == "angles" else orientation
    return [RowJoint(HINGE, (name,), IDENTITY[int(k) - 1]) for k, name in zip(sequence, names)]


def _slides(*directions: Any, names: tuple[str, ...] = ("x", "y", "z")) -> list[RowJoint]:
    return [RowJoint(SLIDE, (name,), np.asarray(d, dtype=float)) for name, d in zip(names, directions)]


def _free(j: Free) -> list[RowJoint]:
    if j.orientation == "euler_parameters":
        return [RowJoint(FREE, j.coordinates)]
    return [*_slides(*IDENTITY), *_turns(j.orientation, j.coordinates[:-3])]


def _planar(j: Planar) -> list[RowJoint]:
    normal = np.array(j.normal)
    return [*_slides(*across(normal), names=("x", "y")), RowJoint(HINGE, ("angle",), normal)]


def _universal(j: Universal) -> list[RowJoint]:
    return [RowJoint(HINGE, (c,), np.array(a)) for c, a in (("1", j.axis_parent), ("2", j.axis_child))]


ROWS: dict[type[Joint], Callable[[Any], list[RowJoint]]] = {
    Weld: lambda j: [],
    Revolute: lambda j: [RowJoint(HINGE, ("",), np.array(j.axis))],
    Prismatic: lambda j: [RowJoint(SLIDE, ("",), np.array(j.axis))],
    Screw: lambda j: [RowJoint(SCREW, ("",), np.array(j.axis), float(j.pitch))],
    Cylindrical: lambda j: [
        RowJoint(HINGE, ("angle",), np.array(j.axis)),
        RowJoint(SLIDE, ("slide",), np.array(j.axis)),
    ],
    Planar: _planar,
    Translation: lambda j: _slides(*IDENTITY),
    Universal: _universal,
    Spherical: lambda j: _turns(j.orientation, j.coordinates),
    Free: _free,
}
"""Rows by kind of joint; the others have no place in robot files."""
