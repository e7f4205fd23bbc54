"""Many motions marched in groups of as many as there are lanes, by threads that share the work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from dalembert.constraints.diagnosis.diagnose import better_rows
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.simulation.failure import failure, near_miss, too_many_steps
from dalembert.simulation.march.between_stretches import Pace
from dalembert.simulation.march.memory import N_COUNTERS, NEXT, STEPS, TOTAL
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.share import NONE
from dalembert.simulation.run_options import Options
from dalembert.simulation.status import Status
from dalembert.trace.native import aligned

LOOK_UP = 0.1
"""Seconds after which whoever waits for the threads looks whether Ctrl-C was pressed."""
BUDGET = 5_000
"""Steps after which a thread looks whether it should stop."""


class Models:
    """The mechanism with the parameters of each motion; motions of equal parameters share one."""

    def __init__(self, m: Mechanism, P: np.ndarray):
        self._m, self._P = m, P
        self._made: dict[tuple[float, ...], Mechanism] = {}

    def __getitem__(self, k: int) -> Mechanism:
        values = tuple(self._P[k].tolist())
        if values not in self._made:
            self._made[values] = self._m.with_parameters(**dict(zip(self._m.parameters, values))) if values else self._m
        return self._made[values]

    def of_each(self, count: int) -> list[Mechanism]:
        """Those of the first `count` motions."""
        alike = bool(np.equal(self._P, self._P[0]).all())
        return [self[0]] * count if alike else [self[k] for k in range(count)]

    def sizing(self, k: int) -> Mechanism:
        """The mechanism by whose sizes the errors of motion k are judged."""
        return self[k]


class Batch:
    """All states' memory, in groups of as many as there are lanes."""

    def __init__(
        self, program: Program, o: Options, q: np.ndarray, u: np.ndarray, P: np.ndarray, models: Models,
        tolerances: Callable[[Mechanism], np.ndarray],
    ):  # fmt: skip
        self.program, self.options, self.models = program, o, models
        lanes = program.lanes
        self.count, self.groups = len(q), -(-len(q) // lanes)
        self.memory = aligned((self.groups, program.layout.size, lanes))
        self.inputs = aligned((self.groups, program.input_layout.size, lanes))
        self.rows = np.empty((self.count, len(o.times), len(program.unknowns)))
        self.statuses = np.full(self.groups, Status.WAITING, dtype=np.int64)
        self.counters = aligned((self.groups, N_COUNTERS)).view(np.int64)
        self.counters[:, TOTAL] = len(o.times)
        self.queue = np.zeros(1, dtype=np.int64)
        """The next group, for whichever thread is free."""
        self.problems: dict[int, str] = {}
        self.near_misses: dict[int, str] = {}
        """What there is to say of the first pose at which branches of motion all but met, by motion."""
        self.stop = threading.Event()
        m = program.catalogue.mechanism
        z = P[:, m.states_at : m.states_at + m.n_z]
        y = self.in_lanes(np.hstack([q, u, z, np.zeros((len(q), program.beside - m.n_z))]))
        fixed = {"step": o.step, "longest_step": o.max_step, "rtol": o.rtol, "end": o.end, "until": o.end}
        fixed |= dict.fromkeys(("t", "t_old", "searched_to", "counted_from", "samples_from", "next_sample"), o.start)
        for name, at in program.layout.parts.items():
            if name in ("y", "y_old"):
                self.memory[:, at] = y
            elif name in fixed:
                self.memory[:, at] = fixed[name]
        self._first_values(tolerances)
        self._measure_by_start(q, u)
        self.inputs[:, program.input_layout.parts["P"]] = self.in_lanes(P)
        self.inputs[:, program.input_layout.parts["scales"]] = program.scales[:, None]

    def _first_values(self, tolerances: Callable[[Mechanism], np.ndarray]) -> None:
        """Set the integrator's parts of the memory, and what errors are measured by; under constraints, for each group."""
        program, lanes = self.program, self.program.lanes
        every: list[tuple[Any, Mechanism]] = [(slice(None), program.catalogue.mechanism)]
        if program.constrained:
            every = [(g, self.models.sizing(g * lanes)) for g in range(self.groups)]
        before, first = None, {}
        for g, model in every:
            if model is not before:
                before, first = model, {**program.first_values(model), "atol": tolerances(model)}
            for name, values in first.items():
                self.memory[g, program.layout.parts[name]] = np.reshape(values, (-1, 1))

    def _measure_by_start(self, q: np.ndarray, u: np.ndarray) -> None:
        """Where nothing in the mechanism says a length, the states at the start do."""
        m, parts = self.program.catalogue.mechanism, self.program.layout.parts
        if m.scales.known:
            return
        begun = self.options.beginning(m, q, u)
        atol = self.memory[:, parts["atol"]][:, : m.n_q + m.n_u]
        atol[:] = self.in_lanes(np.broadcast_to(begun.atol, (len(q), m.n_q + m.n_u)))
        if "size" in parts:
            size = self.memory[:, parts["size"]][:, : m.n_q]
            sizes = np.broadcast_to(begun.sizes, (len(q), m.n_q + m.n_u))
            size[:] = np.minimum(size, self.in_lanes(sizes)[:, : m.n_q])

    def in_lanes(self, rows: np.ndarray) -> np.ndarray:
        """(groups, n, lanes); lanes without a state repeat the last."""
        lanes = self.program.lanes
        filled = np.concatenate([rows, np.repeat(rows[-1:], self.groups * lanes - len(rows), axis=0)])
        return filled.reshape(self.groups, lanes, -1).transpose(0, 2, 1)

    def run(self, threads: int) -> int:
        """March all of them; how many steps that took."""
        self.program.library  # noqa: B018  compiled once, before the threads
        others = min(threads, self.groups) - 1
        if not others:
            self._march()
            return self._finished()
        with ThreadPoolExecutor(others) as pool:
            try:
                every = [pool.submit(self._march) for _ in range(others)]
                self._march()
                while wait(every, timeout=LOOK_UP).not_done:  # a signal that another thread was handed wakes nobody
                    pass
                for done in every:
                    done.result()
            except BaseException:
                self.stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        return self._finished()

    def _march(self) -> None:
        """A thread's work: one group after the other, as long as there are any, with a pause now and then to look whether to stop."""
        o, program, width = self.options, self.program, self.rows[0].size
        try:
            taken = np.full(1, NONE, dtype=np.int64)
            march = program.library.share.bind(
                self.queue, taken, self.statuses, self.memory, self.inputs, program.work(), self.counters, o.times, self.rows,
                width, self.count, BUDGET, o.max_steps,
            )  # fmt: skip
            paces: dict[int, Pace] = {}
            while not self.stop.is_set() and (status := march()) != Status.FINISHED:
                g = int(taken[0])
                if status == Status.DEGRADED and not self._goes_on(g):
                    self.statuses[g], taken[0] = Status.OUT_OF_REACH, NONE
                elif g != NONE and self._creeps(g, paces):
                    self.statuses[g], taken[0] = Status.CREEPING, NONE
        except BaseException:
            self.stop.set()
            raise

    def _creeps(self, g: int, paces: dict[int, Pace]) -> bool:
        """Whether a group of states no longer gets anywhere."""
        pace = paces.setdefault(g, Pace(self.options, self.options.start))
        return pace.creeps(float(self.program.layout.view(self.memory[g], "t")[0, 0]), int(self.counters[g, STEPS]))

    @property
    def let_pass(self) -> np.ndarray:
        """Largest error of every motion: that of a step accepted above the tolerance; by a method that takes a state at a time."""
        return self.memory[:, self.program.layout.parts["let_pass"].start, 0]

    def _goes_on(self, g: int) -> bool:
        """Whether a group next to a singular pose can go on from it; what there is to tell of the first such pose is kept."""
        program, kept, model = self.program, self.program.kept, self.models[g]
        q, t = (
            program.layout.view(self.memory[g], "y")[: model.n_q, 0],
            float(program.layout.view(self.memory[g], "t")[0, 0]),
        )
        if better_rows(model, model.admissible(q), t, kept.rows, kept.norms) is not None:
            return True  # it is the rows that are poor, not the pose
        try:
            described = near_miss(model, program, self.options, self.memory[g])
        except SimulationError:
            return False
        if described:
            self.near_misses.setdefault(g, described)
        return True

    def _finished(self) -> int:
        """Say what came of groups that did not get to the end; how many steps all states took together."""
        finished = (self.statuses == Status.FINISHED) & (self.counters[:, NEXT] == len(self.options.times))
        for g in np.flatnonzero(~finished).tolist():
            self._say_what_came_of(g)
        states = np.minimum(self.program.lanes, self.count - self.program.lanes * np.arange(self.groups))
        return int(self.counters[:, STEPS] @ states)

    def _say_what_came_of(self, g: int) -> None:
        o, program, lanes, memory = self.options, self.program, self.program.lanes, self.memory[g]
        first, status = g * lanes, int(self.statuses[g])
        states = min(lanes, self.count - first)
        reached = int(self.counters[g, NEXT])
        if reached < len(o.times):
            self.rows[first : first + states, reached:] = np.nan
        if status == Status.PAUSED:
            t = float(program.layout.view(memory, "t")[0, 0])
            self.problems |= {first + k: str(too_many_steps(o, t)) for k in range(states)}
        elif status < 0:
            for k in range(states):
                lane = np.ascontiguousarray(memory[:, k : k + 1])
                self.problems[first + k] = str(failure(status, self.models[first + k], program, o, lane))
