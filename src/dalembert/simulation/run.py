"""A run: compiled stretches, and between them what only Python can do: progress, Ctrl-C, controllers, events, checkpoints."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np

from dalembert.errors import MotionFileError, SimulationError, SimulationWarning
from dalembert.simulation.callback import Handler, registered
from dalembert.simulation.checkpoint import Checkpoint
from dalembert.simulation.control import Control
from dalembert.simulation.events import Event
from dalembert.simulation.failure import failure, too_many_steps
from dalembert.simulation.interrupts import Interrupts
from dalembert.simulation.layout import N_COUNTERS, NEXT, PENDING, STEPS, TOTAL, WHICH
from dalembert.simulation.march import AT_END, EVENT, FINISHED, PAUSED
from dalembert.simulation.options import Options
from dalembert.simulation.program import Program
from dalembert.simulation.progress import Progress

STRETCH = 0.05
"""Seconds of compiled code after which Python looks round."""
CHECKPOINT_EVERY = 30.0
"""Seconds between checkpoints."""


class Run:
    """The moving parts. `identity` names the run; two runs of one identity give the same numbers."""

    def __init__(
        self, program: Program, options: Options, events: list[Event], control: Control | None, handler: Handler | None,
        identity: str,
    ):  # fmt: skip
        self.program, self.options, self.events = program, options, events
        self.control, self.handler, self.identity = control, handler, identity
        self.memory, self.given, self.work = program.memory(), program.given_memory(), program.work()
        self.counters = np.zeros(N_COUNTERS, dtype=np.int64)
        m = program.catalogue.mechanism
        self.n_u = m.n_u
        self.rows = np.empty((len(options.times), m.n_q + m.n_u))
        self.forces = np.zeros((len(options.times), m.n_u))
        self.happened: list[np.ndarray] = []
        self.calls = 0
        self.ended = "interrupted"

    def part(self, name: str) -> np.ndarray:
        """A part of the integrator's memory."""
        return self.program.layout.view(self.memory, name)[:, 0]

    @property
    def t(self) -> float:
        return float(self.part("t")[0])

    @property
    def done(self) -> int:
        """Samples written so far."""
        return int(self.counters[NEXT])

    def begin(self, q: np.ndarray, u: np.ndarray, parameters: np.ndarray) -> None:
        """Set everything to the start."""
        o = self.options
        self.part("y")[:] = self.part("y_old")[:] = np.concatenate([q, u])
        for name in ("t", "t_old", "seen", "first"):
            self.part(name)[:] = o.start
        self.part("step")[:], self.part("largest")[:] = o.step, o.max_step
        self.part("rtol")[:], self.part("atol")[:] = o.rtol, o.atol
        if "last_error" in self.program.layout.parts:
            self.part("last_error")[:] = 1e-4
        self.program.given.view(self.given, "P")[:, 0] = parameters
        self.counters[TOTAL] = len(o.times)
        self.part("end")[:] = o.end
        with registered(self.handler):
            self._attend()

    def go_on_from(self, c: Checkpoint) -> None:
        """Set everything to where another run of the same identity stopped."""
        if c.identity != self.identity:
            raise SimulationError(
                "this run cannot go on from there: model, initial values, parameters, options or version differ; repeat the call "
                "that was interrupted, with resume= added"
            )
        self.memory[:], self.given[:], self.counters[:] = c.memory, c.given, c.counters
        self.rows[: len(c.rows)], self.forces[: len(c.forces)] = c.rows, c.forces
        self.happened, self.calls = list(c.events), c.calls

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(
            self.identity, self.memory.copy(), self.given.copy(), self.counters.copy(), self.rows[: self.done].copy(),
            self.forces[: self.done].copy(), np.array(self.happened), self.calls,
        )  # fmt: skip

    # -- going ----------------------------------------------------------------------------------------------------------
    def go(self, progress: Progress, path: str | Path | None) -> None:
        """March to the end, or to whatever ends the run before; a failure is raised."""
        saved, budget = time.monotonic(), 64
        if self.handler is not None:
            self.program.given.view(self.given, "handler")[:, 0] = self.handler.number
        with registered(self.handler), progress, Interrupts() as interrupts:
            while True:
                interrupts.raise_if_asked()
                began = time.perf_counter()
                before = None if self.handler is None else (self.memory.copy(), self.counters.copy())
                left = max(1, self.options.max_steps - int(self.counters[STEPS]))
                status = EVENT if self.counters[PENDING] else self._stretch(min(budget, left))
                if status == FINISHED:
                    self.ended = "end"
                    return
                if status == EVENT and self._record():
                    self.ended = "event"
                    return
                if status == AT_END:
                    self._attend()
                elif status == PAUSED:
                    took = max(time.perf_counter() - began, 1e-6)
                    budget = int(min(max(1, budget * min(8.0, STRETCH / took)), 2**40))
                    if self.counters[STEPS] >= self.options.max_steps:
                        raise too_many_steps(self.options, self.t)
                elif status < 0:
                    if before is not None and self.handler is not None and self.handler.problem is not None:
                        self.memory[:], self.counters[:] = before
                        return  # raised on leaving
                    raise failure(status, self.program.catalogue.mechanism, self.program, self.options, self.memory)
                self._tell(progress)
                if path is not None and time.monotonic() - saved > CHECKPOINT_EVERY:
                    self.put_aside(path)
                    saved = time.monotonic()

    def put_aside(self, path: str | Path) -> None:
        """Write a checkpoint; that it cannot be written must not end the run."""
        try:
            self.checkpoint().save(path)
        except MotionFileError as problem:
            warnings.warn(f"{problem}; the run itself goes on", SimulationWarning, stacklevel=2)

    def _stretch(self, budget: int) -> int:
        before = self.done
        library = self.program.library
        status = library.march(
            self.memory, self.given, self.work, self.counters, self.options.times, self.rows, 0, 1, budget
        )
        self.forces[before : self.done] = self.program.given.view(self.given, "x")[:, 0]
        return int(status or 0)

    def _attend(self) -> None:
        """At a controller's instant, or at the start: new forces, a new end of the stretch, slopes computed anew."""
        if self.control is not None:
            y, n_q = self.part("y"), len(self.part("y")) - self.n_u
            x = self.control.forces(self.t, y[:n_q].copy(), y[n_q:].copy())
            self.program.given.view(self.given, "x")[:, 0] = x
            self.calls += 1
            self.part("end")[:] = min(self.options.start + self.calls * self.control.interval, self.options.end)
        if self.handler is not None:
            self.program.given.view(self.given, "handler")[:, 0] = self.handler.number
        self.program.library.begin(self.memory, self.given, self.work)

    def _record(self) -> bool:
        """Write an event down; whether it ends the run."""
        which = int(self.counters[WHICH])
        self.happened.append(np.concatenate([[which], self.part("event_t"), self.part("event_y")]))
        self.counters[PENDING] = 0
        return self.events[which].terminal

    def _tell(self, progress: Progress) -> None:
        span = self.options.end - self.options.start
        progress.tell((self.t - self.options.start) / span, f"t = {self.t:.4g} s of {self.options.end:g} s")
