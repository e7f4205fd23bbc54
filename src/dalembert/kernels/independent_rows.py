"""An independent set of a mechanism's rows, found once and kept with its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.constraints.assembly.assemble import assemble, close
from dalembert.constraints.diagnosis.contradictions import check_defined
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.errors import LoopError
from dalembert.kernels.catalogue import Catalogue
from dalembert.kinematics.constraint_rows import closure


def independent_rows(
    catalogue: Catalogue, q: Any = None, t: float = 0.0, parameters: Mapping[str, float] | None = None
) -> tuple[int, ...]:
    """Rows that together say all, from the assembled pose nearest to q, or to the reference."""
    known = catalogue.constrained
    if known.independent is None:
        m = catalogue.mechanism.with_parameters(**parameters or {})
        known.independent = tuple(diagnose(m, _pose(m, q, t), t).independent) if m.constraint_rows else ()
    return known.independent


def _pose(m: Any, q: Any, t: float) -> np.ndarray:
    if q is None:
        return assemble(m, np.array(m.reference), t=t)
    attempt = close(m, np.asarray(q, dtype=float), (), t)
    if not attempt.closed:
        check_defined(m, attempt.q, t, closure(m.state(attempt.q, np.zeros(m.n_u), t))[0])
        raise LoopError(
            f'mechanism "{m.name}" is not assembled at these coordinates, by {attempt.gap:.3g} of its size; m.assemble finds some'
        )
    return attempt.q
