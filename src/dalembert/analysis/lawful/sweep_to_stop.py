"""A sweep ends where a law is met: a stop, a rope that is taut, a contact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalembert.analysis.linkage.sweep import Special, Sweep
from dalembert.constraints.assembly.assemble_named import assemble_named
from dalembert.constraints.nonsmooth.at_state import INSIDE
from dalembert.errors import LoopError, StateError
from dalembert.kinematics.law_rows import law_row_scales, law_rows
from dalembert.mechanism import Mechanism

HALVINGS = 60
"""Enough to come down to the rounding of a coordinate."""


def ended_by_laws(found: Sweep) -> Sweep:
    """The part of a sweep before the first law that is met, and which that is; refused where it begins beyond one."""
    m, t = found.mechanism, found.t
    met = [_met(m, q, t) for q in found.q]
    beyond = next((k for k, law in enumerate(met) if law is not None), None)
    if beyond is None:
        return found
    if beyond == 0:
        raise StateError(
            f'the sweep of "{found.joint}" begins at {found.values[0]:.6g}, beyond law "{met[0]}"; begin within its limit, or sweep '
            "m.without_laws()"
        )
    value, q, law = _located(found, beyond)
    at = Special(value, q, f'Law "{law}" ends it at {value:.10g}.', found.joint, value)

    def before(some: tuple[Special, ...]) -> tuple[Special, ...]:
        low, high = sorted((float(found.values[0]), value))
        return tuple(x for x in some if low <= x.value <= high)

    return replace(
        found, values=found.values[:beyond], q=found.q[:beyond], ratios=found.ratios[:beyond], complete=False,
        dead_points=before(found.dead_points), branch_points=before(found.branch_points), limits=before(found.limits),
        transmission={name: x[:beyond] for name, x in found.transmission.items()}, stops=(at,),
    )  # fmt: skip


def _met(m: Mechanism, q: np.ndarray, t: float) -> str | None:
    """The law that is violated most in a pose, in words; None where none is."""
    s = m.numeric.state(q, np.zeros(m.n_u), t)
    gaps, sizes = np.asarray(law_rows(s).g, dtype=float), np.asarray(law_row_scales(s), dtype=float)
    every = [
        (gaps[e.normal] / sizes[e.normal], i)
        for i, e in enumerate(m.law_table.elements)
        if e.normal is not None and e.has_gap and m.laws[e.law].on
    ]
    worst = min(every, default=(0.0, 0))
    return m.law_table.title(worst[1]) if worst[0] < -INSIDE else None


def _located(found: Sweep, beyond: int) -> tuple[float, np.ndarray, str]:
    """Value, pose and law where the way ends between the last good pose and the next."""
    m, good, bad = found.mechanism, float(found.values[beyond - 1]), float(found.values[beyond])
    q, smooth, law = found.q[beyond - 1], found.mechanism.without_laws(), _met(m, found.q[beyond], found.t) or ""
    place = m.coordinates.index(found.joint)
    for _ in range(HALVINGS):
        middle = 0.5 * (good + bad)
        start = np.where(np.arange(len(q)) == place, middle, q)
        try:
            pose = assemble_named(smooth, start, {found.joint: middle}, found.t) if smooth.constraint_rows else start
        except LoopError:
            bad = middle
            continue
        hit = _met(m, pose, found.t)
        if hit is None:
            good, q = middle, pose
        else:
            bad, law = middle, hit
    return good, q, law
