"""A run: compiled stretches, and between them what only Python can do: progress, Ctrl-C, controllers, events, checkpoints."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import MotionFileError, SimulationError, SimulationWarning
from dalembert.mechanism import Mechanism
from dalembert.motion.law_history import LawHistory
from dalembert.simulation.equation_choice import EquationChoice
from dalembert.simulation.failure import failure, near_miss, no_speeds_serve, too_many_steps
from dalembert.simulation.march.between_stretches import Interrupts, Pace, Progress
from dalembert.simulation.march.callback import Handler, registered
from dalembert.simulation.march.checkpoint import Checkpoint, SpeedChoiceInterval
from dalembert.simulation.march.control import Control
from dalembert.simulation.march.memory import N_COUNTERS, NEXT, PENDING, STEPS, TOTAL, WHICH, fill_inputs, fill_memory
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.run_events import Event
from dalembert.simulation.run_options import Options
from dalembert.simulation.status import Crossing, Status

WORTH_A_LOOK = 1e-2
"""Pivot of the first pose below which other rows may be a better choice."""
LOST = 1e-4
"""Pivot ratio of the best choice of speeds below which a pose is taken for singular."""
STRETCH = 0.05
"""Seconds of compiled code after which Python looks round."""
CHECKPOINT_EVERY = 30.0
"""Seconds between checkpoints."""
SHORTEST = 1e-6
"""Seconds that a stretch is taken to have lasted at least."""
LONGER = 8.0
"""How many times as many steps the next stretch may have."""


class Run:
    """The moving parts. `identity` names the run; two runs of one identity give the same numbers. It is made when asked for."""

    def __init__(
        self, program: Program, model: Mechanism, options: Options, events: list[Event], control: Control | None,
        handler: Handler | None, identity: Callable[[], str],
    ):  # fmt: skip
        self.program, self.model, self.options, self.events = program, model, options, events
        self.control, self.handler, self._identity = control, handler, identity
        self.memory, self.inputs, self.work = program.memory(), program.input_memory(), program.work()
        self.counters = np.zeros(N_COUNTERS, dtype=np.int64)
        self.rows = np.empty((len(options.times), len(program.unknowns)))
        self.forces = np.zeros((len(options.times), model.n_u))
        self.happened: list[np.ndarray] = []
        self.parameter_changes: list[tuple[float, int, float]] = []
        """Time, number and new value of every parameter that an event has set."""
        self.calls = 0
        self.ended = "interrupted"
        self.intervals: list[SpeedChoiceInterval] = []
        """Choices of speeds that were given up, and until when they served."""
        self.lengths: np.ndarray = np.zeros(())
        self.near_miss = ""
        """What there is to say of the first pose at which branches of motion all but met."""
        self._poor = False
        self._with_values = lru_cache(maxsize=1)(
            lambda values: model.with_parameters(**dict(zip(model.parameters, values)))
        )
        self._programs = {program.equation_choice.choice: program}

    @cached_property
    def identity(self) -> str:
        return self._identity()

    def callbacks(self) -> AbstractContextManager[None]:
        """Forces that are plain Python functions can be called from compiled code."""
        return nullcontext() if self.handler is None else registered(self.handler)

    def part(self, name: str) -> np.ndarray:
        """A part of the integrator's memory."""
        return self.program.layout.view(self.memory, name)[:, 0]

    @property
    def t(self) -> float:
        return float(self.part("t")[0])

    @property
    def parameter_values(self) -> tuple[float, ...]:
        """Values of the parameters now, which events may set; of elements' states, those in memory."""
        m = self.model
        values = dict(zip(m.parameters, self.program.input_layout.view(self.inputs, "P")[:, 0].tolist()))
        states = self.part("y")[m.n_q + self.program.n_speeds :].tolist() if m.states else ()
        return tuple((values | dict(zip(m.states, states))).values())

    @property
    def model_now(self) -> Mechanism:
        """The mechanism with these values."""
        return self._with_values(self.parameter_values) if self.parameter_changes or self.model.states else self.model

    @property
    def let_pass(self) -> float | None:
        """The largest error of a step accepted above the tolerance, as next to singular poses, by the size of what moves; None for
        methods that accept none."""
        return float(self.part("let_pass")[0]) if "let_pass" in self.program.layout.parts else None

    @property
    def done(self) -> int:
        """Samples written so far."""
        return int(self.counters[NEXT])

    def begin(self, q: np.ndarray, u: np.ndarray, parameters: np.ndarray) -> None:
        """Set everything to the start."""
        o = self.options
        by = self.program.equation_choice
        w = by.formulation_speeds(self.model, o.start, q, u)
        beside, tolerances = self.beside()
        atol = np.concatenate([by.tolerances(self.model, o, q), o.state_atol, tolerances])
        z = [self.model.parameters[name] for name in self.model.states]
        fill_memory(self.memory, self.program, self.model, o, np.concatenate([q, w, z, beside]), atol)
        fill_inputs(self.inputs, self.program, parameters)
        self._measure(q)
        self.counters[TOTAL] = len(o.times)
        with self.callbacks():
            self._attend()
            if "distance" in self.program.layout.parts:
                self._begin_constrained()

    def beside(self) -> tuple[np.ndarray, np.ndarray]:
        """What is integrated beside the state (q, u, z), at the start, and its tolerances."""
        return np.zeros(0), np.zeros(0)

    def _begin_constrained(self) -> None:
        """The rows were chosen at other poses: whether they suit this one, and whether it can be begun from at all."""
        from dalembert.simulation.constrained_start import check_not_singular

        if not self.part("distance")[0] ** 2 > WORTH_A_LOOK:
            self._look_at_rows()
            self.program.library.begin(self.memory, self.inputs, self.work)
        check_not_singular(self.model, float(self.part("distance")[0]) ** 2, self.options.start)

    def go_on_from(self, c: Checkpoint) -> None:
        """Set everything to where another run of the same identity stopped."""
        if c.identity != self.identity or len(c.counters) != len(self.counters) or c.memory.shape != self.memory.shape:
            raise SimulationError(
                "this run cannot go on from there: model, initial values, parameters, options or version differ; repeat the call "
                "that was interrupted, with resume= added"
            )
        wrong = self._misfit(c)
        if wrong:
            raise SimulationError(f"this checkpoint does not fit the run: {wrong}; start the run from the beginning")
        if self.program.constrained and c.kept_rows != self.program.kept.rows:
            self._keep_rows(c.kept_rows)
        if c.choices:
            self._put_in(self.program.equation_choice.chosen_so(c.choices[-1].choice))
        self.intervals, self.lengths = list(c.choices[:-1]), c.lengths
        self.memory[:], self.inputs[:], self.counters[:] = c.memory, c.inputs, c.counters
        self.rows[: len(c.rows)], self.forces[: len(c.forces)] = c.rows, c.forces
        self.happened, self.calls = list(c.events), c.calls

    def _misfit(self, c: Checkpoint) -> str:
        """What compiled code would stumble over, in words; nothing if all fits."""
        o, n, n_u = self.options, self.rows.shape[1], self.model.n_u
        kept, by = self.program.kept, self.program.equation_choice
        choice = by.choice
        done, total, steps, which, pending = (int(c.counters[k]) for k in (NEXT, TOTAL, STEPS, WHICH, PENDING))
        events = c.events.reshape(len(c.events), -1) if len(c.events) else np.zeros((0, 2 + n))

        def part(name: str) -> np.ndarray:
            return self.program.layout.view(c.memory, name)

        finite = ("t", "t_old", "searched_to", "counted_from", "end", "step", "y", "y_old", "rtol", "atol")
        times = np.array([part("t")[0, 0], part("t_old")[0, 0], part("searched_to")[0, 0]])
        n_rows = len(kept.norms)
        fits = {
            "its counts of samples": total == len(o.times) and 0 <= done <= total,
            "its count of steps": 0 <= steps <= o.max_steps,
            "its event": pending in (0, 1) and 0 <= which < max(1, len(self.events)),
            "its inputs": c.inputs.shape == self.inputs.shape and bool(np.isfinite(c.inputs).all()),
            "its choice of dependent speeds": c.inputs.shape == self.inputs.shape
            and self.program.rhs.row_scales_fit(self.program.input_layout.view(c.inputs, "scales")[:, 0]),
            "its samples": c.rows.shape == (done, n) and c.forces.shape == (done, n_u) and bool(np.isfinite(c.rows).all()),
            "its events": not len(events)
            or (events.shape[1] == 2 + n and bool(np.isin(events[:, 0], range(len(self.events))).all())),
            "its rows of constraints": len(c.kept_rows) == len(kept.rows)
            and len({k for k in c.kept_rows if k < n_rows}) == len(c.kept_rows),
            "its choices of speeds": (bool(c.choices) == (choice is not None))
            and all(x.choice.same_kind(choice) for x in c.choices)
            and all(x.samples <= done and x.events <= len(events) for x in c.choices),
            "its lengths of rows": c.lengths.shape == by.row_lengths(self.model, o.start, self._somewhere()).shape,
            "its state": all(np.isfinite(part(name)).all() for name in finite) and bool(((times >= o.start) & (times <= o.end)).all()),
        }  # fmt: skip
        return next((f"{what} cannot be right" for what, good in fits.items() if not good), "")

    def _somewhere(self) -> np.ndarray:
        return np.asarray(self.model.reference, dtype=float)

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(
            self.identity, self.memory.copy(), self.inputs.copy(), self.counters.copy(), self.rows[: self.done].copy(),
            self.forces[: self.done].copy(), np.array(self.happened), self.calls,
            self.program.kept.rows, self._every_interval(), self.lengths,
        )  # fmt: skip

    # -- going ----------------------------------------------------------------------------------------------------------
    def go(self, progress: Progress, path: str | Path | None) -> None:
        """March to the end, or to whatever ends the run before; a failure is raised."""
        saved, budget, pace = time.monotonic(), 64, Pace(self.options, self.t, int(self.counters[STEPS]))
        if self.handler is not None:
            self.program.input_layout.view(self.inputs, "handler")[:, 0] = self.handler.number
        with self.callbacks(), progress, Interrupts() as interrupts:
            while True:
                interrupts.raise_if_asked()
                began = time.perf_counter()
                before = None if self.handler is None else (self.memory.copy(), self.counters.copy())
                left = max(1, self.options.max_steps - int(self.counters[STEPS]))
                status = (
                    Status.EVENT if self.counters[PENDING] else self._stretch(0 if self._poor else min(budget, left))
                )
                if status == Status.FINISHED:
                    self.ended = "end"
                    return
                if status == Status.EVENT and self._record():
                    self.ended = "event"
                    return
                if self._poor and status in (Status.PAUSED, Status.AT_END):  # all of the last step is written
                    self._look_at_choice()
                if status == Status.AT_END:
                    self._attend()
                elif status == Status.LOOK:
                    self._look()
                elif status == Status.DEGRADED and self.program.equation_choice.choice is not None:
                    self._poor = True
                elif status == Status.CROSSED:
                    self._step_back()
                elif status == Status.DEGRADED:
                    self._look_at_rows()
                elif status == Status.PAUSED:
                    took = max(time.perf_counter() - began, SHORTEST)
                    budget = int(min(max(1, budget * min(LONGER, STRETCH / took)), 2**40))
                elif status < 0:
                    if before is not None and self.handler is not None and self.handler.problem is not None:
                        self.memory[:], self.counters[:] = before
                        return  # raised on leaving
                    raise failure(status, self.model, self.program, self.options, self.memory)
                if status in (Status.PAUSED, Status.AT_END) and self.counters[STEPS] >= self.options.max_steps:
                    raise too_many_steps(self.options, self.t)
                if pace.creeps(self.t, int(self.counters[STEPS])):
                    raise failure(Status.CREEPING, self.model, self.program, self.options, self.memory)
                self._tell(progress)
                if path is not None and time.monotonic() - saved > CHECKPOINT_EVERY:
                    self.put_aside(path)
                    saved = time.monotonic()

    def _look_at_rows(self) -> None:
        """If it is the choice of rows that has become poor, not the pose: choose others."""
        from dalembert.constraints.diagnosis.diagnose import better_rows

        kept, model = self.program.kept, self.model
        q = self.part("y")[: model.n_q]
        rows = better_rows(model, model.admissible(q), self.t, kept.rows, kept.norms)
        if rows is not None:
            self._keep_rows(rows)
            self.part("distance")[:], self.part("approach")[:] = 1.0, 0.0
            if "crossing" in self.program.layout.parts:
                self.part("crossing")[:], self.part("crossing_error")[:] = Crossing.PLANNED, 0.0
        else:
            described = near_miss(model, self.program, self.options, self.memory)
            self.near_miss = self.near_miss or described

    def _keep_rows(self, rows: tuple[int, ...]) -> None:
        self.program = replace(self.program, kept=replace(self.program.kept, rows=rows))
        self.program.input_layout.view(self.inputs, "scales")[:, 0] = self.program.scales
        self.work = self.program.work()

    def _step_back(self) -> None:
        """To before a step that cannot be trusted, to make it in other speeds."""
        self.part("y")[:], t = self.part("y_old"), float(self.part("t_old")[0])
        self.part("t")[:] = self.part("counted_from")[:] = t
        self.part("steps_counted")[:] = 0.0
        if not self._look_at_choice():
            raise no_speeds_serve(self.model, self.program.equation_choice, self.t)

    def _look_at_choice(self) -> bool:
        """If it is the choice of speeds that has become poor, not the pose: go on from here in others."""
        self._poor, t, n_q = False, self.t, self.model.n_q
        y = self.part("y").copy()
        q, now = self.model.admissible(y[:n_q]), self.program.equation_choice
        self._measure(q)
        other = now.choosing_anew(self.model, t, q, self.lengths)
        self.part("least_pivot_ratio")[:] = 0.0
        if other is None or now.choice is None:
            if not now.pivot_ratio(self.model, t, q, self.lengths) > LOST:
                raise no_speeds_serve(self.model, now, t)
            return False
        self.part("determinant_sign")[:] = 0.0
        w, z = np.split(y[n_q:], [now.n_speeds])
        u = now.speeds(self.model, t, q, w)
        self.intervals.append(SpeedChoiceInterval(self.done, len(self.happened), now.choice))
        self._put_in(other)
        self.part("y")[:] = self.part("y_old")[:] = np.concatenate(
            [q, other.formulation_speeds(self.model, t, q, u), z]
        )
        self._measure(q)
        o = self.options
        self.part("atol")[:] = np.concatenate([other.tolerances(self.model, o, q), o.state_atol])
        self.part("t_old")[:] = t
        with self.callbacks():
            self.program.library.begin(self.memory, self.inputs, self.work)
        return True

    def _measure(self, q: np.ndarray) -> None:
        """Rows by their greatest lengths yet: one that vanishes in a pose is not taken for a long one there."""
        by = self.program.equation_choice
        self.lengths = np.maximum(self.lengths, by.row_lengths(self.model, self.t, q))
        if by.choice is not None:
            self.program.input_layout.view(self.inputs, "lengths")[:, 0] = self.lengths[list(by.choice.rows)]

    def _put_in(self, by: EquationChoice) -> None:
        """Go on with the equations in these speeds."""
        if by.choice not in self._programs:
            self._programs[by.choice] = replace(self.program, chosen=by)
        self.program = self._programs[by.choice]
        self.work = self.program.work()

    def _every_interval(self) -> tuple[SpeedChoiceInterval, ...]:
        choice = self.program.equation_choice.choice
        return () if choice is None else (*self.intervals, SpeedChoiceInterval(self.done, len(self.happened), choice))

    def in_speeds(self, t: np.ndarray, rows: np.ndarray, until: str, parameters: dict[str, float]) -> np.ndarray:
        """Rows of (q, w) as rows of (q, u), each by the speeds in which it was written; `until` names what is counted."""
        ends, by = [getattr(x, until) for x in self.intervals], self.program.equation_choice
        used = [*(by.chosen_so(x.choice) for x in self.intervals), by]
        pieces = [x.in_speeds(t[a:b], rows[a:b], parameters) for x, a, b in zip(used, [0, *ends], [*ends, len(rows)])]
        return pieces[0] if len(pieces) == 1 else np.vstack(pieces)

    def put_aside(self, path: str | Path) -> None:
        """Write a checkpoint; that it cannot be written must not end the run."""
        try:
            self.checkpoint().save(path)
        except MotionFileError as problem:
            warnings.warn(f"{problem}; the run itself goes on", SimulationWarning, stacklevel=2)

    def _stretch(self, budget: int, times: np.ndarray | None = None) -> int:
        before, times = self.done, self.options.times if times is None else times
        library = self.program.library
        status = library.march(self.memory, self.inputs, self.work, self.counters, times, self.rows, 0, 1, budget)
        if self.control is not None:
            self.forces[before : self.done] = self.program.input_layout.view(self.inputs, "x")[:, 0]
        return int(status or 0)

    def _attend(self) -> None:
        """At a controller's instant, or at the start: new forces, a new end of the stretch, slopes computed anew."""
        if self.control is not None:
            q, w, _ = np.split(self.part("y").copy(), [self.model.n_q, self.model.n_q + self.program.n_speeds])
            model = self.model_now
            x = self.control.forces(model, self.t, q, self.program.equation_choice.speeds(model, self.t, q, w))
            self.program.input_layout.view(self.inputs, "x")[:, 0] = x
            self.calls += 1
            until = min(self.options.start + self.calls * self.control.interval, self.options.end)
            self.part("until")[:] = until
            self.part("end")[:] = min(until, float(self.part("next_sample").min(initial=np.inf)))
        if self.handler is not None:
            self.program.input_layout.view(self.inputs, "handler")[:, 0] = self.handler.number
        self.program.library.begin(self.memory, self.inputs, self.work)

    def _look(self) -> None:
        """Find out whether and where a margin of a law is violated in the last step."""
        raise NotImplementedError

    def _record(self) -> bool:
        """Write down all events of an instant, in their order, and do what they ask for; whether one ends the run."""
        which = self._note_events()
        self._act(which)
        return self._any_terminal(which)

    def _note_events(self) -> list[int]:
        """Write down the events of the instant that the search has found."""
        self.counters[PENDING] = 0
        which = [int(k) for k in np.flatnonzero(self.part("event_crossed"))]
        self.happened += [np.concatenate([[k], self.part("event_t"), self.part("event_y")]) for k in which]
        return which

    def _any_terminal(self, which: list[int]) -> bool:
        return any(self.events[k].terminal for k in which)

    def _act(self, which: list[int]) -> None:
        """Do what the events ask for."""

    def history(self, t: np.ndarray, rows: np.ndarray, forces: np.ndarray) -> LawHistory | None:
        """What laws did, at the samples with their forces of a controller and in the events so far; None where there are none."""
        return None

    def _tell(self, progress: Progress) -> None:
        span = self.options.end - self.options.start
        progress.tell((self.t - self.options.start) / span, f"t = {self.t:.4g} s of {self.options.end:g} s")
