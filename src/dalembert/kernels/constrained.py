"""Accelerations under loops and constraints in compiled code: the range-space method on an independent set of rows.

A = LᵀDL along the tree's branches; Y = D^-½ L^-ᵀ Bᵀ, of which each row touches only the speeds on its own paths; S = YᵀY with its rows
ordered for a small profile, S = G Gᵀ by Cholesky. For chained loops everything is linear in their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from dalembert.formulations import kane
from dalembert.kernels.solver import SparseSolver
from dalembert.kernels.straight import NAMES, block, extra_input, known_symbols
from dalembert.kinematics.rows import Rows, constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive.sparse import inboard_speeds
from dalembert.trace import Expr, tracing
from dalembert.trace.native import Block, Module, Output, Pointer, Signature, maximum, sqrt

MOST_CORRECTIONS = 12
"""Newton steps of a projection; from an integrator's step, two or three are needed."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """Which speeds each kept row touches, in the order in which S is factorised."""

    rows: tuple[int, ...]
    """Numbers of the kept rows among all rows, reordered."""
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
        return [next(j for j in range(i + 1) if not sets[i].isdisjoint(sets[j])) for i in range(len(sets))]

    @cached_property
    def profile(self) -> list[int]:
        """Where entry (i, 0) of S would lie, so that (i, j) lies at profile[i] + j; one more for the end."""
        ends = np.cumsum([i + 1 - f for i, f in enumerate(self.first)]).tolist()
        return [(ends[i] - (i + 1)) for i in range(len(ends))] + [ends[-1] if ends else 0]


def pattern(m: Mechanism, B: np.ndarray, rows: Sequence[int]) -> Pattern:
    """From the traced rows: their structural entries, completed along the paths to the root, ordered for a small profile."""
    inboard = inboard_speeds(m)
    touched = []
    for k in rows:
        found: set[int] = set()
        for c in (c for c in range(m.n_u) if type(B[k, c]) is Expr or B[k, c] != 0.0):
            while c >= 0 and c not in found:
                found.add(c)
                c = inboard[c]
        touched.append(tuple(sorted(found)))
    member = np.array([[c in t for c in range(m.n_u)] for t in map(set, touched)], dtype=int).reshape(len(rows), m.n_u)
    coupled = csr_array(member @ member.T)
    order: list[int] = reverse_cuthill_mckee(coupled, symmetric_mode=True).tolist() if len(rows) else []
    return Pattern(tuple(rows[i] for i in order), tuple(touched[i] for i in order))


