"""The cone problem of a time step, in driver code: impulses P and speeds u⁺ by sweeps of projected Gauss–Seidel.

With u_free the speeds that forces and loops alone would give, u⁺ = u_free + Σ Y P, Y = A⁻¹Jᵀ with loops and latches eliminated, and
v⁻ = J u⁻ − b + θ h γ, v⁺ = J u⁺ − b − (1 − θ) h γ the speeds of a row at both ends of the step, as its own turning asks (J u̇ = γ would
keep them; what rolls on a rim does so in the second order of the step, and keeps its energy):

- a gap that touches: 0 ≤ P ⊥ v⁺ + e min(v⁻, 0) ≥ 0;
- friction: −P in the disc of radius h c₀ + c₁ · load along the slip v⁺, a cone of second order;
- viscous friction: P = −h c ((1 − θ) v⁻ + θ v⁺).

Sweeps end when no impulse changes by more than `CONVERGED` of the largest, both weighed by W = J Y; where they do not, after `SWEEPS`,
the largest change left is handed back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.constraints.rest import typical_rate
from dalembert.kernels.masked.latch_impulses import emit_latches
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.kinematics.law_mode import ElementState
from dalembert.trace.native import FunctionBuilder, Module, Pointer, Real, Signature, maximum, select, sqrt

if TYPE_CHECKING:
    from dalembert.kernels.masked.stepping_rhs import SteppingRightHandSide
    from dalembert.trace.native import Int, Variables
    from dalembert.trace.native.driver.pointers import Index

CONVERGED = 1e-13
"""Change of an impulse in a sweep, by the largest, at which all are known."""
SWEEPS = 3000
"""Most sweeps of a step."""
BALLS_CONVERGED, BALL_SWEEPS = 1e-6, 300
"""The same where many balls touch: sweeps through piles converge slowly, and go on in the next step from where they ended."""
STILL = 1e-9
"""Slip, by its scale in the mechanism's own time, below which friction at rest holds."""
BLOCKED = 1e-13
"""Part of a row, in the metric of A⁻¹, that loops must leave free for it to be moved by its impulse."""
GAINED = 1e-12
"""Part of the kinetic energy that an impact may seem to gain by rounding."""
TOUCH = 1e-11
"""Gap, by its scale, that counts as touching."""
HALVINGS = 6
"""Times that the share of restitution is halved before there is none."""
LEAST_SHARE = 0.02
"""Share of restitution below which there is none."""


