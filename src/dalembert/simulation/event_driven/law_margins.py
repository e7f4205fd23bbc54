"""Margins of laws: what must not fall below zero as long as the mode of a run lasts.

Of an element that is open, its gap; of one that is closed, the force that presses; of one that sticks, the grip that is left; of one
that slides one way, its slip. Each has a tolerance of mere rounding; a margin is violated below minus that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.constraints.rest import typical_rate
from dalembert.kernels.masked.law_blocks import UNBREAKABLE
from dalembert.kernels.masked.law_rhs import LawRightHandSide
from dalembert.kernels.masked.sliding_laws import SlidingLaws
from dalembert.kinematics.law_mode import DIRECTIONS, SLOTS, ElementState
from dalembert.kinematics.law_rows import LawTable
from dalembert.simulation.event_driven.law_location import LawLocation
from dalembert.simulation.integrators.integrator import Steps
from dalembert.simulation.march.callback import external_forces
from dalembert.simulation.march.marched_equations import MarchedEquations, put_states
from dalembert.simulation.status import Status
from dalembert.trace.native import FunctionBuilder, Pointer, Real, Signature, maximum, select, sqrt

GAP, SPEED, FORCE = 1e-15, 1e-13, 1e-12
"""What counts as beyond zero: parts of a row's scale, of that in the mechanism's own time, of the largest force."""
PARTS = 6
"""Pieces of a step at whose ends margins are evaluated."""

_POINT: dict[str, Any] = dict.fromkeys(("t", "y", "out", "inputs", "work"), Pointer)


class LawMargins:
    """Code for the margins of a mechanism's laws in the module under construction.

    `out` holds values, then tolerances, of all margins, then the rates of all gaps.
    """

    def __init__(self, e: MarchedEquations):
        assert isinstance(e.rhs, LawRightHandSide)
        self.e, self.rhs = e, e.rhs
        self.elements = self.rhs.table.elements
        self.rate = typical_rate(self.rhs.m)
        self.terms = self.rhs.table.load_terms
        self.count = SLOTS * len(self.elements) + len(self.terms)
        self.size = 2 * self.count + len(self.elements)
        self.kinetics = self._emit_on_state("kinetics_at", self.rhs.emit_kinetics(e.module))
        self.gaps = self._emit_on_state("gaps_at", self.rhs.emit_gaps(e.module))
        self.margins = self._emit_margins()

    def _emit_on_state(self, name: str, code: Signature) -> Signature:
        """`name(t, y, inputs, work)` around a function on a kernel's arguments."""
        e, m = self.e, self.rhs.m
        every: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "work"), Pointer)
        called = external_forces(e.module) if e.catalogue.opaque is not None else None
        with e.module.function(name, **every) as f:
            p, nothing = e.input_layout.of(f.inputs), f.array(m.n_q)
            put_states(f, m, f.y + (m.n_q + m.n_u), p.P)
            x = p.x
            if called is not None:
                x = f.array(m.n_u)
                f.call(called, p.handler, f.t, f.y, x)
                with f.loop(m.n_u) as i:
                    x[i] = x[i] + p.x[i]
            f.call(code, f.t, f.y, f.y + m.n_q, x, p.P, nothing, f.work)
        return f.signature

    def _emit_margins(self) -> Signature:
        """`margins(t, y, out, inputs, work)`."""
        e, rhs = self.e, self.rhs
        at, mode = rhs.places, rhs.mode_at
        with e.module.function("margins", **_POINT) as f:
            P = e.input_layout.of(f.inputs).P
            part = {name: f.work + start for name, start in at.items()}
            part |= {name: P + (mode + where.start) for name, where in rhs.mode.parts.items()}
            part["sizes"] = P + (len(rhs.m.parameters) + rhs.n_rows + rhs.first)
            dy = f.array(e.n)
            with f.if_((part["forces"][0] != 0.0).all()):
                f.call(e.slope, f.t, f.y, dy, f.inputs, f.work)
            with f.else_():
                f.call(self.gaps, f.t, f.y, f.inputs, f.work)
                with f.loop(len(rhs.table)) as k:
                    part["lam"][k] = 0.0
            self._largest(f, part)
            self._write(f, part)
            if self.terms:
                self._turning_loads(f, part)
        return f.signature

    def _largest(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        largest = f.variables(force=1e-300)
        with f.if_((part["forces"][0] != 0.0).all()):
            for values, count in ((part["lam"], len(self.rhs.table)), (part["f"], self.rhs.m.n_u)):
                with f.loop(count) as k:
                    largest.force = maximum(largest.force, abs(values[k]))
        part["largest"][0] = largest.force

    def _write(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """Margins of all elements, one after the other."""
        n, module = len(self.elements), self.e.module
        normal = module.int_table([-1 if e.normal is None else e.normal for e in self.elements])
        pressing = module.int_table([-1 if e.load_row is None else e.load_row for e in self.elements])
        has_gap = module.int_table([int(e.has_gap) for e in self.elements])
        several = [[*e.tangents, -1, -1, -1][:DIRECTIONS] for e in self.elements]
        along = [module.int_table([t[k] for t in several]) for k in range(DIRECTIONS)]
        hold_at = module.int_table(np.cumsum([0, *(len(e.holds) for e in self.elements)]).tolist())
        holds = module.int_table([k for e in self.elements for k in e.holds] or [0])
        loaded = module.int_table([int(i in self.rhs.table.loads) for i in range(n)])
        with f.loop(n) as i:
            values, tolerances = f.out + i * SLOTS, f.out + (i * SLOTS + self.count)
            for slot in range(SLOTS):
                values[slot], tolerances[slot] = 1.0, 1.0
            rate = f.out + (i + 2 * self.count)
            rate[0] = 0.0
            state = part["state"][i]
            with f.if_(normal[i] >= 0):
                self._across(f, part, normal[i], has_gap[i], state, (values, tolerances, rate))
            with f.if_((state == float(ElementState.ENGAGED)).all()):
                self._strength(f, part, i, (hold_at[i], hold_at[i + 1], holds), (values, tolerances))
            with f.if_(along[0][i] >= 0):
                self._along(f, part, i, (pressing[i], loaded[i], *(x[i] for x in along)), (values, tolerances))

    def _across(self, f: FunctionBuilder, part: dict[str, Any], k: Any, has_gap: Any, state: Any, out: Any) -> None:
        values, tolerances, rate = out
        with f.if_((state == float(ElementState.OPEN)).all()):
            with f.if_(has_gap != 0):
                values[0], tolerances[0] = part["gap"][k], GAP * part["sizes"][k]
                rate[0] = part["v"][k]
            with f.else_():
                values[0], tolerances[0] = part["v"][k], SPEED * self.rate * part["sizes"][k]
        with f.if_((state >= float(ElementState.SLIP)).all() & (part["loose"][0] == 0.0).all()):
            values[0], tolerances[0] = -part["lam"][k], FORCE * part["largest"][0]

    def _strength(self, f: FunctionBuilder, part: dict[str, Any], i: Any, rows: Any, out: Any) -> None:
        """What is left of the strength of a hold."""
        (begin, end, holds), (values, tolerances) = rows, out
        with f.if_((part["strength"][i] < UNBREAKABLE).all()):
            force = f.variables(squared=0.0)
            with f.loop(begin, end) as h:
                force.squared = force.squared + part["lam"][holds[h]] * part["lam"][holds[h]]
            values[2], tolerances[2] = part["strength"][i] - sqrt(force.squared), FORCE * part["largest"][0]

    def _along(self, f: FunctionBuilder, part: dict[str, Any], i: Any, rows: Any, out: Any) -> None:
        (k, by_joint, a, b, c), (values, tolerances) = rows, out
        state, lam = part["state"][i], part["lam"]
        load = f.variables(n=0.0, force=lam[a] * lam[a])
        with f.if_((state == float(ElementState.STICK)).all() & (part["loose"][0] == 0.0).all()):
            with f.if_(k >= 0):
                load.n = -lam[k]
            with f.if_(by_joint != 0):
                load.n = part["load"][i]
            for more in (b, c):
                with f.if_(more >= 0):
                    load.force = load.force + lam[more] * lam[more]
            grip = part["static_force"][i] + part["static_coefficient"][i] * load.n
            values[1], tolerances[1] = grip - sqrt(load.force), FORCE * part["largest"][0]
        rough = part["static_force"][i] + part["static_coefficient"][i]
        with f.if_((state == float(ElementState.SLIP)).all() & (b < 0) & (rough > 0.0).all()):
            values[1] = part["direction"][i * DIRECTIONS] * part["v"][a]
            tolerances[1] = SPEED * self.rate * part["sizes"][a]

    def _turning_loads(self, f: FunctionBuilder, part: dict[str, Any]) -> None:
        """Terms of loads that are taken along their direction, of what slides: they end where they change sign."""
        sliding = SlidingLaws(self.rhs, self.e.module)
        for t, term in enumerate(self.terms):
            at = SLOTS * len(self.elements) + t
            f.out[at], f.out[at + self.count] = 1.0, 1.0
            with f.if_((part["state"][term.element] == float(ElementState.SLIP)).all()):
                z = [part["z"][term.start + c] for c in range(term.size)]
                size, _, straight = sliding.sized(f, part, t, z)
                f.out[at] = select(straight, size, 1.0)
                f.out[at + self.count] = select(straight, FORCE * part["largest"][0], 1.0)


def emit_look(e: MarchedEquations, steps: Steps, margins: LawMargins, at: Signature, adaptive: bool) -> Signature:
    """`look(memory, inputs, work)`: where within the step, from `looked_to` on, a margin is violated, the step is made again to end at
    the first violation, and the mode's `trigger` says of which margins. `looked_to` is t then. Where the mode is to be watched, every
    step is for Python to look at, `Status.LOOK`, with a piece in which a margin may be violated from `looked_to` to `event_t`."""
    rhs = margins.rhs
    mode = e.input_layout.parts["P"].start + rhs.mode_at
    watched, trigger = (mode + rhs.mode.parts[name].start for name in ("watched", "trigger"))
    size = rhs.mode.parts["trigger"].stop - rhs.mode.parts["trigger"].start
    piece = _emit_piece(e, margins, at)
    located = LawLocation(e, steps, adaptive, at, margins.count)
    with e.function("look") as f:
        p = e.layout.of(f.memory)
        v = f.variables(end=p.end[0], margin=0, status=0)
        with f.while_(lambda: (p.looked_to[0] < p.t[0]).all()):
            v.status = f.status_of(piece, f.memory, f.inputs, f.work)
            with f.if_((f.inputs[watched] != 0.0).any()):
                f.return_(Status.LOOK)
            with f.if_(v.status == 0):
                f.return_(0)
            v.margin = f.status_of(located.first_violation, f.memory, f.inputs, f.work, p.looked_to[0], p.event_t[0])
            with f.if_(v.margin == 0):
                p.looked_to[0] = p.event_t[0]
            f.next_if(v.margin == 0)
            p.planned_step[0] = maximum(p.planned_step[0], p.step[0])
            v.status = f.status_of(located.step_to, f.memory, f.inputs, f.work, p.event_t[0], v.margin - 1)
            with f.if_(v.status < 0):
                f.return_(v.status)
            p.looked_to[0] = p.t[0]
            with f.if_(v.status == 0):
                p.end[0] = p.t[0]
                with f.loop(size) as j:
                    f.inputs[j + trigger] = 0.0
                with f.loop(margins.count) as j:
                    f.inputs[j + trigger] = p.violated[j]
            with f.else_():
                p.end[0] = v.end
    return f.signature


def _emit_piece(e: MarchedEquations, margins: LawMargins, at: Signature) -> Signature:
    """`piece(memory, inputs, work)`: 1 where within the step, from `looked_to` on, a margin may be violated, in the piece from
    `looked_to` to `event_t`; else 0, and `looked_to` is t unless the mode is watched, where `event_t` is t."""
    watched = e.input_layout.parts["P"].start + margins.rhs.mode_at + margins.rhs.mode.parts["watched"].start
    n, count = len(margins.elements), margins.count
    with e.function("piece") as f:
        p = e.layout.of(f.memory)
        begin, end = p.looked_to[0], p.t[0]
        v = f.variables(a=begin, b=begin, bad=False)
        now, before = p.margins, f.array(margins.size)
        f.call(at, f.memory, f.inputs, f.work, begin)
        with f.loop(1, PARTS + 1) as k:
            share = f.real(k) / PARTS
            v.b = select(share >= 1.0, end, begin + share * (end - begin))
            with f.loop(margins.size) as i:
                before[i] = now[i]
            f.call(at, f.memory, f.inputs, f.work, v.b)
            with f.loop(count) as j, f.if_((~(now[j] >= -now[j + count])).any()):
                v.bad = True
            with f.loop(n) as i:
                g0, g1 = before[i * SLOTS], now[i * SLOTS]
                r0, r1 = before[i + 2 * count], now[i + 2 * count]
                turned = (r0 < 0.0) & (r1 > 0.0)
                slope = select(turned, r1 - r0, 1.0)
                where = (g0 - g1 + r1 * (v.b - v.a)) / slope  # of the least a convex gap can be
                with f.if_((turned & (g0 + r0 * where <= 0.0)).any()):
                    v.bad = True
            with f.if_(v.bad):
                p.looked_to[0], p.event_t[0] = v.a, v.b
                f.return_(1)
            v.a = v.b
        p.event_t[0] = end
        with f.if_((f.inputs[watched] == 0.0).all()):
            p.looked_to[0] = end
    return f.signature


def emit_margins_at(e: MarchedEquations, steps: Steps, margins: LawMargins) -> Signature:
    """`margins_at(memory, inputs, work, t)`: the state at a time within the last step into `event_y`, its margins into `margins`."""
    every: dict[str, Any] = dict.fromkeys(("memory", "inputs", "work"), Pointer)
    with e.module.function("margins_at", status=True, **every, at=Real) as f:
        p = e.layout.of(f.memory)
        with f.if_((f.at == p.t[0]).all()), f.loop(e.n) as i:
            p.event_y[i] = p.y[i]
        with f.if_((f.at == p.t_old[0]).all() & (f.at != p.t[0]).all()), f.loop(e.n) as i:
            p.event_y[i] = p.y_old[i]
        with f.if_((f.at != p.t[0]).all() & (f.at != p.t_old[0]).all()):
            f.call(steps.dense, f.memory, f.inputs, f.work, f.at, p.event_y)
        p.time[0] = f.at
        f.call(margins.margins, p.time, p.event_y, p.margins, f.inputs, f.work)
    return f.signature


def memory_of_laws(table: LawTable) -> dict[str, int]:
    """Parts of a run's memory that laws need."""
    count = SLOTS * len(table.elements) + len(table.load_terms)
    return {
        "margins": 2 * count + len(table.elements),  # at the time examined, see `LawMargins`
        "violated": count,  # which of them are, at the event found
        "planned_step": 1,  # length of the step before it was cut at an event
    }
