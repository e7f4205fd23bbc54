"""The branch sparsity of the mass matrix: speeds couple only along paths to the root."""

from __future__ import annotations

from dalembert.mechanism import Mechanism


def inboard_speeds(m: Mechanism) -> list[int]:
    """For every speed, the next one towards the root on its path; −1 at the root. Speeds that are no joint's are all on one path."""
    if m.variables is not None:
        return list(range(-1, m.n_u - 1))
    last: list[int] = [-1]
    out = [-1] * m.n_u
    for j, parent in zip(m.joints, m.parent):
        before = last[parent]
        for column in j.columns:
            out[column] = before
            before = column
        last.append(before)
    return out


def runs(m: Mechanism) -> list[int]:
    """For every speed, the first of the consecutive ones on its path that lead up to it."""
    out: list[int] = []
    for i, inboard in enumerate(inboard_speeds(m)):
        out.append(out[inboard] if i and inboard == i - 1 else i)
    return out


def coupled_speeds(m: Mechanism) -> list[int]:
    """For every speed, the next one that factorising couples it with: inboard, or the one before where rows carry what has no mass."""
    return inboard_speeds(m) if m.row_inertias is None else list(range(-1, m.n_u - 1))


def along_paths(m: Mechanism) -> list[tuple[int, int]]:
    """Places (i, j ≤ i) of the mass matrix whose speeds lie on one path, or are coupled by rows: all that factorising can touch."""
    inboard = coupled_speeds(m)
    out = []
    for i in range(m.n_u):
        j = i
        while j >= 0:
            out.append((i, j))
            j = inboard[j]
    return out
