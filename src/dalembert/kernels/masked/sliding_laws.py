"""Driver code of accelerations with laws: rows that hold, friction of what slides, loads of friction, losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kinematics.law_mode import DIRECTIONS
from dalembert.trace.native import Bool, FunctionBuilder, Int, Module, maximum, select, sqrt

if TYPE_CHECKING:
    from dalembert.kernels.masked.law_rhs import LawRightHandSide


ROUNDS = 40
"""Newton steps for loads by what joints transmit; contacts alone need one."""
CONVERGED = 1e-15
"""Change of a load, by the largest, at which they are known."""
STRAIGHT = 1e-10
"""Part of the largest force that a term of a load may have aside of its direction to be taken along it, with its sign."""


class SlidingLaws:
    """Code for one right-hand side; `part` names places in its working memory and numbers of the mode."""

    def __init__(self, rhs: LawRightHandSide, module: Module):
        self.rhs, self.m, self.n = rhs, rhs.m, rhs.m.n_u
        table = rhs.table
        self.rows, self.elements = len(table), len(table.elements)
        self.solver = RowSolver(rhs.m, rhs.pattern, module, masked=self.rows)
        p, first = rhs.pattern, rhs.first
        self.starts = module.int_table([x - p.starts[first] for x in p.starts[first:]])
        self.columns = module.int_table([c for columns in p.columns[first:] for c in columns] or [0])
        tangents = [(k, i, slot) for i, e in enumerate(table.elements) for slot, k in enumerate(e.tangents)]
        self.tangents = len(tangents)
        self.row_of, self.element_of, self.slot_of = (
            module.int_table([t[j] for t in tangents] or [0]) for j in range(3)
        )
        self.tangents_of = module.int_table(np.cumsum([0, *(len(e.tangents) for e in table.elements)]).tolist())
        self.normal_of = module.int_table(
            [-1 if e.load_row is None else first + e.load_row for e in table.elements] or [0]
        )
        loaded = [
            int(bool(e.tangents) and (e.load_row is not None or i in table.loads)) for i, e in enumerate(table.elements)
        ]
        self.loaded, self.any_loaded = module.int_table(loaded or [0]), any(loaded)
        self.terms, self.components = table.load_terms, table.n_components
        self.law_of = module.int_table(table.law_of.tolist() or [0])
        self.n_laws = len(table.laws)

    def emit(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """Accelerations behind q̇ in y, losses behind them."""
        rhs, n, solver = self.rhs, self.n, self.solver
        udot = f.y + self.m.n_q
        solver.factorise(f, part)
        if rhs.pivot_at is not None:
            solver.watch(f, part, f.P + len(self.m.parameters))
        self._own_friction(f, part)
        with f.loop(n) as i:
            udot[i] = part["f"][i]
        solver.tree.solve(f, part["A"], udot, 1)
        with f.loop(rhs.n_rows) as k:
            part["r"][k] = solver.row_times(f, part["B"], k, udot) - part["gamma"][k]
        solver.solve(f, part["S"], part["r"])
        if self.any_loaded:
            self._loads(f, part, udot)
        solver.exert(f, part)
        with f.loop(n) as i:
            udot[i] = udot[i] - part["d"][i]
        if self.any_loaded:
            with f.loop(self.elements) as e, f.loop(n) as i:
                udot[i] = udot[i] + part["s"][e] * part["W"][e * n + i]
        self._at_rest(f, part, udot)
        self._forces_and_losses(f, part)

    def _at_rest(self, f: FunctionBuilder, part: dict[str, Any], udot: Any) -> None:
        """Where rows that hold leave no freedom, and ask for no acceleration, there is none: not even of rounding."""
        solved = f.variables(rows=f.real(float(self.rhs.first)), asked=0.0)
        with f.loop(self.rows) as k:
            solved.rows = solved.rows + part["mask"][k]
        with f.loop(self.rhs.n_rows) as k:
            solved.asked = maximum(solved.asked, abs(part["gamma"][k]))
        with f.if_(((solved.rows >= float(self.n)) & (solved.asked == 0.0)).all()), f.loop(self.n) as i:
            udot[i] = 0.0

    def _own_friction(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """λ of what slides without its load, c₀ d + c v, and its generalized force."""
        lam = part["lam"]
        with f.loop(self.rows) as k:
            lam[k] = 0.0
        with f.loop(self.tangents) as t:
            k, e = self.row_of[t], self.element_of[t]
            force = part["slides"][e] * (part["force"][e] * self._along(part, t) + part["viscous"][e] * part["v"][k])
            lam[k] = force
            with f.if_((force != 0.0).all()), f.loop(self.starts[k], self.starts[k + 1]) as i:
                c = self.columns[i]
                part["f"][c] = part["f"][c] - part["J"][i] * force

    def _along(self, part: dict[str, Any], t: Any) -> Any:
        """Component of the direction of slip along tangent t."""
        return part["direction"][self.element_of[t] * DIRECTIONS + self.slot_of[t]]

    # -- loads ---------------------------------------------------------------------------------------------------------
    def _loads(self, f: FunctionBuilder, part: dict[str, Any], udot: Any) -> None:
        """Loads s of what slides under one; r becomes λ₀ + L s."""
        elements, s = self.elements, part["s"]
        slides = f.variables(any=False)
        part["W"].clear(elements * self.n)
        with f.loop(elements) as e:
            s[e], part["load"][e] = 0.0, 0.0
            with f.if_(self.under_load(part, e)):
                slides.any = True
                self._per_unit_load(f, part, e)
        if self.components:
            self._transmitted(f, part, udot)
        with f.if_(slides.any):
            self._solve_loads(f, part)
        if self.components:
            self._add_transmitted(f, part)

    def under_load(self, part: dict[str, Any], e: Int) -> Bool:
        """Whether element e slides with friction by a load."""
        return (part["slides"][e] * part["coefficient"][e] != 0.0).all() & (self.loaded[e] != 0)

    def _per_unit_load(self, f: FunctionBuilder, part: dict[str, Any], e: Any) -> None:
        """W = A⁻¹ of the friction of an element per unit of its load, L = S⁻¹ R W."""
        n, rows = self.n, self.rhs.n_rows
        W, L = part["W"] + e * n, part["L"] + e * rows
        with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as t:
            k = self.row_of[t]
            size = part["coefficient"][e] * self._along(part, t)
            with f.loop(self.starts[k], self.starts[k + 1]) as i:
                c = self.columns[i]
                W[c] = W[c] - part["J"][i] * size
        self.solver.tree.solve(f, part["A"], W, 1)
        with f.loop(rows) as k:
            L[k] = self.solver.row_times(f, part["B"], k, W)
        self.solver.solve(f, part["S"], L)

    def _solve_loads(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """s = ν(λ₀ + L s) by Newton's method, exact at once where all loads are linear."""
        rows, elements, s, M = self.rhs.n_rows, self.elements, part["s"], part["M"]
        width = elements + 1
        v = f.variables(change=0.0, largest=0.0)
        with f.loop(ROUNDS if self.components else 1):
            M.clear(elements * width)
            with f.loop(elements) as i:
                M[i * width + i] = 1.0
                with f.if_(self.under_load(part, i) & (self.normal_of[i] >= 0)):
                    self._pressed_by_gap(f, part, i)
            for t, term in enumerate(self.terms):
                with f.if_(self.under_load(part, f.integer(term.element))):
                    self._pressed_by_joint(f, part, t)
            with f.loop(elements) as i:  # (1 − ν' L) Δs = ν − s
                M[i * width + elements] = M[i * width + elements] - s[i]
            solve_dense(f, M, elements)
            v.change, v.largest = 0.0, 1e-300
            with f.loop(elements) as e:
                s[e] = s[e] + M[e * width + elements]
                v.change = maximum(v.change, abs(M[e * width + elements]))
                v.largest = maximum(v.largest, abs(s[e]))
            f.stop_if((v.change <= CONVERGED * v.largest).all())
        with f.loop(elements) as e, f.if_(self.under_load(part, e)), f.loop(rows) as k:
            part["r"][k] = part["r"][k] + part["L"][e * rows + k] * s[e]

    def _pressed_by_gap(self, f: FunctionBuilder, part: dict[str, Any], i: Any) -> None:
        """Row i of the equations of loads: s = −λ of its gap."""
        rows, elements, normal, M = self.rhs.n_rows, self.elements, self.normal_of[i], part["M"]
        at = i * (elements + 1)
        M[at + elements] = -part["r"][normal]
        with f.loop(elements) as j, f.if_(self.under_load(part, j)):
            slope = -part["L"][j * rows + normal]
            M[at + j] = M[at + j] - slope
            M[at + elements] = M[at + elements] + slope * part["s"][j]

    def _pressed_by_joint(self, f: FunctionBuilder, part: dict[str, Any], t: int) -> None:
        """What term t of a load adds to the equation of its element: arm · |z|, and its slope."""
        term, elements, M, z, Zs = self.terms[t], self.elements, part["M"], part["z"], part["Zs"]
        at, count = term.element * (elements + 1), self.components
        now = [f.variables(x=z[term.start + c]) for c in range(term.size)]
        with f.loop(elements) as j, f.if_(self.under_load(part, j)):
            for c, x in enumerate(now):
                x.x = x.x + Zs[j * count + (term.start + c)] * part["s"][j]
        size, gradient, _ = self.sized(f, part, t, [x.x for x in now])
        arm = part["arm"][t]
        M[at + elements] = M[at + elements] + arm * size
        with f.loop(elements) as j, f.if_(self.under_load(part, j)):
            slope = sum(g * Zs[j * count + (term.start + c)] for c, g in enumerate(gradient))
            M[at + j] = M[at + j] - arm * slope

    def sized(self, f: FunctionBuilder, part: dict[str, Any], t: int, z: list[Any]) -> tuple[Any, list[Any], Any]:
        """|z| of a term of a load, its gradient, and whether it is taken along its direction with its sign."""
        way = [part["pressed"][t * DIRECTIONS + c] for c in range(len(z))]
        known = sum(d * d for d in way)
        along = sum(d * x for d, x in zip(way, z))
        aside = sum((x - d * along) * (x - d * along) for d, x in zip(way, z))
        small = STRAIGHT * part["largest"][0]
        straight = (known > 0.0) & (aside <= small * small)
        length = sqrt(sum(x * x for x in z))
        safe = maximum(length, 1e-300)
        return (
            select(straight, along, length),
            [select(straight, d, x / safe) for d, x in zip(way, z)],
            straight,
        )

    def _transmitted(self, f: FunctionBuilder, part: dict[str, Any], udot: Any) -> None:
        """z of all loads without sliding friction under load, and per unit of each load."""
        n, rows, count, first = self.n, self.rhs.n_rows, self.components, self.rhs.first
        largest = f.variables(force=1e-300)
        with f.loop(n) as i:
            largest.force = maximum(largest.force, abs(part["f"][i]))
        part["largest"][0] = largest.force
        self.solver.exert(f, part)
        total = f.variables(sum=0.0)
        with f.loop(count) as c:
            total.sum = part["z0"][c]
            with f.loop(n) as i:
                total.sum = total.sum + part["Zu"][c * n + i] * (udot[i] - part["d"][i])
            with f.loop(rows) as k:
                total.sum = total.sum + part["Zx"][c * rows + k] * part["r"][k]
            with f.loop(self.rows) as k:
                total.sum = total.sum + part["Zx"][c * rows + (k + first)] * part["lam"][k]
            part["z"][c] = total.sum
        with f.loop(self.elements) as e, f.if_(self.under_load(part, e)):
            self.solver.exert(f, part | {"r": part["L"] + e * rows})
            with f.loop(count) as c:
                total.sum = 0.0
                with f.loop(n) as i:
                    total.sum = total.sum + part["Zu"][c * n + i] * (part["W"][e * n + i] - part["d"][i])
                with f.loop(rows) as k:
                    total.sum = total.sum + part["Zx"][c * rows + k] * part["L"][e * rows + k]
                with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as t:
                    size = part["coefficient"][e] * self._along(part, t)
                    total.sum = total.sum + part["Zx"][c * rows + (self.row_of[t] + first)] * size
                part["Zs"][e * count + c] = total.sum

    def _add_transmitted(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """z with all loads, and the load of every element that is pressed by it."""
        count = self.components
        with f.loop(self.elements) as e, f.if_(self.under_load(part, e)), f.loop(count) as c:
            part["z"][c] = part["z"][c] + part["Zs"][e * count + c] * part["s"][e]
        for t, term in enumerate(self.terms):
            size = self.sized(f, part, t, [part["z"][term.start + c] for c in range(term.size)])[0]
            part["load"][term.element] = part["load"][term.element] + part["arm"][t] * size

    # -- forces --------------------------------------------------------------------------------------------------------
    def _forces_and_losses(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """λ of all rows; behind u̇, for each law Σ λ v and −Σ λ J u."""
        lam, v = part["lam"], part["v"]
        loss = f.y + (self.m.n_q + self.n + self.m.n_z)
        if self.any_loaded:
            with f.loop(self.tangents) as t:
                e = self.element_of[t]
                size = part["slides"][e] * part["coefficient"][e] * part["s"][e]
                lam[self.row_of[t]] = lam[self.row_of[t]] + size * self._along(part, t)
        with f.loop(2 * self.n_laws) as i:
            loss[i] = 0.0
        total = f.variables(sum=0.0)
        with f.loop(self.rows) as k:
            lam[k] = lam[k] + part["r"][k + self.rhs.first]
            total.sum = 0.0
            with f.loop(self.starts[k], self.starts[k + 1]) as i:
                total.sum = total.sum + part["J"][i] * f.u[self.columns[i]]
            at = self.law_of[k] * 2
            loss[at] = loss[at] + lam[k] * v[k]
            loss[at + 1] = loss[at + 1] - lam[k] * total.sum


def solve_dense(f: FunctionBuilder, M: Any, n: int) -> None:
    """M holds n rows of n + 1 numbers, the right-hand sides last; the solution replaces them."""
    width = n + 1
    v = f.variables(best=0.0, row=0)
    with f.loop(n) as k:
        v.best, v.row = abs(M[k * width + k]), k
        with f.loop(k + 1, n) as i, f.if_((abs(M[i * width + k]) > v.best).all()):
            v.best, v.row = abs(M[i * width + k]), i
        with f.if_(v.row != k), f.loop(k, width) as j:
            other = M[v.row * width + j]
            M[v.row * width + j] = M[k * width + j]
            M[k * width + j] = other
        pivot = M[k * width + k]
        with f.loop(n) as i, f.if_(i != k):
            factor = M[i * width + k] / pivot
            with f.loop(k, width) as j:
                M[i * width + j] = M[i * width + j] - factor * M[k * width + j]
    with f.loop(n) as k:
        M[k * width + n] = M[k * width + n] / M[k * width + k]