class ConeSweeps:
    """`prepare` and `solve` of one right-hand side, in a module."""

    def __init__(self, rhs: SteppingRightHandSide, module: Module, lanes: int):
        self.rhs, self.module, self.lanes, self.n = rhs, module, lanes, rhs.m.n_u
        self.rate = typical_rate(rhs.m)
        table, every = rhs.table, rhs.table.elements
        self.rows, self.elements = len(table), len(every)
        self.solver = RowSolver(rhs.m, rhs.pattern, module, masked=rhs.n_masked)
        self.tangents = [r for e in every for r in e.tangents]
        self.tangent = module.int_table(self.tangents or [0])
        self.tangents_of = module.int_table(np.cumsum([0, *(len(e.tangents) for e in every)]).tolist())
        self.normal_of = module.int_table([-1 if e.normal is None else e.normal for e in every] or [0])
        self.pressed_by = module.int_table([-1 if e.load_row is None else e.load_row for e in every] or [0])
        self.partner = module.int_table([-1 if p is None else p for p in table.partners] or [0])
        self.has_gap = module.int_table([int(e.normal is not None and e.has_gap) for e in every] or [0])
        self.hold_count = module.int_table([len(e.holds) for e in every] or [0])
        places = {r: k for k, r in enumerate(rhs.holds)}
        self.hold_at = module.int_table([places[e.holds[0]] if e.holds else 0 for e in every] or [0])
        self.first_hold = module.int_table([e.holds[0] if e.holds else 0 for e in every] or [0])
        self.terms, self.components = table.load_terms, table.n_components
        self.law_of = module.int_table(table.law_of.tolist() or [0])
        self.n_laws = len(table.laws)
        self.balls = rhs.balls
        self.ball_at = np.cumsum([0, *(3 * b.pairs for b in self.balls)]).tolist()
        for b in self.balls:
            b.emit(module, lanes)
        self.converged, self.most = (BALLS_CONVERGED, BALL_SWEEPS) if self.balls else (CONVERGED, SWEEPS)
        self.prepare = self._emit_prepare()
        self.solve = self._emit_solve()

    def parts(self, f: FunctionBuilder) -> dict[str, Any]:
        rhs = self.rhs
        part = {name: f.work + start for name, start in rhs.places.items()}
        mode = {name: f.P + (rhs.mode_at + rhs.mode.parts[name].start) for name in ("state", "enforced", "active")}
        return part | mode | {"sizes": f.P + rhs.sizes_at}

    def depth(self, part: dict[str, Any], e: Int) -> Real:
        """Gap of an element by its scale."""
        r = self.normal_of[e]
        return part["gap"][r] / part["sizes"][r]

    def _mask(self, f: FunctionBuilder, part: dict[str, Any]) -> Pointer:
        """Which rows of latches hold, one after the other."""
        found = f.array(max(1, len(self.rhs.holds)))
        for k, r in enumerate(self.rhs.holds):
            found[k] = part["active"][r]
        return found

    # -- rows ----------------------------------------------------------------------------------------------------------
    def _emit_prepare(self) -> Signature:
        """`prepare`: inertia and rows of a pose, factorised; Y and W of every row that may touch."""
        code = self.module.block(self.rhs.blocks["step_pose"], self.lanes)
        with self.module.function("prepare_step", lanes=self.lanes, public=False, **KERNEL, h=Real, theta=Real) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            part = self.parts(f)
            self.solver.factorise(f, part | {"mask": self._mask(f, part)})
            for b in self.balls:
                f.call(b.find, *(getattr(f, name) for name in NAMES))
            with f.loop(self.elements) as e:
                self._see_whether_it_touches(f, part, e)
                with f.if_((part["touches"][e] != 0.0).any()):
                    with f.if_(self.normal_of[e] >= 0):
                        self._row(f, part, self.normal_of[e])
                    with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as t:
                        self._row(f, part, self.tangent[t])
                    self._tangent_step(f, part, e)
        return f.signature

    def _see_whether_it_touches(self, f: FunctionBuilder, part: dict[str, Any], e: Any) -> None:
        on = part["state"][e] != float(ElementState.OFF)
        part["touches"][e] = select(on, 1.0, f.real(0.0))
        with f.if_(self.has_gap[e] != 0):
            r = self.normal_of[e]
            bent = (
                (f.theta * f.h) * (f.theta * f.h) * abs(part["turning"][r])
            )  # twice what a straight way leaves a curved one by
            near = part["gap"][r] <= TOUCH * part["sizes"][r] + bent
            part["touches"][e] = select(on & near, 1.0, f.real(0.0))
        with f.if_(self.partner[e] >= 0):  # a gap comes before the turnings that it resists
            part["touches"][e] = part["touches"][self.partner[e]]

    def _row(self, f: FunctionBuilder, part: dict[str, Any], r: Any) -> None:
        """Y = A⁻¹Jᵀ − A⁻¹BᵀS⁻¹BA⁻¹Jᵀ of a row, W = J Y and its inverse; what its impulse does to loads of friction."""
        n, kept = self.n, self.rhs.n_rows
        J, Y = part["J"] + r * n, part["Yl"] + r * n
        for i in f.each(n):
            Y[i] = J[i]
        self.solver.tree.solve(f, part["A"], Y, 1)
        raw = f.total(n, lambda i: J[i] * Y[i])
        if kept:
            with f.loop(kept) as k:
                part["r"][k] = self.solver.row_times(f, part["B"], k, Y)
            self.solver.correct(f, part)
            for i in f.each(n):
                Y[i] = Y[i] - part["d"][i]
        W = f.total(n, lambda i: J[i] * Y[i])
        moves = BLOCKED * raw < W
        part["W"][r] = maximum(W, 0.0)
        part["inverse"][r] = select(moves, 1.0 / select(moves, W, 1.0), f.real(0.0))
        total = f.variables(sum=0.0)
        with f.loop(self.components) as c:
            Zu = part["Zu"] + c * n
            total.sum = part["Zp"][c * self.rows + r] + f.total(n, lambda i: Zu[i] * Y[i])
            with f.loop(kept) as k:
                total.sum = total.sum + part["Zx"][c * kept + k] * part["r"][k]
            part["Zp"][c * self.rows + r] = total.sum

    def _tangent_step(self, f: FunctionBuilder, part: dict[str, Any], e: Any) -> None:
        """1 / a bound of the eigenvalues of W of an element's slips."""
        n, v = self.n, f.variables(bound=0.0, sum=0.0)
        with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as t:
            v.sum = 0.0
            J = part["J"] + self.tangent[t] * n
            with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as other:
                Y = part["Yl"] + self.tangent[other] * n
                v.sum = v.sum + abs(f.total(n, lambda i: J[i] * Y[i]))
            v.bound = maximum(v.bound, v.sum * select(part["inverse"][self.tangent[t]] > 0.0, 1.0, f.real(0.0)))
        part["rho"][e] = select(v.bound > 0.0, 1.0 / select(v.bound > 0.0, v.bound, 1.0), f.real(0.0))

    # -- a step --------------------------------------------------------------------------------------------------------
    def _emit_solve(self) -> Signature:
        """`solve`: speeds `after` a step of length `h` from those `before`, forces taken at the state (t, q, u); impulses of all rows,
        friction's viscous part apart, from those of the last step; how many sweeps it took and by how much the last one changed."""
        code = self.module.block(self.rhs.blocks["step_forces"], self.lanes)
        pointers: dict[str, Any] = dict.fromkeys(
            ("before", "after", "impulse", "viscous", "swept", "ball_impulse"), Pointer
        )
        arguments = {**KERNEL, **pointers, "h": Real, "theta": Real}
        with self.module.function("solve_step", lanes=self.lanes, public=False, **arguments) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
            part = self.parts(f)
            self._free(f, part)
            self._begin(f, part)
            for b, at in zip(self.balls, self.ball_at):
                f.call(b.begin, f.work, f.before, f.after, f.ball_impulse + at)
            self._restitute(f, part, 1.0)
            self._sweep_until_known(f, part)
            self._without_gain(f, part)
            if self.rhs.holds:
                emit_latches(self, f, part)
        return f.signature

    def _free(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """Speeds that forces, loops and latches alone would give; impulses of the rows kept are left in r."""
        n, kept, solver = self.n, self.rhs.n_rows, self.solver
        with f.loop(n) as i:
            f.after[i] = part["f"][i]
        solver.tree.solve(f, part["A"], f.after, 1)
        with f.loop(n) as i:
            f.after[i] = f.before[i] + f.h * f.after[i]
        if kept:
            with f.loop(kept) as k:
                part["r"][k] = solver.row_times(f, part["B"], k, f.after) - self.asked(f, part, k)
            solver.correct(f, part)
            with f.loop(n) as i:
                f.after[i] = f.after[i] - part["d"][i]
        total = f.variables(sum=0.0)
        with f.loop(self.components) as c:
            total.sum = f.h * part["z0"][c]
            with f.loop(n) as i:
                total.sum = total.sum + part["Zu"][c * n + i] * (f.after[i] - f.before[i])
            with f.loop(kept) as k:
                total.sum = total.sum + part["Zx"][c * kept + k] * part["r"][k]
            part["zf"][c] = total.sum

    def asked(self, f: FunctionBuilder, part: dict[str, Any], k: Index) -> Real:
        """Speed after the step of row k of loops and latches: it was closed before, and accelerates as B u̇ = γ asks."""
        return self.solver.row_times(f, part["B"], k, f.before) + f.h * part["gamma"][k]

    def _speed(self, f: FunctionBuilder, part: dict[str, Any], r: Any, u: Any) -> Any:
        """In the pose of the step."""
        J = part["J"] + r * self.n
        return f.total(self.n, lambda i: J[i] * u[i]) - part["b"][r]

    def _at_start(self, f: FunctionBuilder, part: dict[str, Any], r: Any) -> Any:
        return part["v_before"][r] + f.theta * f.h * part["turning"][r]

    def _at_end(self, f: FunctionBuilder, part: dict[str, Any], r: Any) -> Any:
        return self._speed(f, part, r, f.after) - (1.0 - f.theta) * f.h * part["turning"][r]

    def _push(self, f: FunctionBuilder, part: dict[str, Any], r: Any, impulse: Any) -> None:
        Y = part["Yl"] + r * self.n
        for i in f.each(self.n):
            f.after[i] = f.after[i] + Y[i] * impulse

    def _begin(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """Speeds before the step; friction by whether it slides then; impulses of the last step as a start."""
        v = f.variables(slip=0.0, turned=0.0, size=0.0)
        with f.loop(self.elements) as e:
            touches, r = part["touches"][e], self.normal_of[e]
            v.slip, v.turned, v.size, part["load"][e], part["slides"][e] = 0.0, 0.0, 0.0, 0.0, 0.0
            with f.if_((touches != 0.0).any()):
                with f.if_(r >= 0):
                    part["v_before"][r] = self._speed(f, part, r, f.before)
                    self._start(f, part, r, touches)
                with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as t:
                    k = self.tangent[t]
                    part["v_before"][k] = self._speed(f, part, k, f.before)
                    slip, turned = self._at_start(f, part, k), f.h * part["turning"][k]
                    v.slip, v.size = v.slip + slip * slip, maximum(v.size, part["sizes"][k])
                    v.turned = v.turned + turned * turned
                    self._start(f, part, k, touches)
                    f.viscous[k] = f.viscous[k] * touches
                    self._push(f, part, k, f.viscous[k])
            with f.else_():
                self._forget(f, e)
            moves = (sqrt(v.slip) > STILL * self.rate * v.size) & (v.slip > v.turned)
            part["own"][e] = f.h * select(moves, part["force"][e], part["static_force"][e])
            part["per_load"][e] = select(moves, part["coefficient"][e], part["static_coefficient"][e])

    def _start(self, f: FunctionBuilder, part: dict[str, Any], r: Any, touches: Any) -> None:
        f.impulse[r] = f.impulse[r] * touches
        self._push(f, part, r, f.impulse[r])

    def _forget(self, f: FunctionBuilder, e: Any) -> None:
        with f.if_(self.normal_of[e] >= 0):
            f.impulse[self.normal_of[e]] = 0.0
        with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as t:
            f.impulse[self.tangent[t]], f.viscous[self.tangent[t]] = 0.0, 0.0

    def _restitute(self, f: FunctionBuilder, part: dict[str, Any], share: Any) -> None:
        """e min(v⁻, 0) of every gap that touches, times a share in each lane."""
        with f.loop(self.elements) as e:
            part["rebound"][e] = 0.0
            with f.if_(self.has_gap[e] != 0):
                back = part["restitution"][e] * share * self._at_start(f, part, self.normal_of[e])
                part["rebound"][e] = select((part["touches"][e] != 0.0) & (back < 0.0), back, f.real(0.0))

    # -- sweeps --------------------------------------------------------------------------------------------------------
    def _sweep_until_known(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        v, changed = f.variables(change=0.0, largest=0.0, count=0.0), f.array(2)
        with f.loop(self.most):
            v.change, v.largest, v.count = 0.0, 1e-300, v.count + 1.0
            self._joint_loads(f, part)
            with f.loop(self.elements) as e, f.if_((part["touches"][e] != 0.0).any()):
                with f.if_(self.normal_of[e] >= 0):
                    self._press(f, part, e, v)
                with f.if_(self.tangents_of[e + 1] > self.tangents_of[e]):
                    self._rub(f, part, e, v)
            for b, at in zip(self.balls, self.ball_at):
                changed[0], changed[1] = v.change, v.largest
                f.call(b.sweep, f.work, f.after, f.ball_impulse + at, changed)
                v.change, v.largest = changed[0], changed[1]
            f.stop_if((v.change <= self.converged * v.largest).all())
        f.swept[0], f.swept[1] = f.swept[0] + v.count, maximum(f.swept[1], v.change / v.largest)

    def _changed(self, f: FunctionBuilder, part: dict[str, Any], r: Any, new: Any, v: Variables) -> None:
        """A new impulse of row r."""
        weight, difference = sqrt(part["W"][r]), new - f.impulse[r]
        v.change = maximum(v.change, abs(difference) * weight)
        v.largest = maximum(v.largest, abs(new) * weight)
        f.impulse[r] = new
        self._push(f, part, r, difference)

    def _press(self, f: FunctionBuilder, part: dict[str, Any], e: Any, v: Variables) -> None:
        r = self.normal_of[e]
        speed = self._at_end(f, part, r) + part["rebound"][e]
        new = maximum(f.impulse[r] - speed * part["inverse"][r], 0.0) * part["touches"][e]
        self._changed(f, part, r, new, v)

    def _rub(self, f: FunctionBuilder, part: dict[str, Any], e: Any, v: Variables) -> None:
        trial, rho, load = part["trial"], part["rho"][e], f.variables(n=part["load"][e], size=0.0)
        begin, end = self.tangents_of[e], self.tangents_of[e + 1]
        with f.if_(self.pressed_by[e] >= 0):
            load.n = f.impulse[self.pressed_by[e]]
        with f.loop(begin, end) as t:
            r = self.tangent[t]
            trial[r] = f.impulse[r] - rho * self._at_end(f, part, r)
            load.size = load.size + trial[r] * trial[r]
        radius = (part["own"][e] + part["per_load"][e] * load.n) * part["touches"][e]
        size = sqrt(load.size)
        beyond = size > radius
        factor = select(beyond, radius / select(beyond, size, 1.0), 1.0)
        part["slides"][e] = select(beyond, 1.0, f.real(0.0))
        with f.loop(begin, end) as t:
            r = self.tangent[t]
            self._changed(f, part, r, trial[r] * factor, v)
        with f.if_((part["viscous"][e] != 0.0).any()), f.loop(begin, end) as t:
            self._damp(f, part, e, self.tangent[t], v)

    def _damp(self, f: FunctionBuilder, part: dict[str, Any], e: Any, r: Any, v: Variables) -> None:
        """The viscous part of friction, implicit in the speed after the step."""
        c = f.h * part["viscous"][e] * part["touches"][e]
        speed = self._speed(f, part, r, f.after)
        off = f.viscous[r] + c * ((1.0 - f.theta) * part["v_before"][r] + f.theta * speed)
        change = -off / (1.0 + c * f.theta * part["W"][r])
        f.viscous[r] = f.viscous[r] + change
        v.change = maximum(v.change, abs(change) * sqrt(part["W"][r]))
        v.largest = maximum(v.largest, abs(f.viscous[r]) * sqrt(part["W"][r]))
        self._push(f, part, r, change)

    def _joint_loads(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """Loads of friction by what joints transmit, with the impulses known so far."""
        if not self.components:
            return
        total = f.variables(sum=0.0)
        with f.loop(self.components) as c:
            total.sum = part["zf"][c]
            with f.loop(self.rows) as r:
                total.sum = total.sum + part["Zp"][c * self.rows + r] * (f.impulse[r] + f.viscous[r])
            part["z"][c] = total.sum
        for i in {term.element for term in self.terms}:
            part["load"][i] = 0.0
        for t, term in enumerate(self.terms):
            z = [part["z"][term.start + c] for c in range(term.size)]
            part["load"][term.element] = part["load"][term.element] + part["arm"][t] * sqrt(sum(x * x for x in z))

    # -- energy --------------------------------------------------------------------------------------------------------
    def _work(self, f: FunctionBuilder, part: dict[str, Any]) -> Any:
        """Work of all impulses of gaps and friction, at the mean of the speeds before and after."""
        total = f.variables(sum=0.0)
        with f.loop(self.elements) as e, f.if_((part["touches"][e] != 0.0).any()):
            r = self.normal_of[e]
            with f.if_(r >= 0):
                mean = 0.5 * (part["v_before"][r] + self._speed(f, part, r, f.after))
                total.sum = total.sum + mean * f.impulse[r]
            with f.loop(self.tangents_of[e], self.tangents_of[e + 1]) as t:
                k = self.tangent[t]
                mean = 0.5 * (part["v_before"][k] + self._speed(f, part, k, f.after))
                total.sum = total.sum + mean * (f.impulse[k] + f.viscous[k])
        return total.sum

    def _without_gain(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """Where restitution with friction would gain energy, as much restitution as gains none: three halvings of its share."""
        if not any(e.normal is not None and e.tangents for e in self.rhs.table.elements):
            return
        n, kinetic = self.n, f.variables(energy=0.0, share=1.0, any=False)
        with f.loop(self.elements) as e:
            kinetic.any = kinetic.any | (part["rebound"][e] != 0.0).any()
        with f.if_(kinetic.any):
            kinetic.energy = f.total(n, lambda i: f.after[i] * f.after[i] / part["A"][i * n + i])
            with f.loop(HALVINGS):
                gains = self._work(f, part) > GAINED * kinetic.energy
                f.stop_if((~gains).all())
                kinetic.share = select(gains, 0.5 * kinetic.share, kinetic.share)
                self._restitute(f, part, select(kinetic.share > LEAST_SHARE, kinetic.share, f.real(0.0)))
                self._sweep_until_known(f, part)

    def add(self, f: FunctionBuilder, w: Any, part: dict[str, Any], r: Any, impulse: Any) -> None:
        J = part["J"] + r * self.n
        for i in f.each(self.n):
            w[i] = w[i] + J[i] * impulse