class Constrained:
    """Code for one mechanism and one independent set of rows."""

    def __init__(self, m: Mechanism, rows: Sequence[int]):
        self.m, self.n = m, m.n_u
        with tracing():
            self.state: State = m.symbolic_state()
            self.tau = extra_input(m.speeds)
            self.equations = kane.equations(self.state)
            self.all_rows: Rows = constraint_rows(self.state)
            self.pattern = pattern(m, self.all_rows.B, rows)
            self.blocks = self._traced()

    @cached_property
    def places(self) -> dict[str, int]:
        """Parts of the working memory, in elements."""
        n, k, packed = self.n, len(self.pattern.rows), self.pattern.starts[-1]
        sizes = {
            "A": n * n,
            "f": n,
            "gamma": k,
            "g": k,
            "slip": k,
            "B": packed,
            "Y": packed,
            "S": self.pattern.profile[-1],
        }
        sizes |= {"r": k, "d": n, "moved": n, "rates": self.m.n_q, "end": 0}
        return dict(zip(sizes, np.cumsum([0, *list(sizes.values())[:-1]]).tolist()))

    def _traced(self) -> dict[str, Block]:
        """What must be computed at a state: all of it, only what depends on the pose, or the slip of the speeds."""
        e, rows, at = self.equations, self.all_rows, self.places
        kept = list(self.pattern.rows)
        along = [(i, j) for i in range(self.n) for j in range(i + 1) if type(e.A[i, j]) is Expr or e.A[i, j] != 0.0]
        mass = [Output(e.A[i, j], "work", at["A"] + i * self.n + j) for i, j in along]
        B = [rows.B[k, c] for k, columns in zip(kept, self.pattern.columns) for c in columns]
        pose = mass + [Output(x, "work", at["B"] + i) for i, x in enumerate(B)]
        force = [Output(x, "work", at["f"] + i) for i, x in enumerate(e.f + self.tau)]
        gamma = [Output(rows.gamma[k], "work", at["gamma"] + i) for i, k in enumerate(kept)]
        residual = [Output(_or_zero(rows.g[k]), "work", at["g"] + i) for i, k in enumerate(kept)]
        slip = [rows.B[k] @ self.state.speeds - rows.b[k] for k in kept]
        rates = [Output(x, "y", i) for i, x in enumerate(self.state.rates)]
        known = known_symbols(self.m) | {x: ("x", i) for i, x in enumerate(self.tau)}
        parts = {
            "dynamics": pose + force + gamma + rates,
            "pose": pose + residual,
            "slip": [Output(x, "work", at["slip"] + i) for i, x in enumerate(slip)],
            "rates": rates,
        }
        return {name: block(f"constrained_{name}", known, outputs) for name, outputs in parts.items()}

    def emit(self, module: Module, lanes: int) -> tuple[Signature, int]:
        """`run(t, q, u, x, P, y, work)` with y = (q̇, u̇), leaving λ of the kept rows in `work` at `places["r"]`.

        Returns also the working memory in elements.
        """
        code = module.block(self.blocks["dynamics"], lanes)
        solver = RowSolver(self, module)
        n, at = self.n, self.places
        parameters: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
        with module.function("run", lanes=lanes, **parameters) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            udot = f.y + self.m.n_q
            part = {name: f.work + start for name, start in at.items()}
            solver.factorise(f, part)
            with f.loop(n) as i:
                udot[i] = part["f"][i]
            solver.tree.solve(f, part["A"], udot, 1)
            with f.loop(len(self.pattern.rows)) as k:
                part["r"][k] = solver.row_times(f, part["B"], k, udot) - part["gamma"][k]
            solver.correct(f, part)
            with f.loop(n) as i:
                udot[i] = udot[i] - part["d"][i]
        return f.signature, at["end"]

    def emit_projection(self, module: Module, lanes: int) -> Signature:
        """`project(t, q, u, x, P, y, work)`: q, then u, brought back onto the constraints in place, by the least change in the metric
        of A; `y` is scratch for q̇. Newton's method on the residual, stopped where it no longer falls; the speeds twice, to remove the
        rounding of the first time."""
        code = {name: module.block(self.blocks[name], lanes) for name in ("pose", "slip", "rates")}
        solver = RowSolver(self, module)
        m, n, k, at = self.m, self.n, len(self.pattern.rows), self.places
        admissible = self._admissible(module, lanes)
        parameters: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
        with module.function("project", lanes=lanes, **parameters) as f:
            arguments = [getattr(f, name) for name in NAMES]
            part = {name: f.work + start for name, start in at.items()}
            state = f.variables(before=1e300, gap=0.0)
            moved = part["moved"]
            with f.loop(MOST_CORRECTIONS):
                f.call(code["pose"], *arguments)
                state.gap = 0.0
                with f.loop(k) as i:
                    state.gap = maximum(state.gap, abs(part["g"][i]))
                solver.factorise(f, part)
                f.stop_if((state.gap >= 0.5 * state.before).all() | (state.gap == 0.0).all())
                state.before = state.gap
                with f.loop(k) as i:
                    part["r"][i] = part["g"][i]
                solver.correct(f, part)
                with f.loop(n) as i:
                    moved[i] = -part["d"][i]
                f.call(code["rates"], f.t, f.q, moved, f.x, f.P, f.y, f.work)
                with f.loop(m.n_q) as i:
                    f.q[i] = f.q[i] + f.y[i]
                if admissible:
                    f.call(admissible, *arguments)
            with f.loop(2):
                f.call(code["slip"], *arguments)
                with f.loop(k) as i:
                    part["r"][i] = part["slip"][i]
                solver.correct(f, part)
                with f.loop(n) as i:
                    f.u[i] = f.u[i] - part["d"][i]
        return f.signature

    def _admissible(self, module: Module, lanes: int) -> Signature | None:
        """Euler parameters to unit length, in place."""
        with tracing():
            q = self.state.coordinates
            outputs = [Output(x, "q", i) for i, x in enumerate(self.m.admissible(q)) if x is not q[i]]
            return module.block(block("admissible", known_symbols(self.m), outputs), lanes) if outputs else None


