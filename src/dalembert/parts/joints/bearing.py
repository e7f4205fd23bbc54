"""How a joint's friction is loaded by what the joint transmits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dalembert.vectors import Vector, across


@dataclass(frozen=True, eq=False)
class Bearing:
    """Sizes of a bearing, m; None where they do not matter."""

    radius: Any = None
    """Radius of a pin, a ball or a thread."""
    ring: Any = None
    """Mean radius of the collar that takes thrust."""
    length: Any = None
    """Length of a guide, or distance between the two ends of a bearing."""


class LoadTerm(NamedTuple):
    """A part of a load: arm · |rows w|, w being torque (axes of the child) and force (axes of the parent) on the child, then what
    motors and springs exert along the joint's speeds."""

    arm: Any
    rows: np.ndarray


def on_force(*directions: Any) -> np.ndarray:
    """Rows that take components of the force."""
    return np.array([[0.0, 0.0, 0.0, *np.asarray(d)] for d in directions])


def on_torque(*directions: Any) -> np.ndarray:
    """Rows that take components of the torque."""
    return np.array([[*np.asarray(d), 0.0, 0.0, 0.0] for d in directions])


def pin(axis: Vector, b: Bearing) -> list[LoadTerm]:
    """A pin with friction at its radius: force across it, thrust on its collar, and what its ends bear against tilting."""
    sideways = across(axis)
    terms = [LoadTerm(b.radius, on_force(*sideways))] if b.radius is not None else []
    if b.ring is not None:
        terms.append(LoadTerm(b.ring, on_force(axis)))
    if b.length is not None and b.radius is not None:
        terms.append(LoadTerm(2.0 * b.radius / b.length, on_torque(*sideways)))
    return terms


def guide(axis: Vector, b: Bearing) -> list[LoadTerm]:
    """A slide: force across it, and with a length what its ends bear against turning."""
    terms = [LoadTerm(1.0, on_force(*across(axis)))]
    if b.length is not None:
        terms.append(LoadTerm(2.0 / b.length, on_torque(*np.eye(3))))
    return terms
