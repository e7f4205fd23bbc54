"""Which speeds the rows of a constrained mechanism touch, and the order of rows in which S = B A⁻¹ Bᵀ has a small profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.recursive.sparse import coupled_speeds
from dalembert.topology.body_graph import reverse_cuthill_mckee
from dalembert.trace import Expr


@dataclass(frozen=True, eq=False)
class Pattern:
    """Which speeds each kept row touches, in the order in which S is factorised."""

    rows: tuple[int, ...]
    """Numbers of the kept rows among all rows, reordered."""
    order: tuple[int, ...]
    """Places of the rows among the kept rows as given."""
    columns: tuple[tuple[int, ...], ...]
    """For each of them the speeds on its paths, in rising order."""

    @cached_property
    def starts(self) -> list[int]:
        """Where each row's entries begin in packed storage; one more for the end."""
        return [0, *np.cumsum([len(c) for c in self.columns]).tolist()]

    @cached_property
    def first(self) -> list[int]:
        """For each row of S the first row it is coupled with: the profile."""
        sets = [set(c) for c in self.columns]
        return [next((j for j in range(i) if not sets[i].isdisjoint(sets[j])), i) for i in range(len(sets))]

    @cached_property
    def profile(self) -> list[int]:
        """Where entry (i, 0) of S would lie, so that (i, j) lies at profile[i] + j; one more for the end."""
        ends = np.cumsum([i + 1 - f for i, f in enumerate(self.first)]).tolist()
        return [(ends[i] - (i + 1)) for i in range(len(ends))] + [ends[-1] if ends else 0]


def pattern(m: Mechanism, B: np.ndarray, rows: Sequence[int], last: int | None = None) -> Pattern:
    """Pattern of the traced rows: their structural entries, completed along the paths to the root, ordered for a small profile.

    Rows numbered `last` and above come last, in the order given.
    """
    inboard = coupled_speeds(m)
    touched = []
    for k in rows:
        found: set[int] = set()
        for c in (c for c in range(m.n_u) if type(B[k, c]) is Expr or B[k, c] != 0.0):
            while c >= 0 and c not in found:
                found.add(c)
                c = inboard[c]
        touched.append(tuple(sorted(found)))
    touching: list[list[int]] = [[] for _ in range(m.n_u)]
    for i, columns in enumerate(touched):
        for c in columns:
            touching[c].append(i)
    free = [i for i, k in enumerate(rows) if last is None or k < last]
    at = {i: place for place, i in enumerate(free)}
    neighbours = [{at[j] for c in touched[i] for j in touching[c] if j in at} - {at[i]} for i in free]
    order = [free[i] for i in reverse_cuthill_mckee(neighbours)] + [i for i in range(len(rows)) if i not in at]
    return Pattern(tuple(rows[i] for i in order), tuple(order), tuple(touched[i] for i in order))
