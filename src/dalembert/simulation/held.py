"""The start of a run under loops and constraints: assembled from what the user gave, and held by an independent set of rows."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.constraints.assembly import DEPENDENT, assemble, consistent_speeds
from dalembert.constraints.contradictions import drift_apart
from dalembert.constraints.diagnosis import Diagnosis, diagnose, rank_at
from dalembert.errors import LoopError, SimulationError
from dalembert.kinematics.initial import named_speeds
from dalembert.kinematics.rows import constraint_rows, row_scales
from dalembert.mechanism import Mechanism
from dalembert.simulation.holding import Holding, holding
from dalembert.simulation.methods import METHODS
from dalembert.simulation.options import Options
from dalembert.simulation.stabilise import Stabilisation

SINGULAR = 1e-10
"""Pivot below which a pose counts as singular: accelerations there are lost in rounding."""


SAMPLES, FEW, APART = 25, 5, 1e-7
"""Where a finished motion is looked at for constraints that contradict each other, and by what part of each row's scale."""


def held_state(
    m: Mechanism, q: np.ndarray, u: np.ndarray, initial: Any, speeds: Any, o: Options, stabilise: Stabilisation
) -> tuple[np.ndarray, np.ndarray, Holding]:
    """(q, u, how they are held): the given coordinates and speeds kept, the others solved for."""
    check_method(o)
    q, u = held_start(m, q, u, initial, speeds, o.start)
    return q, u, hold(m, q, o.start, stabilise)


def held_start(
    m: Mechanism, q: np.ndarray, u: np.ndarray, initial: Any, speeds: Any, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """(q, u) assembled: what a mapping names is kept, the rest solved for."""
    q = assemble(m, q, named_speeds(m, initial), t)
    return q, consistent_speeds(m, q, u, named_speeds(m, speeds), t)


def hold(m: Mechanism, q: np.ndarray, t: float, stabilise: Stabilisation) -> Holding:
    """By the rows of the diagnosis; an error if nothing can move."""
    verdict = _diagnosed(m, q, t)
    if verdict.mobility == 0 and not verdict.driven:
        raise LoopError(f"there is nothing to simulate. {verdict}")
    return holding(m, verdict, stabilise)


def check_method(o: Options) -> None:
    if o.method.held is None:
        able = ", ".join(name for name, method in METHODS.items() if method.held is not None)
        raise SimulationError(f'method "{o.method.name}" cannot keep to loops and constraints; choose one of {able}')


def _diagnosed(m: Mechanism, q: np.ndarray, t: float) -> Diagnosis:
    """Once for a mechanism and its parameters, as long as a start has the rank that was found and something moves."""
    known = _KNOWN.get(m)
    if known is None or known.mobility == 0 or rank_at(m, q, t, known.norms) > known.rank:
        known = _KNOWN[m] = diagnose(m, q, t)
    return known


_KNOWN: WeakKeyDictionary[Mechanism, Diagnosis] = WeakKeyDictionary()


def check_not_singular(m: Mechanism, pivot: float, t: float) -> None:
    """A pose at which constraints lose a row does not determine the accelerations."""
    if not pivot > SINGULAR:
        raise LoopError(
            f'mechanism "{m.name}" starts at t = {t:g} s in a singular pose: there its constraints do not determine how it goes on '
            "(links in one line, or two branches of motion that meet). Start a little beside it; from there it is passed through"
        )


def check_rows_left_out(m: Mechanism, h: Holding, t: np.ndarray, q: np.ndarray, u: np.ndarray) -> None:
    """Rows that said nothing new at the start may ask for something else later: where time is in them, or on another branch."""
    if not h.may_drift_apart:
        return
    allowed = max(APART, DEPENDENT * _KNOWN[m].off if m in _KNOWN else 0.0)
    for k in np.unique(np.linspace(0, len(t) - 1, SAMPLES if h.driven else FEW).astype(int)) if len(t) else ():
        s = m.state(q[k], u[k], t[k])
        rows, fastest = constraint_rows(s), max(1.0, float(np.abs(u[k] / m.scales.speeds).max(initial=0.0)))
        off = np.abs(rows.g) + np.abs(rows.B @ u[k] - rows.b)
        if not (off / row_scales(s)).max() <= allowed * fastest:
            raise drift_apart(m, off, float(t[k]))
