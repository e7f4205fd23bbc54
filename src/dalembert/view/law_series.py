"""What the page shows of laws: their forces, gaps and states over time, and marks where they were hit or changed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from dalembert.motion.motion import Motion
from dalembert.view.series import Chart

MOST_MARKS = 400
"""Marks on the axis of time, events included; of more, the first are shown."""
MOST_CURVES = 24
"""Laws beyond which only those that ever touch are plotted."""


def law_charts(motion: Motion) -> list[Chart]:
    """Forces that press and friction, gaps, states: 0 off, 1 open, 2 slides, 3 sticks, 4 engaged, 5 closed."""
    h = motion.history
    if h is None or not len(h.elements):
        return []
    shown = _shown(motion)
    laws = [name for k, name in enumerate(str(x) for x in h.laws) if k in {int(x) for x in h.row_law[shown]}]
    forces = {name: motion.contacts[name] for name in laws}

    def size(x: np.ndarray) -> np.ndarray:
        return np.linalg.norm(x, axis=1)

    parts = [("presses", "normal"), ("friction", "friction"), ("holds", "hold")]
    curves = {
        f"{name} {word}": size(getattr(x, what))
        for name, x in forces.items()
        for word, what in parts
        if getattr(x, what).shape[1]
    }
    gaps = {name: x.gap.min(axis=1) for name, x in forces.items() if x.gap.shape[1]}
    elements = [
        i for i in range(len(h.elements)) if int(h.row_law[h.row_element == i][0]) in {int(x) for x in h.row_law[shown]}
    ]
    made = [
        _chart("law_force", "Forces of laws (N, N m)", "N", curves),
        _chart("law_gap", "Gaps of laws (m, rad)", "m", gaps),
    ]
    states = {str(h.elements[i]): h.state[:, i] for i in elements}
    title = "States of laws: 0 off, 1 open, 2 slides, 3 sticks, 4 engaged, 5 closed"
    return [c for c in (*made, _chart("law_state", title, "", states)) if c.names]


def _shown(motion: Motion) -> np.ndarray:
    """Rows of the laws that are plotted."""
    h = motion.history
    assert h is not None
    if len(h.laws) <= MOST_CURVES:
        return np.arange(len(h.row_law))
    touched = {int(k) for k in h.row_law[np.abs(h.force).max(axis=0, initial=0.0) > 0.0]}
    return np.flatnonzero(np.isin(h.row_law, sorted(touched)[:MOST_CURVES]))


def _chart(key: str, title: str, unit: str, curves: dict[str, np.ndarray]) -> Chart:
    values = np.stack(list(curves.values()), axis=1) if curves else np.zeros((0, 0))
    return Chart(key, title, unit, tuple(curves), values)


def marks(motion: Motion) -> list[tuple[str, float, str]]:
    """Names, times and kinds ("event", "hit", "mode") of events, impacts and changes of mode, in their order."""
    found = [(e.name, float(e.t), "event") for e in motion.events]
    if motion.history is not None:
        found += [(f"{x.law} is hit", x.t, "hit") for x in motion.impacts]
        for before, now in pairwise(motion.modes):
            for name, state in now.states.items():
                if state != before.states.get(name):
                    found.append((f"{name}: {state}", now.t, "mode"))
    return sorted(found, key=lambda x: x[1])[:MOST_MARKS]
