"""Sensitivities of motions with laws.

The motion is marched first, with its events; then state and X are marched from event to event, each stretch in its mode, by compiled
code, and X jumps where the motion does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from dalembert.analysis.sensitivity.jump import EventSensitivity, Jumps, describe
from dalembert.constraints.nonsmooth.unique_loads import check_loads_unique
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.parts.events import Event
from dalembert.simulation.event_driven.acting import check_actions
from dalembert.simulation.event_driven.breakaway import FINEST, seeded
from dalembert.simulation.event_driven.law_program import LawProgram, check_restitution
from dalembert.simulation.event_driven.law_sensitivity_march import LawSensitivityProgram
from dalembert.simulation.event_driven.recorded_run import RecordedRun, Settled
from dalembert.simulation.kept_rows import KeptRows, law_rows_kept
from dalembert.simulation.march.between_stretches import Progress
from dalembert.simulation.march.memory import NEXT
from dalembert.simulation.march.sensitivity_march import SensitivityRun
from dalembert.simulation.run_options import Options

FORESEEN = 1e-6
"""Last part of a stretch, before the end of a slip in a plane, in which X is taken to go on at its rate."""

SLIDING = 0.01
"""Part of the way back to there at which a slip in a plane still has a direction, to about as many digits as it is near its end."""


def recorded_run(
    m: Mechanism, model: Mechanism, o: Options, kept: KeptRows, q: np.ndarray, u: np.ndarray, events: list[Event]
) -> RecordedRun:
    """The motion of `model`, which has values of `m`'s parameters, with all its events."""
    for event in events:
        check_actions(model, event)
    if model.laws:
        check_restitution(model, o.restitution)
        kept = law_rows_kept(model, kept, q, o.start)
        check_loads_unique(model, q, u, o.start, kept.rows, SimulationError)
    when, directions = [e.when for e in events], [e.direction for e in events]
    program = LawProgram(m.kernels, o.method, 1, when, directions, kept, None)
    run = RecordedRun(program, model, o, events, None, None, str)
    run.begin(q, u, np.array(list(model.parameters.values()), dtype=float))
    run.go(Progress(None), None)
    return run


