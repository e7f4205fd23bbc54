"""What counts as rest: speeds far below those that the mechanism's own forces give it, in its own time.

A part's own rate is √(a / size) with a the acceleration with which it sets out from rest: the inverse of the time in which it falls,
or is thrown by its springs, about as far as it is large. What no force moves has no time of its own; there any speed is a motion.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from dalembert.errors import DalembertError
from dalembert.formulations.tree import kane
from dalembert.kinematics.loads import generalized, loads
from dalembert.mechanism import Mechanism

STILL = 1e-6
"""Part of its own rate below which a part moves no faster than that, as far as slips and forces are measured."""
LEAST = 1e-100
"""A rate, in 1/s, that is none."""
DRIVEN = 1e-6
"""Part of the largest rate below which a speed is not driven but by rounding."""
POSES, STEP = 4, 0.5
"""How many poses accelerations are examined in, and how far these are from the reference, in large steps."""


def least_rates(m: Mechanism) -> np.ndarray:
    """For every connected part, speeds over their large steps below which it counts as at rest, in 1/s."""
    found = _KNOWN.get(m)
    if found is None:
        found = _KNOWN[m] = np.maximum(STILL * own_rates(m), LEAST)
        found.flags.writeable = False
    return found


_KNOWN: WeakKeyDictionary[Mechanism, np.ndarray] = WeakKeyDictionary()


def own_rates(m: Mechanism) -> np.ndarray:
    """For every connected part the largest rate, in 1/s, at which its forces set it in motion; 0 where they do not."""
    largest = _largest_accelerations(m)
    rates: np.ndarray = np.sqrt([largest[p.u].max(initial=0.0) for p in m.parts])
    return rates


def typical_rate(m: Mechanism) -> float:
    """The middle one of the rates, in 1/s, at which its forces set its speeds in motion; one per second where none does, for such a
    mechanism has no time of its own."""
    found = _TYPICAL.get(m)
    if found is None:
        rates = np.sqrt(_largest_accelerations(m))
        driven = np.sort(rates[rates > DRIVEN * rates.max(initial=0.0)])
        found = _TYPICAL[m] = float(driven[len(driven) // 2]) if len(driven) else 1.0
    return found


_TYPICAL: WeakKeyDictionary[Mechanism, float] = WeakKeyDictionary()


def _largest_accelerations(m: Mechanism) -> np.ndarray:
    """Accelerations of all speeds over their large steps, at rest: the largest of several poses."""
    m, rng = m.numeric, np.random.default_rng(0)
    poses = [np.array(m.reference), *(m.somewhere(rng, STEP) for _ in range(POSES - 1))]
    found: np.ndarray = np.max([_accelerations(m, q) for q in poses], axis=0, initial=0.0)
    return found


def _accelerations(m: Mechanism, q: np.ndarray) -> np.ndarray:
    """|f| / A of each speed alone, at rest, over its large step; 0 where a force is undefined or nothing is moved."""
    try:
        s = m.state(q, np.zeros(m.n_u))
        force, inertia = np.abs(generalized(s, loads(s))), np.diag(kane.mass_matrix(s))
    except (DalembertError, ArithmeticError, ValueError):
        return np.zeros(m.n_u)
    defined = np.isfinite(force) & np.isfinite(inertia) & (inertia > 0.0)
    return np.where(defined, force, 0.0) / np.where(defined, inertia, 1.0) / m.scales.speeds
