"""Where the first margin of a law is violated within a piece of a step, on the dense output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.kinematics.law_mode import SLOTS

if TYPE_CHECKING:
    from dalembert.simulation.event_driven.law_run import LawRun

HALVINGS = 60
"""Enough to come down to the rounding of time."""
LOOKS = 3
"""Times in a step at which it is asked whether forces exist, where single ones are not unique."""
TOGETHER = 1e-14
"""Part of the time within which violations count as one event."""
WITHIN = 0.001
"""Part of a bracket next to its ends in which no time is tried."""


def first_violation(run: LawRun, a: float, b: float) -> tuple[float, list[int]] | None:
    """Time of the first violation between a and b, and the margins that are violated there first; −1 stands for "no forces exist"."""
    at, found = _lowest(run, a, b), None
    while True:
        values, tolerances, _ = run.margins(at)
        bad = [int(j) for j in np.flatnonzero(~(values >= -tolerances)) if found is None or j not in found[1]]
        if not bad:
            break
        found = _first_of(run, bad, a, at)
        at = found[0]
    if run.mode.loose:
        lost = _forces_lost(run, a, b if found is None else found[0])
        if lost is not None:
            return lost, [-1]
    return found


def _lowest(run: LawRun, a: float, b: float) -> float:
    """The time of the first open gap's least value, where that is below zero between two times at which it is not; else b."""
    first, before, after = b, run.margins(a)[2], run.margins(b)[2]
    for i in np.flatnonzero((before < 0.0) & (after > 0.0)):
        low, high = a, first
        if not run.margins(high)[2][i] > 0.0:
            continue
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            if run.margins(middle)[2][i] < 0.0:
                low = middle
            else:
                high = middle
        values, tolerances, _ = run.margins(low)
        if values[SLOTS * i] < -tolerances[SLOTS * i]:
            first = low
    return first


def _first_of(run: LawRun, bad: list[int], a: float, b: float) -> tuple[float, list[int]]:
    """Time at which the first of these margins, violated at b, falls below zero, and all that do so then."""
    first, which = b, []
    for j in bad:
        t = _falls_below(run, j, a, b)
        near = TOGETHER * max(1.0, abs(t))
        if t < first - near:
            first, which = t, [j]
        elif t <= first + near:
            first, which = min(t, first), [*which, j]
    return first, which


def _falls_below(run: LawRun, j: int, low: float, high: float) -> float:
    """Regula falsi and bisection in turn; a margin that begins at zero is bisected until it is positive."""
    values, tolerances, _ = run.margins(low)
    at_low, at_high = values[j], run.margins(high)[0][j]
    allowed = tolerances[j]
    for turn in range(3 * HALVINGS):
        part = 0.5 if at_low <= 0.0 or turn % 3 == 2 else min(1.0 - WITHIN, max(WITHIN, at_low / (at_low - at_high)))
        middle = low + (high - low) * part
        if not low < middle < high:
            break
        value = run.margins(middle)[0][j]
        if value >= 0.0 or (at_low <= 0.0 and value > -allowed):
            low, at_low = middle, value
        else:
            high, at_high = middle, value
    return high


def _forces_lost(run: LawRun, a: float, b: float) -> float | None:
    """Time from which no forces keep the mode; None where some do throughout."""
    low = a
    for part in range(1, LOOKS + 1):
        high = a + (b - a) * part / LOOKS
        if not run.exists(high):
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                if not low < middle < high:
                    break
                low, high = (middle, high) if run.exists(middle) else (low, middle)
            return high
        low = high
    return None
