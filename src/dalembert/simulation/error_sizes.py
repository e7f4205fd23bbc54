"""Units of coordinates and speeds, and the sizes by which errors in them are judged."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.scales import BESIDE, units_of
from dalembert.mechanism.variable_changes import LinearCoordinates

SMALL = 1e-3
"""Absolute tolerances are this part of the relative one, times what is as large as the mechanism itself."""


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
    if m.variables is not None:
        return changed_units(m, coordinate_units(m.base), 0)
    out: list[str] = []
    for j in m.numeric.joints:
        own, _ = units_of(j.joint.inner)
        out += [unit for unit, at in zip(own, j.own_q) if at is not None]
        out += ["1"] * (len(j.q_at) - len(j.own_q))
    return tuple(out)


def prescribed_units(m: Mechanism) -> tuple[str, ...]:
    """Units of the coordinates that are functions of time."""
    return tuple(units_of(m.numeric.joints[k - 1].joint.inner)[0][i] for k, i in m.prescribed.values())


@_once
def speed_units(m: Mechanism) -> tuple[str, ...]:
    """rad/s or m/s; 1/s for those of elastic bodies."""
    if m.variables is not None:
        return changed_units(m, speed_units(m.base), 1)
    out: list[str] = []
    for j in m.numeric.joints:
        _, own = units_of(j.joint.inner)
        units = [*own, *["1/s"] * (j.joint.n_u - len(own))]
        out += [units[k] for k in j.free]
    return tuple(out)


def changed_units(m: Mechanism, before: tuple[str, ...], speeds: int) -> tuple[str, ...]:
    """Units of variables that a mechanism has in place of others: those of what they are made of, where these have one unit."""
    variables = m.variables
    if isinstance(variables, LinearCoordinates):
        made_of = (variables.L, variables.per_speed)[speeds].T
    elif speeds:
        s = State(m.numeric, 0.0, m.numeric.somewhere(np.random.default_rng(0), BESIDE), np.zeros(m.n_u))
        made_of = np.asarray(s.speed_map.T, dtype=float).T
    else:
        return before
    found = [{before[i] for i in np.flatnonzero(np.abs(row))} for row in made_of]
    return tuple(next(iter(units)) if len(units) == 1 else ("1", "1/s")[speeds] for units in found)


def sizes_at(m: Mechanism, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """For every element of (q, u), by what its errors are judged in runs that begin there; one state or many."""
    if m.scales.known:
        return m.scales.sizes
    sliding = np.array([unit in ("m", "m/s") for unit in (*coordinate_units(m), *speed_units(m))], dtype=bool)
    return m.scales.begun(np.concatenate([q, u], axis=-1), sliding)


def state_sizes(m: Mechanism) -> np.ndarray:
    """For every state of an element, what is large for it: what the element says; of lengths, the mechanism's."""
    sizes = []
    for p in m.numeric.elements.values():
        said = p.element.sizes
        sizes += [said.get(x, m.scales.length if p.element.unit_of(x) == "m" else 1.0) for x in p.z]
    return np.array(sizes, dtype=float)
