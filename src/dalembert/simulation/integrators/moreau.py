"""The Moreau–Jean method: a fixed step over impacts, friction and everything else that laws do, without looking for events.

q_θ = q + θ h N(q) u; A(q_θ)(u⁺ − u) = h f(t_θ, q_θ, u_θ) + Jᵀ P under the laws, taken at speeds, of what touches at q_θ; u_θ is
(1 − θ) u + θ u⁺, found by one correction; q⁺ = q + h N(q_θ) u_θ [Moreau 1988; Jean 1999]. Order 2 where the motion is smooth and θ = ½,
order 1 over events. Loops, latches and gaps that stay closed are kept by projection of the coordinates [Acary 2013].
"""

from __future__ import annotations

from typing import Any

from dalembert.errors import SimulationError
from dalembert.kernels.masked.cone_sweeps import ConeSweeps
from dalembert.kernels.masked.gap_lift import GapLift
from dalembert.kernels.masked.stepping_rhs import SteppingRightHandSide
from dalembert.kinematics.law_mode import ElementState
from dalembert.simulation.integrators.fixed_step import FixedStep
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.march.marched_equations import MarchedEquations, put_states
from dalembert.simulation.march.memory import PartPointers
from dalembert.trace.native import FunctionBuilder, Pointer, Real, Signature, minimum, select

NO_ROOM = 1e300
"""What is left unsolved where there was no room for all contacts of balls."""
PASSES = 2
"""Times that impulses are solved for: with the forces at the old speeds, then with those at the mean."""


class Moreau(FixedStep):
    """The state is followed by two numbers for every law (losses and works), forces of the laws' rows and states of their elements."""

    name = "moreau"
    order = 2
    any_formulation = False
    takes_impacts = True

    def parts(self, m: Unknowns) -> dict[str, int]:
        # as many of them as there are rows of laws, which is less than `beside`
        return {
            "stage": m.n,
            "impulse": m.beside,
            "viscous": m.beside,
            "theta": 1,
            "swept": 2,
            "unsolved": 1,
            "ball_impulse": m.balls,
        }

    def emit_start(self, e: MarchedEquations) -> Signature:
        if e.catalogue.opaque is not None:
            names = ", ".join(f'"{name}"' for name in e.catalogue.opaque.forces)
            raise SimulationError(
                f'method="moreau" needs the equations as expressions, and force {names} is a plain Python function; write it with '
                "functions of da., or leave out method"
            )
        impulses, _ = _emit_impulses(e)
        kept = e.n - _noted(e)
        with e.function("start") as f:
            p = e.layout.of(f.memory)
            for i in f.each(e.n):
                p.y_old[i] = p.y[i]
            p.t_old[0] = p.t[0]
            f.call(impulses, f.memory, f.inputs, f.work, p.step[0])
            for i in f.each(kept):
                p.y[i] = p.y_old[i]
        signature: Signature = f.signature
        return signature

    def emit_advance(self, e: MarchedEquations) -> Signature:
        impulses, sweeps = _emit_impulses(e)
        lift = GapLift(sweeps).lift
        with e.function("advance", h=Real) as f:
            p = e.layout.of(f.memory)
            f.call(impulses, f.memory, f.inputs, f.work, f.h)
            e.evaluate(f, p.time[0], p.stage, p.dy)
            for i in f.each(e.n_q):
                p.y[i] = p.y_old[i] + f.h * p.dy[i]
            with f.loop(e.n_q + e.n_u, e.n_state) as i:
                p.y[i] = p.y_old[i] + f.h * p.dy[i]
            inputs = e.input_layout.of(f.inputs)
            p.time[0] = p.t_old[0] + f.h
            displaced, book = p.stage + e.n_q, p.y + e.n_state
            f.call(lift, p.time, p.y, displaced, inputs.x, inputs.P, p.dy, f.work, p.impulse, book)
            for k, b in enumerate(sweeps.balls):
                own = (p.ball_impulse + sweeps.ball_at[k], book + 2 * b.number)
                f.call(b.lift, p.time, p.y, displaced, inputs.x, inputs.P, p.dy, f.work, *own)
            e.projected(f, p.t_old[0] + f.h, p.y)
        signature: Signature = f.signature
        return signature

    def emit_dense(self, e: MarchedEquations) -> Signature:
        """On the line between both ends; forces and states are those of the step."""
        straight = e.n - _noted(e)
        with e.function("dense", at=Real, out=Pointer) as f:
            p = e.layout.of(f.memory)
            length = p.t[0] - p.t_old[0]  # none where an event has acted at the end of a step
            x: Any = select(length > 0.0, minimum((f.at - p.t_old[0]) / length, 1.0), 1.0)
            for i in f.each(straight):
                f.out[i] = p.y_old[i] + x * (p.y[i] - p.y_old[i])
            with f.loop(straight, e.n) as i:
                f.out[i] = p.y[i]
            e.projected(f, f.at, f.out)
        signature: Signature = f.signature
        return signature


def _noted(e: MarchedEquations) -> int:
    """How many numbers, the last of the state, belong to a step: forces of rows, states of elements."""
    assert isinstance(e.rhs, SteppingRightHandSide)
    return len(e.rhs.table) + len(e.rhs.table.elements)


