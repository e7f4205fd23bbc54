"""`simulate`: from what the user asks to a `Motion`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.aliases import FilePath
from dalembert.arguments import file_path
from dalembert.constraints.nonsmooth.unique_loads import check_loads_unique
from dalembert.errors import LoopError, MotionFileError, SimulationError, SimulationWarning, StateError
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.mechanism_fingerprint import with_python
from dalembert.kernels.runtime.opaque import generalized_forces
from dalembert.kinematics.bending import check_positive
from dalembert.kinematics.initial import initial_state
from dalembert.limited_read import is_folder
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.motion.motion import Motion, Occurrence
from dalembert.motion.motion_warnings import check_stayed_positive, overbent, warn_of_bending, warn_of_spin
from dalembert.simulation.equation_choice import EquationChoice, equation_choice
from dalembert.simulation.error_sizes import coordinate_units, speed_units
from dalembert.simulation.event_driven.acting import check_actions, recorded
from dalembert.simulation.failure import let_pass
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows, law_rows_kept
from dalembert.simulation.march.between_stretches import Progress
from dalembert.simulation.march.callback import Handler
from dalembert.simulation.march.checkpoint import Checkpoint, load_checkpoint
from dalembert.simulation.march.control import control_of
from dalembert.simulation.march.memory import STEPS
from dalembert.simulation.march.program import Program
from dalembert.simulation.march.run import Run
from dalembert.simulation.march.run_events import Event, gathered
from dalembert.simulation.march.sampling import reads_accelerations
from dalembert.simulation.run_options import Options, options
from dalembert.trace.fingerprint import fingerprint
from dalembert.version import __version__

if TYPE_CHECKING:
    pass


GOES_ON = ("max_steps", "max_events")
"""Options that may differ where a run goes on from a checkpoint: it may make more of them."""
LOADS_EXAMINED = 12
"""Outputs of a run at which the loads of friction are examined for being unique."""


def simulate(
    m: Mechanism,
    duration: float | None,
    initial: Any,
    speeds: Any,
    said: SimulationOptions,
    parameters: Mapping[str, float] | None,
    events: Any,
    until: Any,
    control: Any,
    control_rate: float | None,
    checkpoint: FilePath | None,
    resume: FilePath | Motion | None,
    progress: bool | None,
) -> Motion:
    """See `Mechanism.simulate`."""
    catalogue = m.kernels
    file = None if checkpoint is None else Path(checkpoint)
    _check_folder(file)
    initial, states = m.without_states(initial)
    model = m.with_parameters(**values_said) if (values_said := {**(parameters or {}), **states}) else m
    o = options(model, duration, said)
    watched = gathered(events, until) if events is not None or until is not None else []
    method, when, directions = o.method, [e.when for e in watched], [e.direction for e in watched]

    program_of, run_of = _marched_by(model, o, watched)

    @cache
    def program_with(kept: KeptRows, by: EquationChoice | None) -> Program:
        return program_of(catalogue, method, 1, when, directions, kept, by)

    q, u, kept = _start(model, initial, speeds, o, lambda kept: program_with(kept, None))
    o = o.beginning(model, q, u)
    if model.elastic:
        check_positive(model, q, o.start, where="simulate")
    by = equation_choice(catalogue, o.formulation, o.constraints, o, q)
    if program_of is not Program:
        kept = _laws_kept(model, kept, q, o, by, watched)
    check_loads(catalogue, model, kept.rows, q, u, o.start)
    program = program_with(kept, None if by.usual else by)
    values = np.array(list(model.parameters.values()), dtype=float)
    handler = _handler(catalogue, program.equation_choice.n_speeds, lambda: run)
    options_said = o.record()

    def identity() -> str:
        """Identity of the run that a checkpoint belongs to: the same code begun with the same numbers."""
        lasting = {name: x for name, x in options_said.items() if name not in GOES_ON}
        decided = repr(lasting), repr([control_rate, [(e.terminal, recorded(e.actions)) for e in watched]]), __version__
        return with_python(fingerprint(program.identity, q, u, values, o.times, o.atol, *decided), catalogue.opaque)

    steering = None if control is None and control_rate is None else control_of(model, control, control_rate, o)
    run = run_of(program, model, o, watched, steering, handler, identity)
    if resume is None:
        run.begin(q, u, values)
    else:
        run.go_on_from(_where(resume))
    asked = {"initial": _plain({**initial, **states} if states else initial), "speeds": _plain(speeds)}
    record = _record(m, model, options_said | {"control_rate": control_rate}, asked, q, u)
    record["events"] = [[e.name, e.terminal, bool(e.actions)] for e in watched]
    return _marched(run, lambda: motion(m, o, watched, run, record), Progress(progress), file)


def _record(
    m: Mechanism, model: Mechanism, options_said: dict[str, Any], asked: dict[str, Any], q: np.ndarray, u: np.ndarray
) -> dict[str, Any]:
    """What a motion tells of how it came about, but for how it ended."""
    return {
        "model": m.name,
        "version": __version__,
        "options": options_said,
        "parameters": dict(model.parameters),
        "given": asked,
        "computed": {"initial": dict(zip(m.coordinates, q.tolist())), "speeds": dict(zip(m.speeds, u.tolist()))},
    }


def _marched_by(m: Mechanism, o: Options, watched: list[Event]) -> tuple[type[Program], type[Run]]:
    """What marches a mechanism, with laws and events that act or without; refused where it would not march them."""
    if not m.laws and not o.method.takes_impacts and not any(e.actions for e in watched):
        return Program, Run
    if not o.stabilise.projects:
        raise SimulationError(
            f'mechanism "{m.name}" has laws: without projection, sticking contacts would creep; leave out stabilise, or simulate '
            "m.without_laws()"
        )
    if o.method.takes_impacts:
        from dalembert.simulation.time_stepping.stepping_program import SteppingProgram
        from dalembert.simulation.time_stepping.stepping_run import SteppingRun

        _check_stepped(o)
        if measures := reads_accelerations(m):
            raise SimulationError(
                f'element "{measures[0]}" reads accelerations or reactions, which jump at impacts; leave out laws, or read speeds'
            )
        return SteppingProgram, SteppingRun
    from dalembert.simulation.event_driven.law_program import LawProgram, check_restitution
    from dalembert.simulation.event_driven.law_run import LawRun

    check_restitution(m, o.restitution)
    return LawProgram, LawRun


def _laws_kept(
    m: Mechanism, kept: KeptRows, q: np.ndarray, o: Options, by: EquationChoice, watched: list[Event]
) -> KeptRows:
    """The rows that are kept, with those of the laws; refused where these, or what events do, cannot be marched."""
    from dalembert.kernels.masked.law_formulation_rhs import check_serves_laws

    if not by.usual:
        check_serves_laws(by.form, o.formulation)
    for event in watched:
        check_actions(m, event)
    return law_rows_kept(m, kept, q, o.start) if m.laws else kept


def check_loads(
    catalogue: Catalogue, m: Mechanism, rows: tuple[int, ...], q: np.ndarray, u: np.ndarray, t: float
) -> None:
    """Refuse to begin where friction, or a sensor, goes by what a joint transmits and that is not unique."""
    if not m.needs_unique_loads or len(rows) == len(m.rows):
        return
    at = q.tobytes(), u.tobytes(), t, tuple(m.parameters.values())
    catalogue.once(("loads are unique", rows, at), lambda: check_loads_unique(m, q, u, t, rows, SimulationError))


def _check_stepped(o: Options) -> None:
    """Refuse what a step by impulses does not do: it is written in Kane's equations by range space, with Newton's impacts."""
    if (o.formulation, o.constraints) != ("kane", "range_space"):
        raise SimulationError(
            f'method="{o.method.name}" marches formulation="kane" with constraints="range_space" only, not {o.formulation!r} with '
            f"{o.constraints!r}; leave these options out, or leave out method"
        )
    if o.restitution != "newton":
        raise SimulationError(
            f'method="{o.method.name}" uses Newton\'s law of impact within its steps, not restitution={o.restitution!r}; '
            "leave out method to locate every impact"
        )


def _check_folder(checkpoint: Path | None) -> None:
    if checkpoint is None:
        return
    if not is_folder(checkpoint.absolute().parent):
        raise MotionFileError(f'checkpoint "{checkpoint}" cannot be written: there is no such folder')
    if is_folder(checkpoint):
        raise MotionFileError(f'checkpoint "{checkpoint}" cannot be written: that is a folder; name a file in it')


def _start(
    m: Mechanism,
    initial: Any,
    speeds: Any,
    o: Options,
    program: Callable[[KeptRows], Program],
) -> tuple[np.ndarray, np.ndarray, KeptRows]:
    """(q, u) to begin from, loops assembled, and the rows that are kept."""
    q, u = initial_state(m, initial, speeds, o.start)
    if not m.cuts and not m.constraints:
        return q, u, NO_ROWS_KEPT
    from dalembert.simulation.constrained_start import constrained_state

    return constrained_state(m, q, u, initial, speeds, o, program)


def _marched(run: Run, so_far: Callable[[], Motion], progress: Progress, checkpoint: Path | None) -> Motion:
    """The motion, to its end or to where it was interrupted; an error carries the part computed so far."""
    try:
        run.go(progress, checkpoint)
    except KeyboardInterrupt:
        run.ended = "interrupted"
    except Exception as problem:  # whatever a controller or force raises, too
        run.ended = "failed"
        problem.motion = so_far()  # type: ignore[attr-defined]
        if run.model.elastic:
            warn_of_spin(problem.motion)  # type: ignore[attr-defined]
            warn_of_bending(run.model, problem.motion.record)  # type: ignore[attr-defined]
        raise
    made = so_far()
    _check_finite(made)
    _check_prescribed(run, made)
    _check_constraints_agreed(run, made)
    _check_loads_stayed_unique(run, made)
    if checkpoint is not None and run.ended == "interrupted":
        run.put_aside(checkpoint)
    if run.model.elastic:
        warn_of_spin(made)
        warn_of_bending(run.model, made.record)
        check_stayed_positive(made)
    if run.near_miss:
        warnings.warn(run.near_miss + let_pass(run.let_pass), SimulationWarning, stacklevel=6)
    return made


def _check_finite(made: Motion) -> None:
    """No output without a number, whatever the march thought of its steps."""
    if not (np.isfinite(made.q).all() and np.isfinite(made.u).all()):
        lost = np.flatnonzero(~(np.isfinite(made.q).all(axis=1) & np.isfinite(made.u).all(axis=1)))
        failed = SimulationError(
            f"the motion has no numbers at t = {made.t[lost[0]]:g}; this is a fault of the package: please report it"
        )
        failed.motion = made
        raise failed


def _check_prescribed(run: Run, made: Motion) -> None:
    """Where nothing is integrated, nothing else would meet a law that has no value at the end."""
    if not run.model.prescribed or not len(made):
        return
    try:
        run.model.state(made.q[-1], made.u[-1], made.t[-1])
    except StateError as problem:
        failed = SimulationError(str(problem))
        failed.motion = made
        raise failed from None


def _check_constraints_agreed(run: Run, made: Motion) -> None:
    if not run.program.constrained:
        return
    from dalembert.simulation.constrained_start import check_rows_left_out

    try:
        check_rows_left_out(run.model, run.program.kept, made.t, made.q, made.u, by_code=run.program)
    except LoopError as problem:
        problem.motion = made  # type: ignore[attr-defined]
        raise


def _check_loads_stayed_unique(run: Run, made: Motion) -> None:
    """The start was examined; a force may come later that redundant rows share as they like."""
    m, rows = run.model, run.program.kept.rows
    if not m.needs_unique_loads or len(rows) == len(m.rows):
        return
    changes = made.record.get("parameter_changes", [])
    for k in np.unique(np.linspace(0, len(made) - 1, LOADS_EXAMINED).astype(int))[1:]:
        t = float(made.t[k])
        values = {name: value for when, name, value in changes if when <= t} | dict(zip(m.states, made.z[k].tolist()))
        at = m.with_parameters(**values) if values else m
        try:
            check_loads_unique(at, made.q[k], made.u[k], t, rows, SimulationError)
        except SimulationError as problem:
            later = SimulationError(f"at t = {t:g}, though not at the start: {problem}")
            later.motion = made
            raise later from None


def motion(m: Mechanism, o: Options, watched: list[Event], run: Run, record: dict[str, Any]) -> Motion:
    """What a run has given so far."""
    n, n_q, end, last = run.done, m.n_q, m.n_q + m.n_u, m.n_q + m.n_u + m.n_z
    t, rows, forces = o.times[:n].copy(), run.rows[:n], run.forces[:n]
    if run.ended == "event":
        at_end = run.happened[-1]
        if not n or t[-1] < at_end[1]:
            t, rows = np.append(t, at_end[1]), np.vstack([rows, at_end[2:]])
            forces = np.vstack([forces, run.program.input_layout.view(run.inputs, "x")[:, 0]])
    history = run.history(t, rows, forces)
    rows = run.in_speeds(t, rows, "samples", record["parameters"])
    events = np.array(run.happened).reshape(len(run.happened), 2 + run.rows.shape[1])
    found = run.in_speeds(events[:, 1], events[:, 2:], "events", record["parameters"])
    happened = tuple(
        Occurrence(watched[int(x[0])].name, float(x[1]), y[:n_q], y[n_q:end], y[end:last])
        for x, y in zip(run.happened, found)
    )
    about = record | {"ended": run.ended, "steps": int(run.counters[STEPS]), "reached": run.t}
    changes = [(t, list(m.parameters)[at], value) for t, at, value in run.parameter_changes]
    if changes:
        about["parameter_changes"] = changes
    if run.let_pass is not None:
        about["let_pass"] = run.let_pass
    if m.elastic:
        about["overbent"] = overbent(m, t, rows[:, :n_q])
    return Motion(
        t, rows[:, :n_q], rows[:, n_q:end], m.coordinates, m.speeds,
        coordinate_units(m), speed_units(m), tuple(b.name for b in m.bodies), forces, happened, about, m,
        run.checkpoint() if run.ended == "interrupted" else None, history, rows[:, end:last], m.states, m.state_units,
    )  # fmt: skip


def _handler(catalogue: Catalogue, n_speeds: int, run: Callable[[], Run]) -> Handler | None:
    """Who is called for forces that could not be compiled, with the parameters and in the speeds of the moment."""
    if catalogue.opaque is None:
        return None
    called = catalogue.opaque

    @lru_cache(maxsize=1)
    def with_values(values: tuple[float, ...]) -> Mechanism:
        return called.with_parameters(**dict(zip(called.parameters, values)))

    def force(t: float, y: np.ndarray) -> np.ndarray:
        m, by = with_values(run().parameter_values), run().program.equation_choice
        q = m.admissible(y[: m.n_q])  # stages between steps leave Euler parameters a little off unit length
        w, z = np.split(y[m.n_q :], [by.n_speeds])
        m = m.with_parameters(**dict(zip(m.states, z.tolist()))) if m.states else m
        return generalized_forces(m, q, by.speeds(m, t, q, w), t)

    return Handler(force, called.n_q + n_speeds + called.n_z, called.n_u)


def _where(resume: Any) -> Checkpoint:
    if isinstance(resume, Motion):
        if resume.unfinished is None:
            raise SimulationError("this motion was not interrupted, so it cannot be resumed")
        return resume.unfinished
    return load_checkpoint(file_path(resume, "simulate: resume"))


def _plain(given: Any) -> Any:
    """Initial values as given, in a form that can be written down."""
    if isinstance(given, Mapping):
        return {str(k): np.asarray(v, dtype=float).tolist() for k, v in given.items()}
    return None if given is None else np.asarray(given, dtype=float).tolist()
