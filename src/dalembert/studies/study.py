"""`Study`: what varies, what is wanted, how many runs; `run()` makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.aliases import Controller, Events, FilePath, JointValues
from dalembert.arguments import count, file_path, real, takes
from dalembert.cached import cached_property
from dalembert.errors import ArgumentError, SimulationError
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.motion.motion import Motion
from dalembert.parts.events import as_event
from dalembert.portable import Portable
from dalembert.simulation.run_options import options as run_options
from dalembert.studies.designs import RunDesign, design_of
from dalembert.studies.inputs import Inputs, inputs_of
from dalembert.studies.reductions import WantedOutput, outputs_of
from dalembert.studies.run_plan import RunPlan
from dalembert.studies.spreads import Values
from dalembert.studies.stores import RunBlock, joined
from dalembert.studies.unit_runs import Runner, one_instant
from dalembert.trace.content import content_of
from dalembert.version import __version__

if TYPE_CHECKING:
    from dalembert.studies.answers.study_result import StudyResult

UNITS = 4
"""Units of a block, where runs are marched together."""
MEMORY = 1e9
"""Bytes that a study takes at most, where nothing is said."""


class Study(Portable):
    """Many runs of one mechanism: `da.Study(m, vary={"crank": "±1%"}, outputs=["max swing"], runs=1000).run()`.

    `vary` says what varies and how: parameters, coordinates "A" and speeds "A'" at the start, and numbers of the description such as
    "rod.mass"; each a range (low, high), a list, a distribution of `scipy.stats`, a tolerance "±0.1 mm" (3σ unless it says otherwise),
    or several together by `da.studies.Normals`. `outputs` says what is kept of a run: "end A", "max swing", "peak reaction C",
    "p95 A'", "series swing at 0, 0.5, 1", ("max", function of the state), `da.studies.of_motion(function)`. `design` is one of
    "random", "latin_hypercube", "sobol", "saltelli" and "grid"; a run's inputs hang on `seed` and its own number alone. Duration,
    initial values, speeds, options and events not said here are the model's own.
    """

    @takes(runs=count(1), seed=count(0), levels=count(2), control_rate=real)
    def __init__(
        self, m: Mechanism, vary: Mapping[Any, Any], outputs: Sequence[Any] | Mapping[str, Any] | str, runs: int | None = None, *,
        design: str | None = None, seed: int = 0, levels: int | None = None, duration: float | None = None,
        initial: JointValues | None = None, speeds: JointValues | None = None, options: SimulationOptions | None = None,
        events: Events | None = None, control: Controller | None = None, control_rate: float | None = None, text: str = "",
    ):  # fmt: skip
        if not isinstance(m, Mechanism):
            raise ArgumentError(f"study: the first argument must be a mechanism, s.build() or da.load(file), not {m!r}")
        length, begun, moving = m.plan.begun(duration, initial, speeds)
        if not isinstance(begun or {}, Mapping) or not isinstance(moving or {}, Mapping):
            raise ArgumentError('study: initial and speeds are said by joint, {"A": 0.3}')
        said = (options or SimulationOptions()).completed(m.plan.options)
        watched = _events(m.plan.events if events is None else events)
        inputs = inputs_of(m, vary, begun or {}, moving or {})
        self.times = run_options(inputs.mechanism, length, said).times
        """Output times of a run that reaches its end."""
        self.plan = RunPlan(
            inputs.mechanism,
            inputs,
            float(length or 0.0),
            begun or {},
            moving or {},
            said,
            watched,
            control,
            control_rate,
        )
        self.outputs: tuple[WantedOutput, ...] = outputs_of(inputs.mechanism, outputs, watched)
        self.design_name = design or ("grid" if runs is None and _lists(inputs) else "random")
        self.seed, self.text = seed, text
        self.design: RunDesign = design_of(self.design_name, inputs.spreads, runs, seed, levels)
        self._check_series()

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism, with everything that varies as a parameter."""
        return self.plan.mechanism

    @property
    def inputs(self) -> Inputs:
        """What varies."""
        return self.plan.inputs

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return self.design.runs

    def __repr__(self) -> str:
        names = ", ".join(self.inputs.names)
        return f"<Study of {self.mechanism.name!r}: {self.runs} runs, {self.design_name}, over {names}>"

    def __str__(self) -> str:
        how = self.plan.alone
        marched = f"one at a time, because {how}" if how else "together, in compiled code"
        wanted = ", ".join(f"{x.name}{f' ({x.unit})' if x.unit else ''}" for x in self.outputs)
        return (
            f"{self.runs} runs of {self.mechanism.name!r} ({self.design_name}, seed {self.seed}), {self.plan.duration:g} s each, "
            f"marched {marched}.\n{self.inputs.described()}\nWanted: {wanted}"
        )

    # -- runs --------------------------------------------------------------------------------------------------------------
    def values(self, first: int = 0, last: int | None = None) -> np.ndarray:
        """(K, inputs): the inputs of runs `first` … `last` − 1; of all, where nothing is said."""
        a, b = self._span(first, self.runs if last is None else last)
        return self.inputs.values(self.design.points(a, b))

    def motion(self, run: int) -> Motion:
        """One run by itself, whole: the motion, or the error that ends it."""
        a, b = self._span(run, run + 1)
        return self.plan.motion(self.values(a, b)[0])

    @takes(threads=count(1), folder=file_path, memory=real, block=count(1))
    def run(
        self, *, threads: int | None = None, executor: object = None, folder: FilePath | None = None, store: str | None = None,
        memory: float = MEMORY, block: int | None = None, progress: bool | Callable[[Any], None] | None = None,
    ) -> StudyResult:  # fmt: skip
        """Make the runs: by `threads` of this process (one for each processor, if not said), or by an `executor`.

        `executor` is any `concurrent.futures.Executor`, a `dask.distributed.Client`, or the address of a Dask scheduler,
        "tcp://host:8786". With a `folder`, blocks of runs are written as they are done, and the same call made again goes on from what
        is there; `store` is "netcdf" or "zarr". `memory` is the most that is taken, in bytes. `progress` is True, False or a function.
        """
        from dalembert.studies.conduct import conduct

        return conduct(
            self, threads, executor, None if folder is None else Path(folder), store, memory, block, progress
        )

    def run_block(self, first: int, last: int) -> list[Any]:
        """What is kept of runs `first` … `last` − 1, unit by unit."""
        unit = self.runner.unit
        return [self.runner.run(self.values(a, min(a + unit, last))) for a in range(first, last, unit)]

    def piece(self, first: int, last: int) -> RunBlock:
        """The same as one block, as engines hand it about."""
        return joined(first, self.run_block(first, last))

    def prepare(self) -> None:
        """Compile what is needed by making the first runs."""
        self.run_block(0, min(self.runner.unit, self.runs))

    @cached_property
    def runner(self) -> Runner:
        """Who makes the runs; what is compiled stays with it."""
        return Runner(self.plan, self.outputs, self.times)

    def block_size(self, asked: int | None = None) -> int:
        """Runs of a block, a task and a piece of the store: whole units."""
        unit = self.runner.unit
        wanted = asked or (unit if self.plan.alone else UNITS * unit)
        return max(1, -(-wanted // unit)) * unit

    # -- identity ----------------------------------------------------------------------------------------------------------
    def recorded(self) -> dict[str, Any]:
        """Everything that decides the answers, for files."""
        m, p = self.mechanism, self.plan
        return {
            "model": m.name, "fingerprint": m.kernels.fingerprint, "version": __version__, "parameters": dict(m.parameters),
            "inputs": self.inputs.recorded(), "outputs": [x.recorded() for x in self.outputs], "runs": self.runs,
            "design": self.design_name, "seed": self.seed, "duration": p.duration, "initial": _plain(p.initial),
            "speeds": _plain(p.speeds), "options": _plain(p.options.said), "times": self.times.tolist(),
            "events": [[name, e.direction, e.terminal] for name, e in p.events.items()], "control_rate": p.control_rate,
            "text": self.text,
        }  # fmt: skip

    @cached_property
    def contents(self) -> dict[str, str]:
        """Hashes of everything that decides the answers, what functions and objects do included: equal studies have equal ones."""
        m, p = self.mechanism, self.plan
        decides = self.recorded() | {
            "outputs": [(x.recorded(), x.functions) for x in self.outputs],
            "initial": p.initial, "speeds": p.speeds, "options": p.options.said, "events": p.events, "control": p.control,
            "guess": m.plan.guess, "Python forces": None if m.kernels.opaque is None else m.kernels.opaque.forces,
        }  # fmt: skip
        return {what: self._content(what, x) for what, x in decides.items()}

    def _content(self, what: str, x: Any) -> str:
        try:
            return content_of(x)
        except ArgumentError as problem:
            raise ArgumentError(f"study: {what}: {problem}; leave folder= out, or do without it") from None

    def _span(self, a: int, b: int) -> tuple[int, int]:
        if not 0 <= a < b <= self.runs:
            raise ArgumentError(f"study: runs are numbered from 0 to {self.runs - 1}, not {a} to {b - 1}")
        return a, b

    def _check_series(self) -> None:
        """Times of series must be among those at which motions have outputs."""
        for output in self.outputs:
            for t in () if output.times is None else output.times:
                if not np.any(np.abs(self.times - t) <= one_instant(self.times)):
                    raise ArgumentError(
                        f"study: output {output.name!r} wants t = {t:g} s, which is no output time of the runs; say "
                        "options=da.SimulationOptions(output=…) with an interval or times that contain it"
                    )


def _lists(inputs: Inputs) -> bool:
    return all(isinstance(x, Values) for x in inputs.spreads)


def _events(given: Any) -> dict[str, Any]:
    """Events by name."""
    if not given:
        return {}
    if isinstance(given, Mapping):
        return {str(name): as_event(x, str(name)) for name, x in given.items()}
    if callable(given) or hasattr(given, "when"):
        given = [given]
    named = [(getattr(x, "name", "") or f"event {k + 1}", x) for k, x in enumerate(given)]
    return {name: as_event(x, name) for name, x in named}


def _plain(values: Any) -> dict[str, Any]:
    try:
        return {str(k): np.asarray(v).tolist() if not isinstance(v, str) else v for k, v in values.items()}
    except (TypeError, ValueError) as problem:
        raise SimulationError(f"study: {values!r} cannot be written down") from problem
