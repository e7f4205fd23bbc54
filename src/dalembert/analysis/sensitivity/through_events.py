"""Sensitivities of motions with laws: the motion is marched first, with its events; then state and X are marched from event to event, each
stretch in its mode, by compiled code, and X jumps where the motion does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.integrate import Radau

from dalembert.analysis.sensitivity.jump import EventSensitivity, Jumps, describe
from dalembert.constraints.nonsmooth.unique_loads import check_loads_unique
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.parts.events import Event
from dalembert.simulation.event_driven.acting import check_actions
from dalembert.simulation.event_driven.breakaway import FINEST
from dalembert.simulation.event_driven.law_program import LawProgram
from dalembert.simulation.event_driven.law_sensitivity_march import LawSensitivityProgram
from dalembert.simulation.event_driven.recorded_run import RecordedRun, Settled
from dalembert.simulation.kept_rows import KeptRows, law_rows_kept
from dalembert.simulation.march.between_stretches import Progress
from dalembert.simulation.march.memory import NEXT
from dalembert.simulation.march.sensitivity_march import SensitivityRun
from dalembert.simulation.run_options import Options


def recorded_run(
    m: Mechanism, model: Mechanism, o: Options, kept: KeptRows, q: np.ndarray, u: np.ndarray, events: list[Event]
) -> RecordedRun:
    """The motion of `model`, which has values of `m`'s parameters, with all its events."""
    for event in events:
        check_actions(model, event)
    if model.laws:
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
        while self.to_come and self.to_come[0].reached <= self.t:
            self._pass(self.to_come.pop(0))
        until = min(self.to_come[0].reached, self.options.end) if self.to_come else self.options.end
        self.part("end")[:] = self.part("until")[:] = until
        self.program.library.begin(self.memory, self.inputs, self.work)

    def _pass(self, x: Settled) -> None:
        m, n = self.model, self.model.n_q + self.model.n_u + self.model.n_z
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
        self.program.input_layout.view(self.inputs, "P")[: len(m.parameters), 0] = x.after.parameters[: len(m.parameters)]
        self._at(x.t)
        if x.resumed > x.t:
            self._implicit(x)

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
        """The beginning of a slip in a plane, of which the motion knows how long it is integrated implicitly."""
        atol = self.part("atol").copy()
        atol = np.where(np.isfinite(atol) & (atol > 0.0), atol, 1.0)
        y = self.part("y").copy()
        solver: Any = Radau(self._slope, x.t, y, x.resumed, rtol=max(self.options.rtol, FINEST), atol=atol)  # type: ignore[arg-type]
        while solver.status == "running":
            solver.step()
            n, dense = int(self.counters[NEXT]), None
            while n < len(self.options.times) and self.options.times[n] <= solver.t:
                dense = dense or solver.dense_output()
                self.rows[n] = dense(self.options.times[n])
                n += 1
            self.counters[NEXT] = n
        if solver.status == "failed":
            raise SimulationError(
                f"sensitivities end at t = {solver.t:.9g} s: the beginning of the slip at {describe(self.motion, x)} was not passed"
            )
        self.part("y")[:] = solver.y
        self._at(x.resumed)

    def _slope(self, t: float, y: np.ndarray) -> np.ndarray:
        dy = np.zeros(len(y))
        self.program.library.slope_at(np.array([t]), np.ascontiguousarray(y), dy, self.inputs, self.work)
        return dy
