"""An independent set of a mechanism's rows, found once and kept with its kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.constraints.assembly import assemble
from dalembert.constraints.diagnosis import diagnose
from dalembert.mechanism import Mechanism


def independent_rows(m: Mechanism, q: Any = None, t: float = 0.0) -> tuple[int, ...]:
    """Rows that together say all, from the assembled coordinates q, or from those nearest the reference."""
    known = m.kernels.found
    if "independent" not in known:
        known["independent"] = ()
        if m.constraint_rows:
            pose = assemble(m, np.array(m.reference), t=t) if q is None else np.asarray(q, dtype=float)
            known["independent"] = diagnose(m, pose, t).independent
    rows: tuple[int, ...] = known["independent"]
    return rows