class RowSolver:
    """Driver code: factorise A and S, and turn row errors r into multipliers S⁻¹r and the displacement A⁻¹BᵀS⁻¹r."""

    def __init__(self, constrained: Constrained, module: Module):
        p = constrained.pattern
        self.n, self.n_rows = constrained.n, len(p.rows)
        self.tree = SparseSolver(module, constrained.m)
        self._starts = module.int_table(p.starts)
        self._columns = module.int_table([c for columns in p.columns for c in columns] or [0])
        self._first = module.int_table(p.first or [0])
        self._profile = module.int_table(p.profile)
        shared = self._shared(p)
        self._pair_starts = module.int_table([0, *np.cumsum([len(s) for s in shared]).tolist()])
        self._pairs = module.int_table([x for s in shared for pair in s for x in pair] or [0])
        self._steps = self._elimination(constrained, module)

    def _shared(self, p: Pattern) -> list[list[tuple[int, int]]]:
        """For every entry of the profile of S, in its order, the packed places of the speeds both rows touch."""
        where = [{c: p.starts[k] + i for i, c in enumerate(columns)} for k, columns in enumerate(p.columns)]
        return [
            [(where[i][c], where[j][c]) for c in p.columns[i] if c in where[j]]
            for i in range(self.n_rows)
            for j in range(p.first[i], i + 1)
        ]

    def _elimination(self, constrained: Constrained, module: Module) -> tuple[Any, Any]:
        """For every row the steps y[j] −= L[i, j] y[i] of L^-ᵀ on its own entries, tips first: places of i, j and of L[i, j]."""
        p, inboard, n = constrained.pattern, inboard_speeds(constrained.m), constrained.n
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

    def factorise(self, f: Any, part: dict[str, Any]) -> None:
        """A in place; Y from B; S and its Cholesky factor."""
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
        self._cholesky(f, S)

    def _cholesky(self, f: Any, S: Any) -> None:
        """S = G Gᵀ within its profile; on the diagonal 1/G_ii."""
        total = f.variables(sum=0.0, first=0)
        with f.loop(self.n_rows) as i:
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
            S[row + i] = 1.0 / sqrt(total.sum)

    def correct(self, f: Any, part: dict[str, Any]) -> None:
        """r ← S⁻¹ r, d ← A⁻¹ Bᵀ r."""
        A, B, S, r, d = (part[name] for name in ("A", "B", "S", "r", "d"))
        total = f.variables(sum=0.0)
        with f.loop(self.n_rows) as i:
            row = self._profile[i]
            total.sum = r[i]
            with f.loop(self._first[i], i) as k:
                total.sum = total.sum - S[row + k] * r[k]
            r[i] = total.sum * S[row + i]
        with f.countdown(self.n_rows) as i:
            row = self._profile[i]
            value = r[i] * S[row + i]
            r[i] = value
            with f.loop(self._first[i], i) as k:
                r[k] = r[k] - S[row + k] * value
        with f.loop(self.n) as i:
            d[i] = 0.0
        with f.loop(self.n_rows) as k, f.loop(self._starts[k], self._starts[k + 1]) as i:
            c = self._columns[i]
            d[c] = d[c] + B[i] * r[k]
        self.tree.solve(f, A, d, 1)

    def row_times(self, f: Any, B: Any, k: Any, x: Any) -> Any:
        """Row k of B times x."""
        total = f.variables(sum=0.0)
        with f.loop(self._starts[k], self._starts[k + 1]) as i:
            total.sum = total.sum + B[i] * x[self._columns[i]]
        return total.sum


def _or_zero(g: Any) -> Any:
    """A nonholonomic row has no residual to be closed."""
    return 0.0 if isinstance(g, float) and np.isnan(g) else g
