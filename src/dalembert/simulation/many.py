"""Many motions in one call: fixed steps run a state per SIMD lane, adaptive methods one state at a time; threads share the work."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import array, numbers, refused
from dalembert.constraints.nonsmooth.unique_loads import check_loads_unique
from dalembert.errors import LoopError, SimulationError, SimulationWarning
from dalembert.kernels.catalogue import Catalogue
from dalembert.kinematics.bending import check_positive
from dalembert.kinematics.initial import at_rest, check_chosen, initial_state, named_coordinates, named_speeds
from dalembert.mechanism import Mechanism
from dalembert.mechanism.physical import check_parameters
from dalembert.mechanism.simulation_options import Projection, SimulationOptions
from dalembert.motion.law_history import LawHistory
from dalembert.motion.motion import Motion
from dalembert.motion.motion_warnings import overbent, warn_of_bending
from dalembert.parts.names import unknown
from dalembert.simulation.compiled_start import Assembler, ClosedStarts, StartProgram, assembled_by_code, fixed_places
from dalembert.simulation.constrained_start import assembled_start, check_method, kept_at, kept_at_reference
from dalembert.simulation.error_sizes import coordinate_units, speed_units
from dalembert.simulation.failure import let_pass
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows
from dalembert.simulation.march.march_many import Batch, Models
from dalembert.simulation.march.program import Program
from dalembert.simulation.run_options import Options, options
from dalembert.simulation.time_stepping.stepped_batch import SteppedLaws, stepped_batch
from dalembert.version import __version__
from dalembert.words import counted

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False)
class Motions:
    """K motions at the same times: `t` (T,), `q` (K, T, n_q), `u` (K, T, n_u), states of elements `z` (K, T, n_z)."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    problems: Mapping[int, str]
    """What stopped the motions that did not reach the end; their samples from there on are nan."""
    mechanism: Mechanism
    parameters: Mapping[str, np.ndarray]
    record: Mapping[str, Any]
    histories: tuple[LawHistory | None, ...] = ()
    """What laws did in each; nothing for a mechanism without laws."""
    stepped: SteppedLaws | None = None
    """The same where they were marched by time stepping."""
    z: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 0)))

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
        t, history = self.t[: len(q)].copy(), self.histories[k] if self.histories else None
        if self.stepped is not None:
            history = self.stepped.history(self, k, t, q, u)
        return Motion(
            t, q, u, m.coordinates, m.speeds, coordinate_units(m), speed_units(m),
            tuple(b.name for b in m.bodies), np.zeros_like(u), (), about, m, None, history,
            np.array(self.z[k, : len(q)]) if m.states else np.zeros((len(q), 0)), m.states, m.state_units,
        )  # fmt: skip

    def __iter__(self) -> Iterator[Motion]:
        return (self[k] for k in range(len(self)))

    def outputs(self) -> dict[str, np.ndarray]:
        """The quantities the model names, (K, T) or (K, T, 3) each; nan where a motion did not get to."""
        made: dict[str, np.ndarray] = {}
        for k, motion in enumerate(self):
            for name, values in motion.outputs().items():
                whole = made.setdefault(name, np.full((len(self), len(self.t), *values.shape[1:]), np.nan))
                whole[k, : len(values)] = values
        return made

    def to_xarray(self) -> xarray.Dataset:
        """An `xarray.Dataset`: q, u, states and the model's outputs over motion and time; parameters beside the motions."""
        from dalembert.simulation.many_as_dataset import dataset

        return dataset(self)


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
    initials, parameters = _without_states(m, initials, parameters)
    o = options(m, duration, said)
    if m.laws and not o.method.takes_impacts:
        from dalembert.simulation.event_driven.many_with_laws import simulate_in_turn

        count = _count(initials, speeds, parameters)
        starts, rates = _of_each(initials, count), _of_each(speeds, count)
        return simulate_in_turn(m, starts, rates, _parameters(m, parameters, count), duration, said)
    catalogue = m.kernels
    if catalogue.opaque is not None:
        names = ", ".join(f'"{name}"' for name in catalogue.opaque.forces)
        raise SimulationError(
            f"force {names} is a plain Python function, so it cannot run in threads; use simulate for each state"
        )
    count = _count(initials, speeds, parameters)
    q, u = _states(m, initials, speeds, count, o.start)
    P = _parameters(m, parameters, count)
    models = Models(m, P)
    kept = NO_ROWS_KEPT
    if m.constraint_rows:
        q, u, kept = _assembled(catalogue, models, q, u, initials, speeds, o)
        if m.sensed_joints and len(kept.rows) < len(m.rows):
            for k in range(count):
                check_loads_unique(models[k], q[k], u[k], o.start, kept.rows, SimulationError)
    check_positive(m, q, o.start, {name: P[:, i] for i, name in enumerate(m.parameters)}, "simulate_many")
    wide = catalogue.state_rates.lanes if not m.constraint_rows else m.compiled_for.lanes
    lanes = 1 if o.method.adaptive or count == 1 else wide
    if o.method.takes_impacts:
        batch = stepped_batch(catalogue, o, lanes, kept, q, u, P, models)
    else:
        program = Program(catalogue, o.method, lanes, kept=kept, many=True)
        batch = Batch(program, o, q, u, P, models, lambda x: _tolerances(options(x, duration, said)))
    steps = batch.run(_threads(threads))
    n_q = m.n_q
    rows, problems = batch.rows, batch.problems
    _note_not_finite(batch, o)
    _warn(batch, count)
    made = {name: P[:, i] for i, name in enumerate(m.parameters)}
    about = {"model": m.name, "version": __version__}
    record = about | {"options": o.record(), "steps": steps}
    if "let_pass" in batch.program.layout.parts:
        record["let_pass"] = batch.let_pass.tolist()
    if m.elastic:
        record["overbent"] = overbent(m, np.tile(o.times, count), rows[:, :, :n_q].reshape(-1, n_q))
        warn_of_bending(m, record, depth=5)
    end = n_q + m.n_u
    laws = SteppedLaws(batch.program, o, q, rows[:, :, end:]) if m.laws else None
    q, u, z = rows[:, :, :n_q], rows[:, :, n_q:end], rows[:, :, end : end + m.n_z]
    return Motions(o.times, q, u, problems, m, made, record, stepped=laws, z=z)


