"""Where a mode ends within a piece of a step: where a margin is violated first, or where no forces exist any more that keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.simulation.event_driven.law_run import LawRun

HALVINGS = 60
"""Enough to come down to the rounding of time."""
LOOKS = 3
"""Times in a step at which it is asked whether forces exist, where single ones are not unique."""


def first_violation(run: LawRun, a: float, b: float) -> tuple[float, int] | None:
    """Time of the first violation between a and b, and a margin that is violated there first; −1 stands for "no forces exist"."""
    margin = int(run.program.library.first_violation(run.memory, run.inputs, run.work, a, b) or 0) - 1
    found = None if margin < 0 else (float(run.part("event_t")[0]), margin)
    if run.mode.loose:
        lost = _forces_lost(run, a, b if found is None else found[0])
        if lost is not None:
            return lost, -1
    return found


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
