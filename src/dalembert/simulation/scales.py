"""Units of coordinates and speeds, and the sizes by which errors in them are judged."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.system.joints import Joint

SMALL = 1e-3
"""Absolute tolerances are this part of the relative one, times the mechanism's own length for what is measured in metres."""


Units = Callable[[Mechanism], tuple[str, ...]]


def _once(units: Units) -> Units:
    """Remembered for each mechanism."""
    known: WeakKeyDictionary[Mechanism, tuple[str, ...]] = WeakKeyDictionary()

    @wraps(units)
    def remembered(m: Mechanism) -> tuple[str, ...]:
        found = known.get(m)
        if found is None:
            found = known[m] = units(m)
        return found

    return remembered


@_once
def coordinate_units(m: Mechanism) -> tuple[str, ...]:
    """rad, m, or 1 for coordinates that satisfy a condition among themselves (Euler parameters) and for those of elastic bodies."""
    out: list[str] = []
    for j in m.numeric.joints:
        own, _ = _units(j.joint.inner)
        out += [unit for unit, at in zip(own, j.own_q) if at is not None]
        out += ["1"] * (len(j.q_at) - len(j.own_q))
    return tuple(out)


def prescribed_units(m: Mechanism) -> tuple[str, ...]:
    """Of the coordinates that are functions of time."""
    return tuple(_units(m.numeric.joints[k - 1].joint.inner)[0][i] for k, i in m.prescribed.values())


@_once
def speed_units(m: Mechanism) -> tuple[str, ...]:
    """rad/s or m/s; 1/s for those of elastic bodies."""
    out: list[str] = []
    for j in m.numeric.joints:
        _, own = _units(j.joint.inner)
        units = [*own, *["1/s"] * (j.joint.n_u - len(own))]
        out += [units[k] for k in j.free]
    return tuple(out)


def length(m: Mechanism) -> float:
    """The largest distance between a body's origin, its mass centre and its joints; 1 m where all are zero."""
    a = m.numeric.arrays
    largest = max(float(np.abs(x).max(initial=0.0)) for x in (a.com, a.parent_position, a.child_position))
    return largest or 1.0


def typical_coordinates(m: Mechanism) -> list[float]:
    """1 for angles and Euler parameters, the mechanism's length for what is measured in metres, a slight deformation for modes."""
    out = [length(m) if unit == "m" else 1.0 for unit in coordinate_units(m)]
    for j, b in zip(m.joints, m.bodies):
        for at, amplitude in zip(j.q_at[len(j.own_q) :], b.data.amplitudes if b.modes else ()):
            if at is not None:
                out[at] = float(amplitude)
    return out


def absolute_tolerances(m: Mechanism, rtol: float) -> np.ndarray:
    """For every element of (q, u)."""
    units = [*coordinate_units(m), *speed_units(m)]
    return rtol * SMALL * np.array([length(m) if unit in ("m", "m/s") else 1.0 for unit in units])


@lru_cache(maxsize=1000)
def _units(joint: Joint) -> tuple[list[str], list[str]]:
    """Of a joint's coordinates and of its speeds, by what a change of each does."""
    base, coordinates = joint.reference, []
    R = np.asarray(joint.rotation(base), dtype=float)
    for i in range(joint.n_q):
        moved = base.copy()
        moved[i] += 0.1
        if not np.array_equal(np.asarray(joint.admissible(moved), dtype=float), moved):
            coordinates.append("1")
        else:
            coordinates.append("m" if np.array_equal(np.asarray(joint.rotation(moved), dtype=float), R) else "rad")
    turning = np.asarray(joint.turning(base), dtype=float)
    return coordinates, ["rad/s" if np.any(turning[:, k] != 0.0) else "m/s" for k in range(joint.n_u)]
