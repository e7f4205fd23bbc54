"""The branch sparsity of the mass matrix: speeds couple only along paths to the root."""

from __future__ import annotations

from dalembert.mechanism import Mechanism


def inboard_speeds(m: Mechanism) -> list[int]:
    """For every speed, the next one towards the root on its path; −1 at the root."""
    last: list[int] = [-1]
    out = [-1] * m.n_u
    for j, parent in zip(m.joints, m.parent):
        before = last[parent]
        for column in j.columns:
            out[column] = before
            before = column
        last.append(before)
    return out
