"""Many motions in one call: fixed steps run a state per SIMD lane, adaptive methods one state at a time; threads share the work."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.arguments import array, numbers, refused
from dalembert.constraints.diagnosis.diagnose import better_rows
from dalembert.errors import LoopError, SimulationError, SimulationWarning
from dalembert.kinematics.bending import check_positive
from dalembert.kinematics.initial import initial_state
from dalembert.mechanism import Mechanism
from dalembert.mechanism.physical import check_parameters
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.mechanism.stabilise import Projection
from dalembert.motion.bending_warning import overbent, warn_of_bending
from dalembert.motion.motion import Motion
from dalembert.parts.names import unknown
from dalembert.simulation.constrained_start import assembled_start, check_method, kept_at
from dalembert.simulation.failure import failure, let_pass, near_miss, too_many_steps
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows
from dalembert.simulation.march.memory import N_COUNTERS, NEXT, STEPS, TOTAL
from dalembert.simulation.march.pace import Pace
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.share import NONE
from dalembert.simulation.options import Options, options
from dalembert.simulation.scales import coordinate_units, speed_units
from dalembert.simulation.status import Status
from dalembert.trace.native import aligned
from dalembert.version import __version__
from dalembert.words import counted

LOOK_UP = 0.1
"""Seconds after which whoever waits for the threads looks whether Ctrl-C was pressed."""
BUDGET = 5_000
"""Steps after which a thread looks whether it should stop."""


@dataclass(frozen=True, eq=False)
class Motions:
    """K motions at the same times: `t` (T,), `q` (K, T, n_q), `u` (K, T, n_u)."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    problems: Mapping[int, str]
    """What stopped the motions that did not reach the end; their samples from there on are nan."""
    mechanism: Mechanism
    parameters: Mapping[str, np.ndarray]
    record: Mapping[str, Any]

    def __repr__(self) -> str:
        failed = f", {len(self.problems)} of them not to the end" if self.problems else ""
        return (
            f"<{counted(len(self), 'motion')} of {self.mechanism.name!r}: {counted(len(self.t), 'sample')} each from {self.t[0]:g} to "
            f"{self.t[-1]:g} s{failed}>"
        )

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, k: int) -> Motion:
        """One of them, from which everything else can be computed; −1 is the last."""
        if not isinstance(k, (int, np.integer)) or not -len(self) <= k < len(self):
            raise refused("the number of a motion", f"a whole number from 0 to {len(self) - 1}", k)
        k = int(k) % len(self)
        m, q, u = self.mechanism, np.array(self.q[k]), np.array(self.u[k])
        if k in self.problems:
            good = int(np.argmin(np.isfinite(q).all(axis=1) & np.isfinite(u).all(axis=1)))
            q, u = q[:good], u[:good]
        about = dict(self.record) | {"ended": "failed" if k in self.problems else "end"}
        about |= {"parameters": {name: float(values[k]) for name, values in self.parameters.items()}}
        if "let_pass" in about:
            about["let_pass"] = about["let_pass"][k]
        return Motion(
            self.t[: len(q)].copy(), q, u, m.coordinates, m.speeds, coordinate_units(m), speed_units(m),
            tuple(b.name for b in m.bodies), np.zeros_like(u), (), about, m,
        )  # fmt: skip

    def __iter__(self) -> Iterator[Motion]:
        return (self[k] for k in range(len(self)))