def _emit_impulses(e: MarchedEquations) -> tuple[Signature, ConeSweeps]:
    """`impulses(memory, inputs, work, h)`: speeds after a step, its middle in `stage`; losses, works, forces and states of the laws."""
    if "impulses" in e.written:
        found: tuple[Signature, ConeSweeps] = e.written["impulses"]
        return found
    assert isinstance(e.rhs, SteppingRightHandSide)
    sweeps, n_q, n_u = e.rhs.sweeps(e.module, e.lanes), e.n_q, e.n_u
    with e.function("impulses", h=Real) as f:
        p, inputs = e.layout.of(f.memory), e.input_layout.of(f.inputs)
        theta, h = p.theta[0], f.h
        before, after, middle = p.y_old + n_q, p.y + n_q, p.stage + n_q
        e.evaluate(f, p.t_old[0], p.y_old, p.dy)
        for i in f.each(n_q):
            p.stage[i] = p.y_old[i] + theta * h * p.dy[i]
        for i in f.each(n_u):
            middle[i] = before[i]
        with f.loop(n_q + n_u, e.n_state) as i:
            p.stage[i] = p.y_old[i] + theta * h * p.dy[i]
        put_states(f, e.mechanism, p.stage + (n_q + n_u), inputs.P)
        p.time[0] = p.t_old[0] + theta * h
        at = (p.time, p.stage, middle, e.forces(f, p.time, p.stage), inputs.P, p.dy, f.work)
        f.call(sweeps.prepare, *at, h, theta)
        with f.loop(PASSES):
            p.swept[0], p.swept[1] = 0.0, 0.0
            f.call(sweeps.solve, *at, before, after, p.impulse, p.viscous, p.swept, p.ball_impulse, h, theta)
            for i in f.each(n_u):
                middle[i] = (1.0 - theta) * before[i] + theta * after[i]
        p.unsolved[0] = select(p.swept[1] > p.unsolved[0], p.swept[1], p.unsolved[0])
        for b in sweeps.balls:
            p.unsolved[0] = select(b.part(f, "full")[0] > 0.0, NO_ROOM, p.unsolved[0])
        _note(f, e, sweeps, p)
    e.written["impulses"] = f.signature, sweeps
    return f.signature, sweeps


def _note(f: FunctionBuilder, e: MarchedEquations, sweeps: Any, p: PartPointers) -> None:
    """Losses and works of the laws, forces of their rows, states of their elements."""
    rhs, n, n_laws = e.rhs, e.n_u, sweeps.n_laws
    assert isinstance(rhs, SteppingRightHandSide)
    part = {name: f.work + start for name, start in rhs.places.items()}
    book = p.y + e.n_state
    force = book + 2 * n_laws
    state = force + sweeps.rows
    numbers = e.input_layout.of(f.inputs).P + (rhs.mode_at + rhs.mode.parts["state"].start)
    before = p.y_old + e.n_state
    with f.loop(2 * n_laws) as i:
        book[i] = before[i]
    with f.loop(sweeps.rows) as r:
        force[r] = 0.0
    middle, v = p.stage + e.n_q, f.variables(touches=0.0)
    for b, at in zip(sweeps.balls, sweeps.ball_at):
        f.call(b.spent, f.work, middle, p.ball_impulse + at, book + 2 * b.number)

    def count(r: Any, impulse: Any) -> None:
        """The work of an impulse at the mean speed, in part against a surface that moves."""
        J = part["J"] + r * n
        moved = f.total(n, lambda i: J[i] * middle[i])
        at = sweeps.law_of[r] * 2
        book[at] = book[at] - impulse * (moved - part["b"][r])
        book[at + 1] = book[at + 1] + impulse * moved
        force[r] = impulse / f.h

    with f.loop(sweeps.elements) as i:
        before = numbers[i]
        state[i] = before
        v.touches = part["touches"][i] * select(before == float(ElementState.OFF), 0.0, f.real(1.0))
        r = sweeps.normal_of[i]
        sliding = select(part["slides"][i] != 0.0, float(ElementState.SLIP), f.real(float(ElementState.STICK)))
        with f.if_(sweeps.hold_count[i] == 0):
            with f.if_((v.touches != 0.0).any()):
                with f.if_(r >= 0):
                    count(r, p.impulse[r])
                    v.touches = select(p.impulse[r] > 0.0, v.touches, f.real(0.0))
                with f.loop(sweeps.tangents_of[i], sweeps.tangents_of[i + 1]) as t:
                    count(sweeps.tangent[t], p.impulse[sweeps.tangent[t]] + p.viscous[sweeps.tangent[t]])
            with f.if_(sweeps.tangents_of[i] == sweeps.tangents_of[i + 1]):
                sliding_or_smooth = f.real(float(ElementState.CLOSED))
                state[i] = select(v.touches != 0.0, sliding_or_smooth, float(ElementState.OPEN))
            with f.else_():
                state[i] = select(v.touches != 0.0, sliding, float(ElementState.OPEN))
            state[i] = select(before == float(ElementState.OFF), before, state[i])
        with f.else_(), f.loop(sweeps.hold_count[i]) as k:
            force[sweeps.first_hold[i] + k] = p.impulse[sweeps.first_hold[i] + k] / f.h
