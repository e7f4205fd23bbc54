"""Mass properties of the uniform solids that robot files know, by half sizes."""

from __future__ import annotations

import math

import numpy as np

from dalembert.parts import MassProperties
from dalembert.parts.frames import Frame
from dalembert.vectors import ZERO


def solid(kind: str, size: np.ndarray) -> tuple[float, MassProperties]:
    """Volume, and mass properties of mass 1 about the middle."""
    return _volume(kind, size), _unit_mass(kind, size)


def placed(unit: MassProperties, at: Frame, mass: float) -> MassProperties:
    """Mass properties of a body of mass 1 in its own frame, as those of this mass in the frame it is placed in."""
    R = at.rotation
    inertia = mass * R @ unit.inertia @ R.T
    return MassProperties(mass, at.position + R @ unit.com, 0.5 * (inertia + inertia.T))


def _volume(kind: str, size: np.ndarray) -> float:
    r = float(size[0])
    match kind:
        case "sphere":
            return 4.0 / 3.0 * math.pi * r**3
        case "capsule":
            return math.pi * r * r * (2.0 * float(size[1]) + 4.0 / 3.0 * r)
        case "cylinder":
            return 2.0 * math.pi * r * r * float(size[1])
        case "ellipsoid":
            return 4.0 / 3.0 * math.pi * float(np.prod(size))
        case _:
            return 8.0 * float(np.prod(size))


def _unit_mass(kind: str, size: np.ndarray) -> MassProperties:
    """Uniform, of mass 1, about its centre; the axis of round forms is z."""
    r = float(size[0])
    match kind:
        case "sphere":
            moments = [2.0 / 5.0 * r * r] * 3
        case "capsule":
            moments = _capsule(r, float(size[1]))
        case "cylinder":
            across = (3.0 * r * r + 4.0 * float(size[1]) ** 2) / 12.0
            moments = [across, across, 0.5 * r * r]
        case kind:
            xx, yy, zz = size * size / (5.0 if kind == "ellipsoid" else 3.0)
            moments = [yy + zz, zz + xx, xx + yy]
    return MassProperties(1.0, ZERO, np.diag(moments))


def _capsule(r: float, half: float) -> list[float]:
    """A cylinder and two half balls, whose mass centres lie 3/8 r beyond its ends."""
    tube, balls = 2.0 * half, 4.0 / 3.0 * r
    m, b = tube / (tube + balls), balls / (tube + balls)
    along = m * 0.5 * r * r + b * (2.0 / 5.0) * r * r
    across = m * (3.0 * r * r + tube * tube) / 12.0 + b * (2.0 / 5.0 * r * r + half * half + 0.75 * r * half)
    return [across, across, along]
