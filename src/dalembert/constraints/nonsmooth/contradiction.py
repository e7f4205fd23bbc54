"""Which laws contradict each other: a smallest set that leaves no speeds, or no accelerations, to the mechanism, friction left aside.

Friction bounds forces, not motions: where no motion at all keeps gaps, latches and loops, it is these that contradict each other; where
one does, it is friction that finds no forces for it (Painlevé's paradox).
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.nonsmooth.impact import STILL
from dalembert.constraints.nonsmooth.kinetics import Kinetics

MEETS = 1e-6
"""Part of the largest speed or acceleration asked for by which a row may be missed."""


def contradicting(k: Kinetics, touching: list[int]) -> list[int]:
    """Elements of which none can be left out; none at all where a motion keeps them all."""
    for speeds in (True, False):
        found = list(touching)
        if _possible(k, found, speeds):
            continue
        for i in touching:
            fewer = [j for j in found if j != i]
            if not _possible(k, fewer, speeds):
                found = fewer
        return found
    return []


def _possible(k: Kinetics, which: list[int], speeds: bool) -> bool:
    """Whether some speeds after an impact, or some accelerations, keep loops, latches and gaps."""
    from scipy.optimize import linprog

    latched = [r for i in which for r in k.elements[i].holds]
    gaps = [
        r
        for i in which
        if (r := k.elements[i].normal) is not None and (speeds or abs(k.v[r]) <= STILL * k.speed_scale(i))
    ]
    rows = np.vstack([k.B, k.J[latched], k.J[gaps]])
    asked = (
        -np.concatenate([k.v_B, k.v[latched], k.v[gaps]])
        if speeds
        else np.concatenate([k.gamma_B, k.gamma[latched], k.gamma[gaps]])
    )
    size = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    moving = np.linalg.norm(rows, axis=1) > 0.0
    largest = float(np.abs(asked / np.where(moving, size, 1.0)).max(initial=0.0)) or 1.0
    rows, asked = rows / np.where(moving, size, 1.0)[:, None], asked / np.where(moving, size, 1.0) / largest
    n, equal = rows.shape[1], len(k.B) + len(latched)
    # the least amount by which some row is missed
    cost = np.append(np.zeros(n), 1.0)
    one = np.ones((len(rows), 1))
    above = np.hstack([-rows, -one])
    below = np.hstack([rows, -one])[:equal]
    answer = linprog(
        cost,
        np.vstack([above, below]),
        np.concatenate([-asked, asked[:equal]]),
        bounds=[(None, None)] * n + [(0.0, None)],
    )
    return bool(answer.status != 0 or answer.x is None or answer.x[-1] <= MEETS)
