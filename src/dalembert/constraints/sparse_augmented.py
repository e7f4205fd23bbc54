"""The augmented system by sparse LU, for mechanisms with many loops.

Of dependent rows an independent set is kept (by pivoted QR); the others carry no multiplier until the least-norm ones are recovered.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.solution import Solution, least_multipliers, rank_of, scaled
from dalembert.formulations.equations import Equations


def solve(e: Equations) -> Solution:
    from scipy.linalg import qr
    from scipy.sparse import block_array, csc_array
    from scipy.sparse.linalg import splu

    B, gamma, _ = scaled(e)
    if not len(B):
        return Solution(splu(csc_array(e.A)).solve(e.f), np.zeros(0), 0)
    _, R, order = qr(B.T, mode="economic", pivoting=True)
    rank = rank_of(np.diag(R))
    kept = np.sort(order[:rank])
    rows = csc_array(B[kept])
    K = block_array([[csc_array(e.A), rows.T], [rows, None]], format="csc")
    udot = splu(K).solve(np.concatenate([e.f, gamma[kept]]))[: len(e.f)]
    return Solution(udot, least_multipliers(e, udot), rank)
