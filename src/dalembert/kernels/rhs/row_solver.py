"""Driver code of the range-space method: factorise A and S = B A⁻¹ Bᵀ, and turn errors of the rows into corrections.

`Pattern` says before any number is known which entries rows have, and in which order they are solved for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.tree.tree_solver import SparseSolver
from dalembert.mechanism import Mechanism
from dalembert.recursive.sparse import coupled_speeds
from dalembert.topology.body_graph import reverse_cuthill_mckee
from dalembert.trace import Expr
from dalembert.trace.native import FunctionBuilder, Int, Module, Pointer, Real, maximum, minimum, select, sqrt
from dalembert.trace.native.driver.constant_tables import IntTable, RealTable
from dalembert.trace.native.driver.pointers import Index


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


TURNS = 2
"""Turns of inverse iteration."""
PROBE = 0.37
"""Falls of a probe vector's components: no symmetry of a mechanism is likely to be square to it."""


class RowSolver:
    """Row errors r become multipliers S⁻¹r and the displacement A⁻¹BᵀS⁻¹r; `part` names the places of A, B, Y, S, r and d.

    The last rows may be `masked`: `part["mask"]` says of each whether it holds, 1, or not, 0. B and r of those that do not are zero,
    and 1 stands on the diagonal of S for them.
    """

    def __init__(
        self, m: Mechanism, p: Pattern, module: Module, norms_at: Sequence[int] | None = None, masked: int = 0
    ):
        self.n, self.n_rows, self.masked = m.n_u, len(p.rows), masked
        self.tree = SparseSolver(module, m)
        self._starts = module.int_table(p.starts)
        self._columns = module.int_table([c for columns in p.columns for c in columns] or [0])
        self._first = module.int_table(p.first or [0])
        self._profile = module.int_table(p.profile)
        self._order = module.int_table(list(p.order if norms_at is None else norms_at) or [0])
        shared = self._shared(p)
        self._pair_starts = module.int_table([0, *np.cumsum([len(s) for s in shared]).tolist()])
        self._pairs = module.int_table([x for s in shared for pair in s for x in pair] or [0])
        self._steps = self._elimination(m, p, module)

    def _shared(self, p: Pattern) -> list[list[tuple[int, int]]]:
        """For every entry of the profile of S, in its order, the packed places of the speeds both rows touch."""
        where = [{c: p.starts[k] + i for i, c in enumerate(columns)} for k, columns in enumerate(p.columns)]
        return [
            [(where[i][c], where[j][c]) for c in p.columns[i] if c in where[j]]
            for i in range(self.n_rows)
            for j in range(p.first[i], i + 1)
        ]

    def _elimination(self, m: Mechanism, p: Pattern, module: Module) -> tuple[Any, Any]:
        """For every row the steps y[j] −= L[i, j] y[i] of L^-ᵀ on its own entries, tips first: places of i, j and of L[i, j]."""
        inboard, n = coupled_speeds(m), m.n_u
        steps, ends = [], [0]
        for k, columns in enumerate(p.columns):
            where = {c: p.starts[k] + i for i, c in enumerate(columns)}
            for i in reversed(columns):
                j = inboard[i]
                while j >= 0:
                    steps += [where[i], where[j], i * n + j]
                    j = inboard[j]
            ends.append(len(steps) // 3)
        return module.int_table(steps or [0]), module.int_table(ends)

    def factorise(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """A in place; Y from B; S and its Cholesky factor."""
        self.form(f, part)
        self._cholesky(f, part)

    def factorise_damped(
        self, f: FunctionBuilder, part: dict[str, Any], norms: Any, damping: Any, at: Any = None
    ) -> None:
        """The same with S + damping N², N being the rows' reference norms in the metric of A⁻¹, or others at their places: directions
        in which the rows resist far less, or contradict each other by rounding, are left alone."""
        self.form(f, part)
        self.damp(f, part, norms, damping, at)
        self._cholesky(f, part)

    def damp(self, f: FunctionBuilder, part: dict[str, Any], norms: Any, damping: Any, at: Any = None) -> None:
        """S + damping N² in place of S."""
        S, places = part["S"], self._order if at is None else at
        with f.loop(self.n_rows) as i:
            norm = norms[places[i]]
            S[self._profile[i] + i] = S[self._profile[i] + i] + damping * norm * norm

    def watch(self, f: FunctionBuilder, part: dict[str, Any], norms: Any) -> None:
        """`part["pivot"]` becomes the least eigenvalue of S measured by the rows' reference norms, which falls as the square of the
        distance to a singular pose in whatever frame the rows are drawn; 0 where that is not known.

        Inverse iteration: next to a singular pose, where it counts, that eigenvalue is far below the others.
        """
        S, probe = part["S"], part["probe"]
        length = f.variables(before=0.0, now=1.0)
        count = self.n_rows - self.masked
        with f.loop(count) as i:
            probe[i] = 1.0 / (1.0 + PROBE * f.real(i))  # no symmetry of a mechanism is likely to be square to it
        with f.loop(TURNS):
            length.before, length.now = length.now, 0.0
            self._by_norms(f, probe, norms, count)
            self.solve(f, S, probe, count)
            self._by_norms(f, probe, norms, count)
            with f.loop(count) as i:
                length.now = length.now + probe[i] * probe[i]
        found = sqrt(length.before / length.now)
        part["pivot"][0] = select(found > 0.0, minimum(found, 1.0), f.real(0.0)) if count else 1.0

    def _by_norms(self, f: FunctionBuilder, x: Any, norms: Any, count: int) -> None:
        with f.loop(count) as i:
            x[i] = x[i] * norms[self._order[i]]

    def form(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """The factors of A in place; Y from B; S."""
        A, B, Y, S = (part[name] for name in ("A", "B", "Y", "S"))
        self.tree.factorise(f, A)
        steps, ends = self._steps
        with f.loop(self.n_rows) as k:
            with f.loop(self._starts[k], self._starts[k + 1]) as i:
                Y[i] = B[i]
            with f.loop(ends[k], ends[k + 1]) as s:
                target = steps[3 * s + 1]
                Y[target] = Y[target] - A[steps[3 * s + 2]] * Y[steps[3 * s]]
            with f.loop(self._starts[k], self._starts[k + 1]) as i:
                c = self._columns[i]
                Y[i] = Y[i] * sqrt(A[c * self.n + c])
        total = f.variables(sum=0.0, entry=0)
        with f.loop(self.n_rows) as i, f.loop(self._first[i], i + 1) as j:
            total.sum = 0.0
            with f.loop(self._pair_starts[total.entry], self._pair_starts[total.entry + 1]) as s:
                total.sum = total.sum + Y[self._pairs[2 * s]] * Y[self._pairs[2 * s + 1]]
            S[self._profile[i] + j] = total.sum
            total.entry = total.entry + 1
        if not self.masked:
            return
        first = self.n_rows - self.masked
        with f.loop(self.masked) as i:
            at = self._profile[i + first] + (i + first)
            S[at] = S[at] + (1.0 - part["mask"][i])

    def _cholesky(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """S = G Gᵀ within its profile; on the diagonal 1/G_ii."""
        S = part["S"]
        with f.loop(self.n_rows) as i:
            S[self._profile[i] + i] = 1.0 / sqrt(self._eliminated(f, S, i))

    def _eliminated(self, f: FunctionBuilder, S: Any, i: Any) -> Any:
        """Row i of G in place, but for its diagonal; what is left of S_ii."""
        total = f.variables(sum=0.0, first=0)
        row = self._profile[i]
        with f.loop(self._first[i], i) as j:
            total.first = self._first[i]
            with f.if_(self._first[j] > total.first):
                total.first = self._first[j]
            other = self._profile[j]
            total.sum = S[row + j]
            with f.loop(total.first, j) as k:
                total.sum = total.sum - S[row + k] * S[other + k]
            S[row + j] = total.sum * S[other + j]
        total.sum = S[row + i]
        with f.loop(self._first[i], i) as k:
            total.sum = total.sum - S[row + k] * S[row + k]
        return total.sum

    def reveal(
        self, f: FunctionBuilder, part: dict[str, Any], norms: Pointer, at: IntTable, dependent: float, doubtful: float
    ) -> Int:
        """The Cholesky factor of S without the rows that depend on those before them; how many are left, −1 where that is in doubt.

        A row depends on others if no more than the part `dependent` of its squared norm is left beside them; there is a doubt if more
        is left, but not more than the part `doubtful`. Norms are those `at` their places, or the rows' own where these are larger.
        """
        S, v = part["S"], f.variables(sum=0.0, norm=0.0, count=0, doubts=0)
        with f.loop(self.n_rows) as i:
            v.norm = maximum(S[self._profile[i] + i], norms[at[i]] * norms[at[i]])
            v.sum = self._eliminated(f, S, i)
            place = self._profile[i] + i
            with f.if_((v.sum > dependent * v.norm).all()):
                S[place] = 1.0 / sqrt(v.sum)
                v.count = v.count + 1
                with f.if_(~(v.sum > doubtful * v.norm).all()):
                    v.doubts = v.doubts + 1
            with f.else_():
                S[place] = 0.0
        with f.if_(v.doubts > 0):
            v.count = -1
        return v.count

    def correct(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """r ← S⁻¹ r, d ← A⁻¹ Bᵀ r."""
        S, r = part["S"], part["r"]
        self.solve(f, S, r)
        self.exert(f, part)

    def exert(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """d ← A⁻¹ Bᵀ r."""
        A, B, r, d = (part[name] for name in ("A", "B", "r", "d"))
        with f.loop(self.n) as i:
            d[i] = 0.0
        with f.loop(self.n_rows) as k, f.loop(self._starts[k], self._starts[k + 1]) as i:
            c = self._columns[i]
            d[c] = d[c] + B[i] * r[k]
        self.tree.solve(f, A, d, 1)

    def solve(self, f: FunctionBuilder, S: Pointer, r: Pointer, count: int | None = None) -> None:
        """r ← S⁻¹ r by the Cholesky factor of S, or of its first `count` rows."""
        total, count = f.variables(sum=0.0), self.n_rows if count is None else count
        with f.loop(count) as i:
            row = self._profile[i]
            total.sum = r[i]
            with f.loop(self._first[i], i) as k:
                total.sum = total.sum - S[row + k] * r[k]
            r[i] = total.sum * S[row + i]
        with f.countdown(count) as i:
            row = self._profile[i]
            value = r[i] * S[row + i]
            r[i] = value
            with f.loop(self._first[i], i) as k:
                r[k] = r[k] - S[row + k] * value

    def weigh(self, f: FunctionBuilder, B: Pointer, rows: Pointer | RealTable, columns: Pointer | RealTable) -> None:
        """Every entry of B times the weights of its row and of its column."""
        with f.loop(self.n_rows) as k, f.loop(self._starts[k], self._starts[k + 1]) as i:
            B[i] = B[i] * rows[k] * columns[self._columns[i]]

    def norm(self, f: FunctionBuilder, Y: Pointer, k: Int) -> Real:
        """Norm of row k in the metric of A⁻¹."""
        total = f.variables(sum=0.0)
        with f.loop(self._starts[k], self._starts[k + 1]) as i:
            total.sum = total.sum + Y[i] * Y[i]
        return sqrt(total.sum)

    def row_times(self, f: FunctionBuilder, B: Pointer, k: Index, x: Pointer) -> Real:
        """Row k of B times x."""
        total = f.variables(sum=0.0)
        with f.loop(self._starts[k], self._starts[k + 1]) as i:
            total.sum = total.sum + B[i] * x[self._columns[i]]
        return total.sum
