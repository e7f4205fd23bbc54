"""Whether a mechanism can be at rest."""

from __future__ import annotations

import numpy as np

from dalembert.errors import StateError
from dalembert.mechanism import Mechanism
from dalembert.trace import free_symbols, symbol, tracing


def stands(m: Mechanism) -> bool:
    """Whether it rests where all speeds are zero: nothing is prescribed by time, nor adds to speeds that were chosen."""
    laws = [x for each in (m.joints, m.cuts) for j in each for x in j.law.q]
    timed = any(symbol("t") in free_symbols([*d.g, *d.phi]) for d in m.constraint_rows.values())
    return not timed and all(x is None for x in laws) and not moves_at_zero(m)


def moves_at_zero(m: Mechanism) -> bool:
    """Whether speeds that were chosen, u = W v + w, are not zero at rest."""
    if m.variables is None:
        return False
    with tracing():
        return bool(np.any(m.symbolic_state().speed_map.w != 0.0)) or moves_at_zero(m.base)


def check_continuous(m: Mechanism) -> None:
    """Refuse elements that are sampled: between samples their states stand still, and at samples they jump."""
    for name, p in m.elements.items():
        if p.element.period is not None:
            raise StateError(
                f'element "{name}" is sampled every {p.element.period:g} s, and there are no equations of small motions in continuous '
                "time; ask linearise_sampled for those from sample to sample, or use the element without a period"
            )


def check_no_reactions_read(m: Mechanism) -> None:
    """Refuse elements that read reactions of loops, of which no derivatives are known."""
    for name in m.sensed_joints:
        raise StateError(
            f'element "{name}" reads what a joint of a loop transmits, and that has no derivatives here: leave it out'
        )
