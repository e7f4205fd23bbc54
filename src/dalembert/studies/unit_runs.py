"""A unit of runs, from their numbers to what is kept of them. Units are the same however a study is split, and so are their answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from dalembert.blas import one_thread
from dalembert.cached import cached_property
from dalembert.errors import DalembertError
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.motion.samples import Samples
from dalembert.simulation.many import Motions
from dalembert.studies.reductions import WantedOutput, parts
from dalembert.studies.run_plan import RunPlan
from dalembert.studies.studied_quantities import Measured
from dalembert.studies.together import Marched, Together
from dalembert.version import __version__

LARGEST_UNIT, UNIT_ALONE = 256, 16
"""Runs of a unit: marched together, and one at a time."""
NUMBERS = 2_000_000
"""Numbers of the motions of a unit, at most, as long as it has as many runs as any machine has lanes."""
SAME_TIME = 1e-9
"""Part of the time from the first to the last by which two instants may differ and be one."""
LANES = 16
"""A unit is a multiple of this, or it is marched one run at a time."""


def one_instant(times: np.ndarray) -> float:
    """Seconds by which two instants among these may differ and be one: a part of all, or their rounding."""
    return float(SAME_TIME * np.ptp(times) + 4.0 * np.spacing(np.abs(times).max()))


@dataclass(eq=False)
class UnitResult:
    """What is kept of some runs: columns by name, (K,) or (K, T); why runs failed, and what there is to remark."""

    inputs: np.ndarray
    columns: dict[str, np.ndarray]
    failures: dict[int, str] = field(default_factory=dict)
    remarks: dict[int, str] = field(default_factory=dict)
    steps: int = 0


class _PerSample(Mapping[str, np.ndarray]):
    """Parameters, and states of elements, at all samples of some runs: each laid out where it is asked for."""

    def __init__(self, m: Mechanism, marched: Marched, good: np.ndarray):
        self._names, self._states, self._marched, self._good = list(m.parameters), list(m.states), marched, good
        self._made: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._made:
            run, good = self._marched, self._good
            if name in self._states:
                self._made[name] = run.z[good, :, self._states.index(name)].ravel()
            elif name in self._names:
                self._made[name] = np.repeat(run.P[good, self._names.index(name)], len(run.t))
            else:
                raise KeyError(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._names, *self._states]))

    def __len__(self) -> int:
        return len(set(self._names) | set(self._states))


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs units of a study; everything compiled is kept between them."""

    plan: RunPlan
    outputs: tuple[WantedOutput, ...]
    times: np.ndarray
    """Output times of a run that reaches its end."""

    @cached_property
    def together(self) -> Together | None:
        """Who marches many at once; None where every run is marched by itself."""
        if self.plan.alone:
            return None
        try:
            return Together(self.plan)
        except DalembertError:  # the model at its own values is no example of its runs
            return None

    @cached_property
    def unit(self) -> int:
        """Runs of a unit, by what is asked alone: never by the machine."""
        m = self.plan.mechanism
        if self.plan.alone:
            return UNIT_ALONE
        each = max(1, len(self.times) * (m.n_q + m.n_u + m.n_z))
        return int(min(LARGEST_UNIT, max(LANES, 2 ** int(np.log2(max(1, NUMBERS // each))))))

    @cached_property
    def measured(self) -> Measured:
        return Measured([x.quantity for x in self.outputs if x.quantity is not None])

    def run(self, rows: np.ndarray) -> UnitResult:
        """The runs with these inputs."""
        with one_thread():
            return self._run(rows)

    def _run(self, rows: np.ndarray) -> UnitResult:
        made = UnitResult(rows, {})
        if self.together is None:
            singles: list[int] = list(range(len(rows)))
        else:
            marched = self.together.march(rows)
            made.failures, made.remarks, made.steps = dict(marched.problems), marched.remarks, marched.steps
            singles = marched.alone
            good = np.array(
                [k for k in range(len(rows)) if k not in made.failures and k not in set(singles)], dtype=int
            )
            self._keep(made, good, lambda: self._of_many(marched, good))
            if any(x.function for x in self.outputs):
                for k, motion in zip(good.tolist(), self._motions(marched, good)):
                    self._ask_user(made, k, motion)
        for k in singles:
            self._alone(made, k)
        return made

    def _keep(self, made: UnitResult, at: np.ndarray, columns: Callable[[], dict[str, np.ndarray]]) -> None:
        """Put what is kept of some runs into place; a quantity that cannot be had there fails them."""
        if not len(at):
            return
        try:
            found = columns()
        except DalembertError as problem:
            if len(at) > 1:
                raise
            made.failures[int(at[0])] = str(problem)
            return
        for name, values in found.items():
            if name not in made.columns:
                made.columns[name] = np.full((len(made.inputs), *values.shape[1:]), np.nan)
            made.columns[name][at] = values

    def _of_many(self, marched: Marched, good: np.ndarray) -> dict[str, np.ndarray]:
        t = marched.t
        m, K, T = self.plan.mechanism, len(good), len(t)
        q, u = (x[good].reshape(K * T, -1) for x in (marched.q, marched.u))
        P = _PerSample(m, marched, good)
        samples = Samples(m, np.tile(t, K), np.ascontiguousarray(q), np.ascontiguousarray(u), np.zeros_like(u), P)
        return self._columns(t, [y.reshape(K, T, -1) for y in self.measured(samples)])

    def _motions(self, marched: Marched, good: np.ndarray) -> Motions:
        m = self.plan.mechanism
        assert self.together is not None
        parameters = {name: marched.P[good, i] for i, name in enumerate(m.parameters)}
        record = {"model": m.name, "version": __version__, "options": self.together.options.record(), "steps": 0}
        return Motions(marched.t, marched.q[good], marched.u[good], {}, m, parameters, record, z=marched.z[good])

    def _columns(self, t: np.ndarray, values: list[np.ndarray]) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = {}
        for output, y in zip((x for x in self.outputs if x.quantity is not None), values):
            if output.series:
                found |= self._series(output, t, y)
            else:
                found |= output.columns(t, y)
        return found

    def _series(self, output: WantedOutput, t: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        """All times, or those asked for; a run that ended before has nan from there on."""
        wanted = self.times if output.times is None else output.times
        apart = one_instant(self.times)
        there = np.searchsorted(t, wanted - apart)
        reached = (there < len(t)) & (np.abs(t[np.minimum(there, len(t) - 1)] - wanted) <= apart)
        kept = np.full((len(y), len(wanted), y.shape[2]), np.nan)
        kept[:, reached] = y[:, there[reached]]
        return {output.name + part: kept[:, :, i] for i, part in enumerate(parts(y.shape[2]))}

    def _alone(self, made: UnitResult, k: int) -> None:
        """One run marched by itself, events and laws included."""
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                motion = self.plan.motion(made.inputs[k])
        except (DalembertError, ArithmeticError, np.linalg.LinAlgError) as problem:
            made.failures[k] = str(problem) or type(problem).__name__
            return
        if said:
            made.remarks[k] = str(said[0].message)
        made.steps += int(motion.record["steps"])
        self._keep(made, np.array([k]), lambda: self._of_one(motion))
        if k not in made.failures:
            self._ask_user(made, k, motion)

    def _ask_user(self, made: UnitResult, k: int, motion: Motion) -> None:
        """What functions of the whole motion give; where one fails, so does the run."""
        for output in self.outputs:
            if output.function is None:
                continue
            try:
                row = np.ravel(np.asarray(output.function(motion), dtype=float))
            except Exception as problem:
                made.failures[k] = f"output {output.name!r}: {type(problem).__name__}: {problem}"
                for values in made.columns.values():
                    values[k] = np.nan
                return
            self._keep(made, np.array([k]), partial(_columns_of, output.name, row))

    def _of_one(self, motion: Motion) -> dict[str, np.ndarray]:
        values = [y[None] for y in self.measured(motion.samples)] if self.measured.quantities else []
        found = self._columns(motion.t, values)
        for output in self.outputs:
            if output.event:
                found[output.name] = np.array([_of_event(output, motion)])
        return found


def _of_event(output: WantedOutput, motion: Motion) -> float:
    times = [e.t for e in motion.events if e.name == output.event]
    if output.how == "count":
        return float(len(times))
    return float(times[0 if output.how == "first" else -1]) if times else float("nan")


def _columns_of(name: str, row: np.ndarray) -> dict[str, np.ndarray]:
    return {name + part: row[[i]] for i, part in enumerate(parts(len(row)))}
