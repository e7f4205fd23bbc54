"""Random states that obey every loop and constraint, for comparing methods that should agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.constraints.assembly.assemble import assemble, close, consistent_speeds, displaced
from dalembert.errors import DalembertError, LoopError
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.initial import initial_state
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.pivoting import RANK_TOLERANCE

LARGEST_STEP = 1.0
"""Radians or metres in each speed's direction from the assembled pose."""
NEARLY_SINGULAR = 1e-4
"""Ratio of the rows' smallest singular value, of those that count, to the largest: below, no method could say more."""


def consistent_states(m: Mechanism, count: int, seed: int = 0, start: Any = None) -> list[State]:
    """Each reached from the assembled pose nearest `start` by a random step, closed again, with random speeds made consistent."""
    m = m.numeric
    rng = np.random.default_rng(seed)
    base = assemble(m, initial_state(m, start, None, 0.0)[0], t=0.0)
    found: list[State] = []
    for attempt in range(40 * count):
        if len(found) == count:
            break
        state = _near(m, base, rng, LARGEST_STEP / (1 + attempt // count))
        if state is not None:
            found.append(state)
    if not found:
        raise LoopError(
            f'mechanism "{m.name}": no regular pose was found near its assembled one; give start= elsewhere'
        )
    return found


def _near(m: Mechanism, base: np.ndarray, rng: np.random.Generator, reach: float) -> State | None:
    step, speeds, t = rng.uniform(-reach, reach, m.n_u), rng.uniform(-1.0, 1.0, m.n_u), float(rng.uniform(0.0, 1.0))
    step, speeds = m.scales.speeds * step, m.scales.speeds * speeds
    try:
        attempt = close(m, displaced(m, base, step, t), (), t)
        if not attempt.closed:
            return None
        state: State = m.state(attempt.q, consistent_speeds(m, attempt.q, speeds, t=t), t)
    except DalembertError:  # a singular pose of some joint, or speeds that cannot be: try elsewhere
        return None
    sigma = np.linalg.svd(constraint_rows(state).B, compute_uv=False)
    kept = sigma[sigma > RANK_TOLERANCE * sigma.max(initial=0.0)]
    return state if not len(kept) or kept[-1] > NEARLY_SINGULAR * kept[0] else None
