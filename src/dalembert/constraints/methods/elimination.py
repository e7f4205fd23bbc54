"""Sparse L D Lᵀ in an order settled before the numbers are known.

Of [A Bᵀ; B 0] with positive definite A and independent rows, every pivot is sound as long as a row comes after all speeds it touches
(the leading blocks are then of the same kind). Among the orders that do, the least fill-in is sought: always the next unknown
with the fewest neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.cached import cached_property
from dalembert.trace.native import FunctionBuilder, Module, Pointer


@dataclass(frozen=True, eq=False)
class Elimination:
    """Unknowns in the order of elimination, each with the later ones it is coupled with by then."""

    order: tuple[int, ...]
    later: tuple[tuple[int, ...], ...]

    @cached_property
    def place(self) -> dict[tuple[int, int], int]:
        """Where the entry of two unknowns lies, the later one first; the pivots come first."""
        entries = [(k, k) for k in self.order]
        entries += [(i, k) for k, later in zip(self.order, self.later) for i in later]
        return {entry: at for at, entry in enumerate(entries)}

    def at(self, i: int, j: int) -> int:
        """Where the entry of two unknowns lies, in either order."""
        return self.place[(i, j) if (i, j) in self.place else (j, i)]

    @property
    def size(self) -> int:
        return len(self.place)

    @property
    def updates(self) -> int:
        """How many times an entry is changed by elimination."""
        return sum(len(later) * (len(later) + 1) // 2 for later in self.later)

    def entries(self, A: np.ndarray) -> list[tuple[int, int]]:
        """Entries of A's lower half that can be other than zero, and its diagonal."""
        return [(i, j) for i in range(len(A)) for j in range(i + 1) if A[i, j] or i == j]


def elimination(A: np.ndarray, B: np.ndarray) -> Elimination:
    """Elimination from the patterns of A and B; rows are the unknowns after the n speeds."""
    n = len(A)
    either = (np.asarray(A) != 0) | (np.asarray(A).T != 0)  # what cancels in one half may not be seen to in the other
    coupled: list[set[int]] = [set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(either)]
    coupled += [set(np.flatnonzero(row).tolist()) for row in B]
    for k in range(n, n + len(B)):
        for i in coupled[k]:
            coupled[i].add(k)
    waiting = [0] * n + [len(coupled[k]) for k in range(n, n + len(B))]
    touched = [[n + int(k) for k in np.flatnonzero(B[:, i])] for i in range(n)]
    order, later = [], []
    ready = set(range(n))
    while ready:
        k = min(ready, key=lambda i: (len(coupled[i]), i))
        ready.remove(k)
        order.append(k)
        later.append(tuple(sorted(coupled[k])))
        for i in later[-1]:
            coupled[i] |= coupled[k]
            coupled[i] -= {i, k}
        for row in touched[k] if k < n else ():
            waiting[row] -= 1
            if not waiting[row]:
                ready.add(row)
    return Elimination(tuple(order), tuple(later))


class SparseLDL:
    """Driver code of one elimination: `factorise(K)`, then `solve(K, x)`, both in place."""

    def __init__(self, module: Module, e: Elimination):
        self.count = len(e.order)
        sizes = [len(later) for later in e.later]
        column = {k: at for k, at in zip(e.order, np.cumsum([0, *sizes]) + self.count)}
        self._order = module.int_table(e.order or [0])
        self._starts = module.int_table([0, *np.cumsum(sizes).tolist()])
        self._later = module.int_table([i for later in e.later for i in later] or [0])
        assert all(e.place[later[0], k] == column[k] for k, later in zip(e.order, e.later) if later)
        targets = [[e.at(i, j) for a, i in enumerate(later) for j in later[: a + 1]] for later in e.later]
        self._target_starts = module.int_table([0, *np.cumsum([len(t) for t in targets]).tolist()])
        self._targets = module.int_table([x for t in targets for x in t] or [0])

    def factorise(self, f: FunctionBuilder, K: Pointer) -> None:
        """On the pivots' places 1/D, below them L."""
        v = f.variables(target=0)
        with f.loop(self.count) as k:
            inverse = 1.0 / K[k]
            K[k] = inverse
            start, end = self.count + self._starts[k], self.count + self._starts[k + 1]
            v.target = self._target_starts[k]
            with f.loop(start, end) as i:
                factor = K[i] * inverse
                with f.loop(start, i + 1) as j:
                    at = self._targets[v.target]
                    K[at] = K[at] - factor * K[j]
                    v.target = v.target + 1
            with f.loop(start, end) as i:
                K[i] = K[i] * inverse

    def solve(self, f: FunctionBuilder, K: Pointer, x: Pointer) -> None:
        """x ← (L D Lᵀ)⁻¹ x, by the unknowns' own numbers."""
        with f.loop(self.count) as k:
            value = x[self._order[k]]
            with f.loop(self._starts[k], self._starts[k + 1]) as i:
                at = self._later[i]
                x[at] = x[at] - K[self.count + i] * value
        v = f.variables(sum=0.0)
        with f.countdown(self.count) as k:
            at = self._order[k]
            v.sum = x[at] * K[k]
            with f.loop(self._starts[k], self._starts[k + 1]) as i:
                v.sum = v.sum - K[self.count + i] * x[self._later[i]]
            x[at] = v.sum
