"""The start of a run under loops and constraints: assembled from what the user gave, and kept by an independent set of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.constraints.assembly.assemble import (
    DEPENDENT,
    assemble,
    close_stiffly,
    starts_from,
)  # fmt: skip
from dalembert.constraints.assembly.assemble_named import assemble_named, consistent_named
from dalembert.constraints.diagnosis.contradictions import drift_apart
from dalembert.constraints.diagnosis.diagnose import diagnose, driven, rank_at, row_norms
from dalembert.constraints.diagnosis.verdict import Diagnosis
from dalembert.errors import DalembertError, LoopError, SimulationError
from dalembert.kinematics.constraint_rows import DEAD, constraint_rows, row_scales
from dalembert.kinematics.initial import named_coordinates, named_speeds
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import Stabilisation
from dalembert.simulation.compiled_start import CLEARLY, assembled_by_code, fixed_places, stay_closed
from dalembert.simulation.integrators.integrator import constraint_names
from dalembert.simulation.kept_rows import KeptRows, rows_kept
from dalembert.simulation.march.program import Program
from dalembert.simulation.run_options import Options

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


LEAST_PIVOT = 1e-10
"""Pivot below which a pose counts as singular: accelerations there are lost in rounding."""


SINGULAR_START = (
    'mechanism "{mechanism}" starts at t = {t} s in a singular pose: there its constraints do not determine how it goes on (links in '
    "one line, or two branches of motion that meet). Start a little beside it; from there it is passed through"
)
"""A sentence with gaps for names and numbers, which the page that simulates fills as well."""

ProgramOf = Callable[[KeptRows], Program]
"""The program that marches with these rows."""

AT_REST = 1e-3
"""Part of a large step that a run makes in all its time, if it is not at rest."""
STARTS = 4
"""Starts from which the reference is closed."""
LARGER = 10.0
"""How many times as large as where they were examined rows may be for what was found to serve."""
MOST_KNOWN = 8
"""Diagnoses of a mechanism that are kept."""
SAMPLES, FEW, APART = 25, 5, 1e-7
"""Where a finished motion is searched for constraints that contradict each other, and by what part of each row's scale."""


def constrained_state(
    m: Mechanism,
    q: np.ndarray,
    u: np.ndarray,
    initial: JointValues | None,
    speeds: JointValues | None,
    o: Options,
    program: ProgramOf,
) -> tuple[np.ndarray, np.ndarray, KeptRows]:
    """(q, u, the rows that keep them): the given coordinates and speeds kept, the others solved for, or all as they are. By the code of
    the program that would march with the rows of the reference, where that comes to a clear end; else, and for the words, by NumPy."""
    check_method(o)
    if not o.assemble:
        return _as_they_are(m, q, u, o)
    kept = None if m.laws or m.variables is not None else kept_at_reference(m, o.start, o.stabilise)
    if kept is not None:
        fixed, fixed_speeds = (
            fixed_places([x], m.n_u) for x in (named_coordinates(m, initial), named_speeds(m, speeds))
        )
        found = assembled_by_code(program(kept), [m], q[None], u[None], fixed, fixed_speeds, o.start)
        if found is not None and found.done[0]:
            return found.q[0], found.u[0], found.kept
    q, u = assembled_start(m, q, u, initial, speeds, o.start)
    return q, u, kept_at(m, q, o.start, o.stabilise)


def _as_they_are(m: Mechanism, q: np.ndarray, u: np.ndarray, o: Options) -> tuple[np.ndarray, np.ndarray, KeptRows]:
    if o.stabilise.projects:
        raise SimulationError(
            'assemble=False begins with loops that are open, and stabilise="projection" would close them at once; choose '
            'stabilise="baumgarte", by which gaps decay, or "none"'
        )
    closed = assemble(m, q, (), o.start)  # what rows say is known only where they are closed
    return q, u, replace(kept_at(m, closed, o.start, o.stabilise), may_drift_apart=False)


def kept_at_reference(m: Mechanism, t: float, stabilise: Stabilisation) -> KeptRows | None:
    """Rows that serve all ordinary starts; None where nothing can be said without the start itself."""
    own = _reference_diagnosis(m, t)
    return rows_kept(own, stabilise) if own is not None and own.mobility else None


