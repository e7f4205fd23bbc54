"""The start of a run under loops and constraints: assembled from what the user gave, and held by an independent set of rows."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.constraints.assembly import assemble, consistent_speeds
from dalembert.constraints.diagnosis import Diagnosis, diagnose, driven
from dalembert.errors import LoopError, SimulationError
from dalembert.kinematics.initial import named_speeds
from dalembert.mechanism import Mechanism
from dalembert.simulation.holding import Holding, holding
from dalembert.simulation.methods import METHODS
from dalembert.simulation.options import Options
from dalembert.simulation.stabilise import Stabilisation

SINGULAR = 1e-10
"""Pivot below which a pose counts as singular: accelerations there are lost in rounding."""


def held_state(
    m: Mechanism, q: np.ndarray, u: np.ndarray, initial: Any, speeds: Any, o: Options, stabilise: Stabilisation
) -> tuple[np.ndarray, np.ndarray, Holding]:
    """(q, u, how they are held): the given coordinates and speeds kept, the others solved for."""
    if o.method.held is None:
        able = ", ".join(name for name, method in METHODS.items() if method.held is not None)
        raise SimulationError(f'method "{o.method.name}" cannot keep to loops and constraints; choose one of {able}')
    q = assemble(m, q, named_speeds(m, initial), o.start)
    u = consistent_speeds(m, q, u, named_speeds(m, speeds), o.start)
    verdict = _diagnosed(m, q, o.start)
    if verdict.mobility == 0 and not driven(m):
        raise LoopError(f"there is nothing to simulate. {verdict}")
    return q, u, holding(m, verdict, stabilise)


def _diagnosed(m: Mechanism, q: np.ndarray, t: float) -> Diagnosis:
    """Once for a mechanism and its parameters: a run looks by itself whether the rows suit it."""
    if m not in _KNOWN:
        _KNOWN[m] = diagnose(m, q, t)
    return _KNOWN[m]


_KNOWN: WeakKeyDictionary[Mechanism, Diagnosis] = WeakKeyDictionary()


def check_not_singular(m: Mechanism, pivot: float, t: float) -> None:
    """A pose at which constraints lose a row does not determine the accelerations."""
    if pivot < SINGULAR:
        raise LoopError(
            f'mechanism "{m.name}" starts at t = {t:g} s in a singular pose: there its constraints do not determine how it goes on '
            "(links in one line, or two branches of motion that meet). Start a little beside it; from there it is passed through"
        )