def simulate_many(
    m: Mechanism,
    initials: Any,
    duration: float,
    speeds: Any,
    parameters: Mapping[str, Any] | None,
    threads: int | None,
    said: SimulationOptions,
) -> Motions:
    """See `Mechanism.simulate_many`."""
    catalogue = m.kernels
    if catalogue.opaque is not None:
        names = ", ".join(f'"{name}"' for name in catalogue.opaque.forces)
        raise SimulationError(
            f"force {names} is a plain Python function, so it cannot run in threads; use simulate for each state"
        )
    o = options(m, duration, said)
    count = _count(initials, speeds, parameters)
    q, u = _states(m, initials, speeds, count, o.start)
    P = _parameters(m, parameters, count)
    models = _Models(m, P)
    kept = NO_ROWS_KEPT
    if m.constraint_rows:
        q, u, kept = _constrained(models, q, u, initials, speeds, o)
    check_positive(m, q, o.start, {name: P[:, i] for i, name in enumerate(m.parameters)}, "simulate_many")
    wide = catalogue.state_rates.lanes if not m.constraint_rows else m.compiled_for.lanes
    lanes = 1 if o.method.adaptive or count == 1 else wide
    program = Program(catalogue, o.method, lanes, kept=kept, many=True)
    batch = _Batch(program, o, q, u, P, models, lambda model: options(model, duration, said).atol)
    steps = batch.run(_threads(threads))
    n_q = m.n_q
    rows, problems = batch.rows, batch.problems
    for k in np.flatnonzero(~np.isfinite(rows[:, -1]).all(axis=1)):
        good = int(np.argmin(np.isfinite(rows[k]).all(axis=1)))
        rows[k, good:] = np.nan
        last = o.times[good - 1] if good else o.start
        problems.setdefault(int(k), f"the motion is not finite after t = {last:.6g} s")
    if problems:
        first = min(problems)
        warnings.warn(
            f"{len(problems)} of {count} motions did not reach the end; the first is number {first}: {problems[first]}",
            SimulationWarning,
            stacklevel=5,
        )
    if batch.near_misses:
        first = min(batch.near_misses)
        warnings.warn(
            f"{len(batch.near_misses)} of {count} motions passed nearly singular poses; the first is number {first}: "
            f"{batch.near_misses[first]}{let_pass(float(batch.let_pass[first]))}",
            SimulationWarning,
            stacklevel=5,
        )
    made = {name: P[:, i] for i, name in enumerate(m.parameters)}
    about = {"model": m.name, "fingerprint": catalogue.fingerprint, "version": __version__}
    record = about | {"options": o.record(), "steps": steps}
    if "let_pass" in program.layout.parts:
        record["let_pass"] = batch.let_pass.tolist()
    if m.elastic:
        record["overbent"] = overbent(m, np.tile(o.times, count), rows[:, :, :n_q].reshape(-1, n_q))
        warn_of_bending(m, record, depth=5)
    return Motions(o.times, rows[:, :, :n_q], rows[:, :, n_q:], problems, m, made, record)


class _Models:
    """The mechanism with the parameters of each motion; motions of equal parameters share one."""

    def __init__(self, m: Mechanism, P: np.ndarray):
        self._m, self._P = m, P
        self._made: dict[tuple[float, ...], Mechanism] = {}

    def __getitem__(self, k: int) -> Mechanism:
        values = tuple(self._P[k].tolist())
        if values not in self._made:
            self._made[values] = self._m.with_parameters(**dict(zip(self._m.parameters, values))) if values else self._m
        return self._made[values]


