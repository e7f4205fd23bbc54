"""Whether the equations of small motions keep their coefficients along the motion they are about.

Eigenvalues tell how small motions grow only if they do: at rest under forces that time does not change, and in motions that are steady
in the coordinates chosen. About a wheel that spins with its axes the equations are periodic, however steadily it rolls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import matrix_balance

from dalembert.errors import ForceError

if TYPE_CHECKING:
    from dalembert.analysis.linear.linearisation import Linearisation

STEP = 1e-4
"""How far along the motion the equations are compared: in radians or sizes of the mechanism, and in the time that A itself sets."""
CONSTANT = 1e-3
"""Change of A in the time that A itself sets, beside A, up to which it counts as constant: what differences leave is far less."""
AT_REST = 1e-6
"""How far, in radians or sizes of the mechanism, what is at rest may get in the time that A sets."""
NOTHING = 1e-11
"""Part of the largest entry of A below which another is rounding."""


def change(lin: Linearisation) -> float:
    """How much A changes along the motion in the time that it sets, 1/‖A‖, beside A itself, in states scaled alike: ‖Ȧ‖ / ‖A‖².

    What is at rest is examined after that time as well: where time alone changes A, Ȧ can vanish for an instant.
    """
    from dalembert.analysis.linear.linearise import Linearised

    if not np.isfinite(lin.A).all():
        return np.inf
    m = lin.mechanism
    what = Linearised(m, (), {}, lin.speeds, lin.displacements, between_samples=True)
    rates = np.asarray(m.state(lin.q, lin.u, lin.t).rates, dtype=float)
    own = _scaled(lin.A, _coupled([lin.A]))[1] or 1.0  # where nothing in A sets a time, a second
    fastest, pushed = (float(np.abs(x / m.scales.speeds).max(initial=0.0)) for x in (lin.u, lin.udot))
    h = STEP / max(fastest, float(np.sqrt(STEP * pushed)), own)

    of_states = np.array(m.state_rates(m.state(lin.q, lin.u, lin.t)), dtype=float)

    def later(step: float) -> np.ndarray | None:
        """A after a step; None where forces are not defined then, as before the beginning of a table."""
        q = m.admissible(lin.q + step * rates)
        z = {name: m.parameters[name] + step * rate for name, rate in zip(m.states, of_states.tolist())}
        try:
            return what.at(q, lin.u + step * lin.udot, lin.t + step, lin.tau, {**m.parameters, **z} if z else None).A
        except ForceError:
            return None

    known = {step: A for step in (h, -h) if (A := later(step)) is not None}
    if not known:
        return np.inf
    every = [lin.A, *known.values()]
    (first, A), (last, B) = list({**known, 0.0: lin.A}.items())[:2]
    changes = [(A - B) / (first - last)]
    far = later(1.0 / own) if max(fastest / own, pushed / own**2) <= AT_REST else None
    if far is not None:
        every.append(far)
        changes.append((far - lin.A) * own)
    if not np.isfinite(every).all():
        return np.inf
    kept = _coupled(every)
    scale, size = _scaled(lin.A, kept)
    rate = max(float(np.linalg.norm(x[np.ix_(kept, kept)] * scale[None, :] / scale[:, None])) for x in changes)
    if not rate:
        return 0.0
    return rate / size**2 if size else np.inf


def _scaled(A: np.ndarray, kept: list[int]) -> tuple[np.ndarray, float]:
    """Units of the kept states by which A is balanced, and its size in them."""
    if not kept:
        return np.zeros(0), 0.0
    balanced, (scale, _) = matrix_balance(A[np.ix_(kept, kept)], permute=False, separate=True)
    return scale, float(np.linalg.norm(balanced))


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