def _tolerances(o: Options) -> np.ndarray:
    return np.concatenate([o.atol, o.state_atol])


def _without_states(
    m: Mechanism, initials: Any, parameters: Mapping[str, Any] | None
) -> tuple[Any, Mapping[str, Any] | None]:
    """Initial values of states put where parameters are: those of all motions, or one of each."""
    if not m.states or initials is None:
        return initials, parameters
    if isinstance(initials, Mapping):
        left, states = m.without_states(initials)
        return left, {**(parameters or {}), **states}
    if not _several(initials) or not isinstance(initials[0], Mapping):
        return initials, parameters
    split = [m.without_states(x) for x in initials]
    named = dict.fromkeys(name for _, states in split for name in states)
    values = {name: np.array([states.get(name, m.parameters[name]) for _, states in split]) for name in named}
    return [left for left, _ in split], {**(parameters or {}), **values}


def _note_not_finite(batch: Batch, o: Options) -> None:
    """What is not finite at its end is none from there on, and a problem."""
    rows = batch.rows
    for k in np.flatnonzero(~np.isfinite(rows[:, -1]).all(axis=1)):
        good = int(np.argmin(np.isfinite(rows[k]).all(axis=1)))
        rows[k, good:] = np.nan
        last = o.times[good - 1] if good else o.start
        batch.problems.setdefault(int(k), f"the motion is not finite after t = {last:.6g} s")


def _warn(batch: Batch, count: int) -> None:
    """Warn of motions that did not reach the end, and of those that passed nearly singular poses."""
    if batch.problems:
        first = min(batch.problems)
        warnings.warn(
            f"{len(batch.problems)} of {count} motions did not reach the end; the first is number {first}: {batch.problems[first]}",
            SimulationWarning,
            stacklevel=6,
        )
    if batch.near_misses:
        first = min(batch.near_misses)
        warnings.warn(
            f"{len(batch.near_misses)} of {count} motions passed nearly singular poses; the first is number {first}: "
            f"{batch.near_misses[first]}{let_pass(float(batch.let_pass[first]))}",
            SimulationWarning,
            stacklevel=6,
        )


