"""What the page plots of elements beside their states: their outputs over time."""

from __future__ import annotations

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.view.series import Chart


def output_names(m: Mechanism) -> list[str]:
    """Outputs of all elements, by name."""
    return [f"{name}.{output}" for name, p in m.elements.items() for output in p.element.outputs]


def signal_charts(motion: Motion) -> list[Chart]:
    """One plot for every unit."""
    m = motion.mechanism
    assert m is not None
    names = output_names(m)
    if not names:
        return []
    values = np.reshape(motion.evaluate(lambda s: [s.signal(name) for name in names]), (len(motion), len(names)))
    units = [m.elements[owner].element.unit_of(output) for owner, output in (name.split(".", 1) for name in names)]
    made = []
    for unit in dict.fromkeys(units):
        at = [i for i, own in enumerate(units) if own == unit]
        title = f"Signals ({unit})" if unit else "Signals"
        made.append(Chart(f"signal:{unit}", title, unit, tuple(names[i] for i in at), values[:, at]))
    return made
