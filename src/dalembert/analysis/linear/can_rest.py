"""Whether a mechanism can be at rest."""

from __future__ import annotations

from dalembert.mechanism import Mechanism
from dalembert.trace import free_symbols, symbol


def stands(m: Mechanism) -> bool:
    """Whether it rests where no speed is given: nothing is prescribed by time."""
    laws = [x for each in (m.joints, m.cuts) for j in each for x in j.law.q]
    timed = any(symbol("t") in free_symbols([*d.g, *d.phi]) for d in m.constraint_rows.values())
    return not timed and all(x is None for x in laws)