def _assembled(
    catalogue: Catalogue,
    models: Models,
    q: np.ndarray,
    u: np.ndarray,
    initials: Any,
    speeds: Any,
    o: Options,
) -> tuple[np.ndarray, np.ndarray, KeptRows]:
    """Every motion's start assembled with its own parameters; all are kept by the rows found for the first."""
    named = list(zip(_of_each(initials, len(q)), _of_each(speeds, len(q))))
    check_method(o)
    made = _by_code(catalogue, models, q, u, initials, speeds, o)

    def assembled(k: int) -> tuple[np.ndarray, np.ndarray]:
        if made is not None and made.done[k]:
            return made.q[k], made.u[k]
        return assembled_start(models[k], q[k], u[k], *named[k], o.start)

    if made is not None and made.done.all():
        return made.q, made.u, made.kept
    try:
        both = [assembled(k) for k in range(len(q))]
    except LoopError as problem:
        raise LoopError(f"of the {len(q)} motions one cannot be assembled: {problem}") from problem
    first = made is not None and made.done[0]
    kept = made.kept if made is not None and first else kept_at(models[0], both[0][0], o.start, Projection())
    return np.array([x for x, _ in both]), np.array([x for _, x in both]), kept


def _by_code(
    catalogue: Catalogue,
    models: Models,
    q: np.ndarray,
    u: np.ndarray,
    initials: Any,
    speeds: Any,
    o: Options,
) -> ClosedStarts | None:
    """Starts by compiled code; None where there is nothing it can do."""
    kept = None if models[0].variables is not None else kept_at_reference(models[0], o.start, Projection())
    if kept is None:
        return None
    every, m = models.of_each(len(q)), models[0]
    fixed, fixed_speeds = _fixed(m, initials, len(q), named_coordinates), _fixed(m, speeds, len(q), named_speeds)
    return assembled_by_code(_assembler(catalogue, o, kept, len(q)), every, q, u, fixed, fixed_speeds, o.start)


def _fixed(m: Mechanism, given: Any, count: int, named: Callable[[Mechanism, Any], Sequence[int]]) -> np.ndarray:
    """(K, n_u): whether what is given of a start fixes a speed. An array fixes none."""
    if isinstance(given, np.ndarray) or not _several(given):
        return np.repeat(fixed_places([named(m, given if isinstance(given, Mapping) else None)], m.n_u), count, axis=0)
    return fixed_places([named(m, x) for x in given], m.n_u)


def _assembler(catalogue: Catalogue, o: Options, kept: KeptRows, count: int) -> Assembler:
    """Whoever has code that closes loops: the program itself, if it takes one state at a time."""
    alone = o.method.adaptive or count == 1
    return Program(catalogue, o.method, kept=kept, many=True) if alone else StartProgram(catalogue, kept)


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


def _of_each(given: Any, count: int) -> list[Any]:
    """What is given for every motion."""
    return list(given) if _several(given) else [given] * count


def _states(m: Mechanism, initials: Any, speeds: Any, count: int, t: float) -> tuple[np.ndarray, np.ndarray]:
    """(K, n_q), (K, n_u), checked."""
    if all(x is None or (isinstance(x, np.ndarray) and x.ndim == 2) for x in (initials, speeds)):
        if any(x is not None and x.shape[1] != n for x, n in ((initials, m.n_q), (speeds, m.n_u))):
            raise SimulationError(f"initials need {m.n_q} columns ({', '.join(m.coordinates)}), speeds {m.n_u}")
        q = np.broadcast_to(m.reference if initials is None else initials, (count, m.n_q))
        still = [at_rest(m, row, t) for row in q] if m.variables is not None else np.zeros(m.n_u)
        u = np.broadcast_to(still if speeds is None else speeds, (count, m.n_u))
        for values in (q, u):
            if not np.isfinite(values).all():
                raise SimulationError(
                    f"motion number {int(np.argmin(np.isfinite(values).all(axis=1)))} begins with values not finite"
                )
        _check_joints(m, q, t)
        return np.array(q, dtype=float), np.array(u, dtype=float)
    both = [initial_state(m, q, u, t) for q, u in zip(_of_each(initials, count), _of_each(speeds, count))]
    return np.array([q for q, _ in both]), np.array([u for _, u in both])


def _check_joints(m: Mechanism, q: np.ndarray, t: float) -> None:
    """Every state suits the joints that can be singular, and the speeds that were chosen."""
    for row in q if m.variables is not None else ():
        check_chosen(m, row, t)
    q = m.joint_coordinates(q)
    for j in m.numeric.in_joint_variables.joints:
        at = [i for i in j.q_at if i is not None]
        if not j.joint.may_be_singular or len(at) != j.joint.n_q:
            continue
        for k, row in enumerate(q):
            singularity = j.joint.singularity(row[at])
            if singularity:
                raise SimulationError(f'motion number {k}: joint "{j.name}": {singularity}')


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