def assembled_start(
    m: Mechanism, q: np.ndarray, u: np.ndarray, initial: JointValues | None, speeds: JointValues | None, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """(q, u) assembled: what a mapping names is kept, the rest solved for."""
    q = assemble_named(m, q, initial, t)
    return q, consistent_named(m, q, u, speeds, t)


def kept_at(m: Mechanism, q: np.ndarray, t: float, stabilise: Stabilisation) -> KeptRows:
    """Rows kept, by the rows of the diagnosis; an error if nothing can move."""
    verdict = _diagnosed(m, q, t)
    if verdict.mobility == 0 and not verdict.driven:
        raise LoopError(f"there is nothing to simulate. {verdict}")
    return rows_kept(verdict, stabilise)


def check_method(o: Options) -> None:
    if not o.method.keeps_constraints:
        able = ", ".join(constraint_names())
        raise SimulationError(f'method "{o.method.name}" cannot keep to loops and constraints; choose one of {able}')


def _diagnosed(m: Mechanism, q: np.ndarray, t: float) -> Diagnosis:
    """Diagnosis from the mechanism's own reference, so that its code serves all starts; where that tells little of this one, from q
    itself. It hangs on nothing that was asked before."""
    own = _reference_diagnosis(m, t)
    if own is not None and own.mobility and _serves(own, m, q, t):
        return own
    found = _remembered(m, (t, q.tobytes()), lambda: diagnose(m, q, t))
    assert found is not None
    return found


def _reference_diagnosis(m: Mechanism, t: float) -> Diagnosis | None:
    return _remembered(m, t if driven(m) else None, lambda: _of_reference(m, t))


def _of_reference(m: Mechanism, t: float) -> Diagnosis | None:
    """Diagnosis from where closing the loops leads with every joint at its reference, or beside it where that pose is singular or links
    lie in a line; None where they stay open."""
    first = None
    try:
        for start in starts_from(m, np.asarray(m.reference, dtype=float), (), STARTS, seed=0):
            attempt = close_stiffly(m, start, (), t)
            found = diagnose(m, attempt.q, t) if attempt.closed else None
            first = first or found
            if found is not None and found.rank_here == found.rank:
                return found
        return first
    except (DalembertError, ArithmeticError, np.linalg.LinAlgError):  # the reference may be a pose that cannot be
        return None


def _serves(found: Diagnosis, m: Mechanism, q: np.ndarray, t: float) -> bool:
    """Whether rows are as many and about as large in this pose as where they were examined: other branches may be unlike."""
    own, then = row_norms(m, q, t) / found.sizes, found.norms / found.sizes
    alike = bool((own <= LARGER * then + DEAD * then.max(initial=0.0)).all())
    return alike and rank_at(m, q, t, found.norms) == found.rank


def _remembered(m: Mechanism, asked: Any, find: Callable[[], Diagnosis | None]) -> Diagnosis | None:
    """Diagnoses of what was asked last of a mechanism, a few."""
    known = _KNOWN.setdefault(m, {})
    if asked not in known:
        if len(known) >= MOST_KNOWN:
            del known[next(iter(known))]
        known[asked] = find()
    return known[asked]


_KNOWN: WeakKeyDictionary[Mechanism, dict[Any, Diagnosis | None]] = WeakKeyDictionary()


def check_not_singular(m: Mechanism, pivot: float, t: float) -> None:
    """A pose at which constraints lose a row does not determine the accelerations."""
    if not pivot > LEAST_PIVOT:
        raise LoopError(SINGULAR_START.format(mechanism=m.name, t=f"{t:g}"))


def check_rows_left_out(
    m: Mechanism, h: KeptRows, t: np.ndarray, q: np.ndarray, u: np.ndarray, *, by_code: Program | None = None
) -> None:
    """Rows that said nothing new at the start may ask for something else later: where time is in them, or on another branch. The code
    of a program that keeps these rows may find that they do not."""
    if not h.may_drift_apart or not len(t):
        return
    allowed = max(APART, DEPENDENT * h.off)
    sampled = np.unique(np.linspace(0, len(t) - 1, SAMPLES if h.driven else FEW).astype(int))
    if by_code is not None and not h.driven:
        second = _time_unit(m, t, u, [])
        if stay_closed(by_code, m, t[sampled], q[sampled], u[sampled], second) <= CLEARLY * allowed:
            return
    states = [m.state(q[k], u[k], t[k]) for k in sampled]
    rows, sizes = [constraint_rows(s) for s in states], [row_scales(s) for s in states]
    second = _time_unit(m, t, u, [r.b / size for r, size in zip(rows, sizes)])
    for k, r, size in zip(sampled, rows, sizes):
        off = np.maximum(np.abs(r.g), second * np.abs(r.B @ u[k] - r.b))
        if not (off / size).max() <= allowed:
            raise drift_apart(m, off, float(t[k]))


def _time_unit(m: Mechanism, t: np.ndarray, u: np.ndarray, asked: list[np.ndarray]) -> float:
    """The time of a large step, at the fastest of a run's speeds or of those that time asks for; one at rest is taken to move."""
    fastest = max(float(np.abs(x).max(initial=0.0)) for x in (u / m.scales.speeds, *asked))
    longest = float(t[-1] - t[0]) / AT_REST
    return min(longest, 1.0 / fastest) if fastest > 0.0 else longest