class _Batch:
    """All states' memory, in groups of as many as there are lanes."""

    def __init__(
        self, program: Program, o: Options, q: np.ndarray, u: np.ndarray, P: np.ndarray, models: _Models,
        tolerances: Callable[[Mechanism], np.ndarray],
    ):  # fmt: skip
        self.program, self.options, self.models = program, o, models
        lanes = program.lanes
        self.count, self.groups = len(q), -(-len(q) // lanes)
        self.memory = aligned((self.groups, program.layout.size, lanes))
        self.given = aligned((self.groups, program.given.size, lanes))
        self.rows = np.empty((self.count, len(o.times), q.shape[1] + u.shape[1]))
        self.statuses = np.full(self.groups, Status.WAITING, dtype=np.int64)
        self.counters = aligned((self.groups, N_COUNTERS)).view(np.int64)
        self.counters[:, TOTAL] = len(o.times)
        self.queue = np.zeros(1, dtype=np.int64)
        """The next group, for whichever thread is free."""
        self.problems: dict[int, str] = {}
        self.near_misses: dict[int, str] = {}
        """What there is to say of the first pose at which branches of motion all but met, by motion."""
        self.stop = threading.Event()
        y = self._in_lanes(np.hstack([q, u]))
        fixed = {"step": o.step, "longest_step": o.max_step, "rtol": o.rtol, "end": o.end}
        fixed |= dict.fromkeys(("t", "t_old", "searched_to", "counted_from"), o.start)
        for name, at in program.layout.parts.items():
            if name in ("y", "y_old"):
                self.memory[:, at] = y
            elif name in fixed:
                self.memory[:, at] = fixed[name]
        self._first_values(tolerances)
        self._measure_by_start(q, u)
        self.given[:, program.given.parts["P"]] = self._in_lanes(P)
        self.given[:, program.given.parts["scales"]] = program.scales[:, None]

    def _first_values(self, tolerances: Callable[[Mechanism], np.ndarray]) -> None:
        """First values of the method's parts, and what errors are measured by: under loops and constraints, by the parameters of each
        group."""
        program, lanes = self.program, self.program.lanes
        every: list[tuple[Any, Mechanism]] = [(slice(None), program.catalogue.mechanism)]
        if program.constrained:
            every = [(g, self.models[g * lanes]) for g in range(self.groups)]
        for g, model in every:
            for name, values in {**program.first_values(model), "atol": tolerances(model)}.items():
                self.memory[g, program.layout.parts[name]] = np.reshape(values, (-1, 1))

    def _measure_by_start(self, q: np.ndarray, u: np.ndarray) -> None:
        """Where nothing in the mechanism says a length, the states at the start do."""
        m, parts = self.program.catalogue.mechanism, self.program.layout.parts
        if m.scales.told:
            return
        begun = self.options.beginning(m, q, u)
        self.memory[:, parts["atol"]] = self._in_lanes(np.broadcast_to(begun.atol, (len(q), m.n_q + m.n_u)))
        if "size" in parts:
            size = self.memory[:, parts["size"]][:, : m.n_q]
            sizes = np.broadcast_to(begun.sizes, (len(q), m.n_q + m.n_u))
            size[:] = np.minimum(size, self._in_lanes(sizes)[:, : m.n_q])

    def _in_lanes(self, rows: np.ndarray) -> np.ndarray:
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
            return self._looked_at()
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
        return self._looked_at()

    def _march(self) -> None:
        """A thread's work: one group after the other, as long as there are any, with a pause now and then to look whether to stop."""
        o, program, width = self.options, self.program, self.rows[0].size
        try:
            own = np.full(1, NONE, dtype=np.int64)
            march = program.library.share.bind(
                self.queue, own, self.statuses, self.memory, self.given, program.work(), self.counters, o.times, self.rows,
                width, self.count, BUDGET, o.max_steps,
            )  # fmt: skip
            paces: dict[int, Pace] = {}
            while not self.stop.is_set() and (status := march()) != Status.FINISHED:
                g = int(own[0])
                if status == Status.DEGRADED and not self._goes_on(g):
                    self.statuses[g], own[0] = Status.OUT_OF_REACH, NONE
                elif g != NONE and self._creeps(g, paces):
                    self.statuses[g], own[0] = Status.CREEPING, NONE
        except BaseException:
            self.stop.set()
            raise

    def _creeps(self, g: int, paces: dict[int, Pace]) -> bool:
        """Whether a group of states no longer gets anywhere."""
        pace = paces.setdefault(g, Pace(self.options, self.options.start))
        return pace.creeps(float(self.program.layout.view(self.memory[g], "t")[0, 0]), int(self.counters[g, STEPS]))

    @property
    def let_pass(self) -> np.ndarray:
        """For every motion, the largest error of a step accepted above the tolerance; by a method that takes a state at a time."""
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
            told = near_miss(model, program, self.options, self.memory[g])
        except SimulationError:
            return False
        if told:
            self.near_misses.setdefault(g, told)
        return True

    def _looked_at(self) -> int:
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


def _constrained(
    models: _Models, q: np.ndarray, u: np.ndarray, initials: Any, speeds: Any, o: Options
) -> tuple[np.ndarray, np.ndarray, KeptRows]:
    """Every motion's start assembled with its own parameters; all are kept by the rows found for the first."""
    named = [[x[k] if _several(x) else x for x in (initials, speeds)] for k in range(len(q))]
    check_method(o)
    try:
        both = [
            assembled_start(models[k], x, v, given, rates, o.start)
            for k, (x, v, (given, rates)) in enumerate(zip(q, u, named))
        ]
    except LoopError as problem:
        raise LoopError(f"of the {len(q)} motions one cannot be assembled: {problem}") from problem
    return (
        np.array([x for x, _ in both]),
        np.array([x for _, x in both]),
        kept_at(models[0], both[0][0], o.start, Projection()),
    )


def _count(initials: Any, speeds: Any, parameters: Mapping[str, Any] | None) -> int:
    """How many motions are asked for."""
    sizes = {name: len(given) for name, given in (("initials", initials), ("speeds", speeds)) if _several(given)}
    sizes |= {f'parameter "{name}"': len(x) for name, x in (parameters or {}).items() if np.ndim(x)}
    if not sizes:
        raise SimulationError(
            "simulate_many needs several initials, speeds or parameter values: an array with a row per motion, or a list of "
            '{"joint": value}'
        )
    if len(set(sizes.values())) > 1:
        raise SimulationError("the numbers of motions differ: " + ", ".join(f"{n} {name}" for name, n in sizes.items()))
    if not next(iter(sizes.values())):
        raise SimulationError("simulate_many was given no motions: initials, speeds and parameter values are empty")
    return next(iter(sizes.values()))


def _several(given: Any) -> bool:
    if given is None or isinstance(given, Mapping):
        return False
    if isinstance(given, (list, tuple)) and given and isinstance(given[0], Mapping):
        return True
    return array(given, "simulate_many: initials and speeds").ndim == 2


def _states(m: Mechanism, initials: Any, speeds: Any, count: int, t: float) -> tuple[np.ndarray, np.ndarray]:
    """(K, n_q), (K, n_u), checked."""
    if all(x is None or (isinstance(x, np.ndarray) and x.ndim == 2) for x in (initials, speeds)):
        if any(x is not None and x.shape[1] != n for x, n in ((initials, m.n_q), (speeds, m.n_u))):
            raise SimulationError(f"initials need {m.n_q} columns ({', '.join(m.coordinates)}), speeds {m.n_u}")
        q = np.broadcast_to(m.reference if initials is None else initials, (count, m.n_q))
        u = np.broadcast_to(np.zeros(m.n_u) if speeds is None else speeds, (count, m.n_u))
        for values in (q, u):
            if not np.isfinite(values).all():
                raise SimulationError(
                    f"motion number {int(np.argmin(np.isfinite(values).all(axis=1)))} begins with values not finite"
                )
        _check_joints(m, q)
        return np.array(q, dtype=float), np.array(u, dtype=float)
    rows = [[x[k] if _several(x) else x for x in (initials, speeds)] for k in range(count)]
    both = [initial_state(m, q, u, t) for q, u in rows]
    return np.array([q for q, _ in both]), np.array([u for _, u in both])


def _check_joints(m: Mechanism, q: np.ndarray) -> None:
    """Every state suits the joints that can be singular."""
    for j in m.joints:
        at = [i for i in j.q_at if i is not None]
        if not j.joint.may_be_singular or len(at) != j.joint.n_q:
            continue
        for k, row in enumerate(q):
            trouble = j.joint.singularity(row[at])
            if trouble:
                raise SimulationError(f'motion number {k}: joint "{j.name}": {trouble}')


def _parameters(m: Mechanism, given: Mapping[str, Any] | None, count: int) -> np.ndarray:
    """(K, n_p)."""
    for name in given or ():
        if name not in m.parameters:
            raise unknown(name, "parameter", m.parameters, "simulate_many")
    values = {k: numbers(v, f"simulate_many: parameter {k}") for k, v in (given or {}).items()}
    check_parameters(m, values, "simulate_many")
    columns = [np.broadcast_to(values.get(k, np.asarray(v, dtype=float)), (count,)) for k, v in m.parameters.items()]
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def _threads(given: int | None) -> int:
    if given is not None:
        return given
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
