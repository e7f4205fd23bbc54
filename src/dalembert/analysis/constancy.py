"""Whether the equations of small motions keep their coefficients along the motion they are about.

Eigenvalues tell how small motions grow only if they do: at rest, and in motions that are steady in the coordinates chosen. About a
wheel that spins with its axes the equations are periodic, however steadily it rolls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import matrix_balance

if TYPE_CHECKING:
    from dalembert.analysis.linearisation import Linearisation

STEP = 1e-4
"""How far along the motion, in radians or metres of the fastest speed, the equations are compared."""
CONSTANT = 1e-3
"""Change of A in the time that A itself sets, beside A, up to which it counts as constant: what differences leave is far less."""

NOTHING = 1e-11
"""Part of the largest entry of A below which another is rounding."""


def change(lin: Linearisation) -> float:
    """‖Ȧ‖ / ‖A‖² along the motion, in states scaled alike."""
    from dalembert.analysis.linearise import Linearised

    m, fastest = lin.mechanism, float(np.abs(lin.u).max(initial=0.0))
    if fastest == 0.0 and not np.any(lin.udot):
        return 0.0
    h = STEP / max(fastest, float(np.sqrt(STEP * np.abs(lin.udot).max(initial=0.0))))
    rates = np.asarray(m.state(lin.q, lin.u, lin.t).rates, dtype=float)
    what = Linearised(m, (), {}, lin.speeds, lin.displacements)
    both = []
    for step in (h, -h):
        q = m.admissible(lin.q + step * rates)
        both.append(what.at(q, lin.u + step * lin.udot, lin.t + step, lin.tau).A)
    kept = _coupled([lin.A, *both])
    A, ahead, behind = (x[np.ix_(kept, kept)] for x in (lin.A, *both))
    scaled, (scale, _) = matrix_balance(A, permute=False, separate=True)
    rate = (ahead - behind) / (2.0 * h) * scale[None, :] / scale[:, None]
    size = float(np.linalg.norm(scaled))
    return float(np.linalg.norm(rate)) / size**2 if size else 0.0


def _coupled(every: list[np.ndarray]) -> list[int]:
    """States without those that nothing else depends on: how these follow the others changes no eigenvalue but their own."""
    largest = np.max([np.abs(A) for A in every], axis=0)
    kept = list(range(len(largest)))
    while True:
        part = largest[np.ix_(kept, kept)]
        idle = (part - np.diag(np.diag(part))).max(axis=0, initial=0.0) <= NOTHING * part.max(initial=0.0)
        idle &= np.diag(part) <= NOTHING * part.max(initial=0.0)
        if not idle.any():
            return kept
        kept = [k for k, out in zip(kept, idle) if not out]