class RunThroughEvents(SensitivityRun):
    """Run from X and δp through the events of a motion."""

    program: LawSensitivityProgram

    def __init__(
        self, program: LawSensitivityProgram, o: Options, X: np.ndarray, dP: np.ndarray, atol: np.ndarray,
        motion: RecordedRun, to: Sequence[str],
    ):  # fmt: skip
        super().__init__(program, motion.model, o, X, dP, atol)
        self.motion, self.jumps, self.dP = motion, Jumps(motion, to), dP
        self.to_come = list(motion.settled)
        self.events_met: list[EventSensitivity] = []
        self.changes: list[tuple[float, np.ndarray]] = [(o.start, dP)]
        """Time from which δp is what."""

    def beside(self) -> tuple[np.ndarray, np.ndarray]:
        values, tolerances = self.motion.beside()
        return np.concatenate([values, self._first[0]]), np.concatenate([tolerances, self._first[1]])

    @property
    def _X(self) -> np.ndarray:
        at = len(self.part("y")) - len(self._first[0])
        return self.part("y")[at:]

    def _attend(self) -> None:
        """At the end of a stretch: all events of the instant, then the next stretch."""
        while self.to_come and self._end_before(self.to_come[0]) <= self.t:
            self._pass(self.to_come.pop(0))
        until = min(self._end_before(self.to_come[0]), self.options.end) if self.to_come else self.options.end
        self.part("end")[:] = self.part("until")[:] = until
        self.program.library.begin(self.memory, self.inputs, self.work)

    def _end_before(self, x: Settled) -> float:
        """Where the stretch before an event ends. A slip that ends in a plane turns ever faster with its change: X is taken on from a
        little before by its rate."""
        n = self.motion.settled.index(x)
        if x.reached == x.t or n == 0:
            return x.t
        return x.t - FORESEEN * (x.t - self.motion.settled[n - 1].resumed)

    def _pass(self, x: Settled) -> None:
        m, n = self.model, self.model.n_q + self.model.n_u + self.model.n_z
        if self.t < x.t:
            x = self._still_sliding(x)
            self.part("y")[:] += (x.t - self.t) * self._slope(self.t, self.part("y"))
        X, dP, dt = self.jumps.across(x, self.program.unpacked(self._X[None])[0], self.dP)
        if x is not self.motion.settled[0]:
            self.events_met.append(EventSensitivity(x.t, describe(self.motion, x), dt))
        if dP is not self.dP:
            self.dP = dP
            self.changes.append((x.t, dP))
            self.program.input_layout.view(self.inputs, "along")[:, 0] = self.program.packed(dP)
        self._forget_outputs_from(x.t)
        self.part("y")[:n] = x.after.y[:n]
        self._X[:] = self.program.packed(X)
        self.program.mode(self.inputs).numbers[:] = x.after.mode
        self.program.input_layout.view(self.inputs, "P")[: len(m.parameters), 0] = x.after.parameters[
            : len(m.parameters)
        ]
        self._at(x.t)
        if x.resumed > x.t:
            self._implicit(x)

    def _still_sliding(self, x: Settled) -> Settled:
        """The event with a state before it that still slides: at its very end a slip has no direction."""
        y = x.before.y.copy()
        n = self.model.n_q + self.model.n_u + self.model.n_z
        y[:n] += SLIDING * (self.part("y")[:n] - y[:n])
        return replace(x, before=replace(x.before, y=y))

    def _at(self, t: float) -> None:
        self.part("y_old")[:] = self.part("y")
        for name in ("t", "t_old", "searched_to", "looked_to", "counted_from"):
            self.part(name)[:] = t
        self.part("step")[:] = 0.0

    def _forget_outputs_from(self, t: float) -> None:
        """Outputs at an event are those after it."""
        n = int(self.counters[NEXT])
        while n and self.options.times[n - 1] >= t:
            n -= 1
        self.counters[NEXT] = n

    def _implicit(self, x: Settled) -> None:
        """The beginning of a slip in a plane, of which the motion knows how long it is integrated implicitly: first the state, then X,
        whose equations are linear, along it."""
        rtol, atol = max(self.options.rtol, FINEST), self.part("atol").copy()
        atol = np.where(np.isfinite(atol) & (atol > 0.0), atol, 1.0)
        n = len(atol) - len(self._first[0])
        self.motion.put(x.after)
        begun = self.part("y").copy()
        begun[:n] = seeded(self.motion, x.t, begun[:n].copy())
        span = (x.t, x.resumed)
        state: Any = solve_ivp(
            lambda t, y: self._slope(t, np.concatenate([y, begun[n:]]))[:n], span, begun[:n], "Radau", dense_output=True,
            rtol=rtol, atol=atol[:n],
        )  # fmt: skip
        times = self.options.times
        at = [k for k in range(int(self.counters[NEXT]), len(times)) if times[k] <= x.resumed]

        def rate(t: float, X: np.ndarray) -> np.ndarray:
            return self._slope(t, np.concatenate([state.sol(t), X]))[n:]

        X: Any = solve_ivp(
            rate, span, begun[n:], "Radau", t_eval=[*times[at], x.resumed], rtol=rtol, atol=atol[n:],
            jac=lambda t, _: self._jacobian(t, state.sol(t)),
        )  # fmt: skip
        if not (state.success and X.success):
            raise SimulationError(
                f"sensitivities end at t = {x.t:.9g} s: the beginning of the slip where {describe(self.motion, x)} was not passed"
            )
        for column, k in enumerate(at):
            self.rows[k] = np.concatenate([state.sol(times[k]), X.y[:, column]])
        self.counters[NEXT] += len(at)
        self.part("y")[:] = np.concatenate([state.sol(x.resumed), X.y[:, -1]])
        self._at(x.resumed)

    def _jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Derivatives of the rates of X in X, in the order of memory."""
        p, n = self.program, self.model.n_q + self.model.n_u + self.model.n_z
        size, along, J = len(self._first[0]), p.along, np.zeros((n, n))
        still = self._slope(t, np.concatenate([y, np.zeros(size)]))[len(y) :]
        for first in range(0, n, along):
            units = np.eye(n)[:, first : first + along]
            some = np.zeros((n, along))
            some[:, : units.shape[1]] = units
            rates = self._slope(t, np.concatenate([y, p.packed(some)]))[len(y) :] - still
            J[:, first : first + along] = p.unpacked(rates[None])[0][:, : units.shape[1]]
        return np.kron(np.eye(p.groups), np.kron(J, np.eye(p.width)))

    def _slope(self, t: float, y: np.ndarray) -> np.ndarray:
        dy = np.zeros(len(y))
        self.program.library.slope_at(np.array([t]), np.ascontiguousarray(y), dy, self.inputs, self.work)
        return dy
