"""Every formulation with every constraint method on one mechanism: do they agree, how large are they, how fast?

The reference is Kane's equations solved by SVD, in NumPy. Each pair is evaluated twice at every state, in NumPy and in
machine code, and the larger difference counts. Accelerations are compared body by body, the common motion of all
formulations.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.comparison.comparison import NO_ROWS, Comparison, ComparisonEntry, Refusal
from dalembert.analysis.comparison.consistent import consistent_states
from dalembert.analysis.comparison.processor_time import processor_time
from dalembert.analysis.comparison.timed import TimedKernel, nanoseconds
from dalembert.analysis.comparison.whole_motion import WholeMotion
from dalembert.arguments import refused
from dalembert.constraints import METHODS, method
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.errors import DalembertError, FormulationError
from dalembert.formulations import FORMULATIONS, Formulation, check_known, for_mechanism, formulation_named
from dalembert.formulations.formulation import approximation, formulation_speed_symbols
from dalembert.formulations.tree import kane
from dalembert.kernels.rhs.formulation_kernel import accelerations_kernel
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Operations, count_operations, symbol, symbols, tracing

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


UNCONSTRAINED = "range_space"
"""Solves A ẇ = f by Cholesky where a formulation has no rows."""

LONGEST = 300.0
"""Seconds after which no further pair is begun: each is compiled afresh, and a mechanism may have hundreds."""

ACCURACY = 1e-6
"""How near the reference the coordinates of a whole motion have to be, in rad and in the mechanism's own length."""

CANNOT = (DalembertError, np.linalg.LinAlgError, ZeroDivisionError)
NO_TURNING, NO_FORCE = 1e-12, 1e-12
"""Squared angular velocity, and multiplier, beside which differences are not called larger than they are."""


def compare(
    m: Mechanism,
    formulations: Iterable[str] | None = None,
    constraints: Iterable[str] | None = None,
    states: int = 5,
    seed: int = 0,
    start: Any = None,
    seconds: float = LONGEST,
    duration: float | None = None,
    accuracy: float = ACCURACY,
    speeds: JointValues | None = None,
) -> Comparison:
    """All formulations and methods, or those named. Forces that are plain Python functions take no part."""
    if not seconds >= 0.0:
        raise refused("compare: seconds", "a number from 0 on", seconds)
    if not accuracy > 0.0:
        raise refused("compare: accuracy", "a number above 0", accuracy)
    m = m.kernels.mechanism
    methods = list(METHODS if constraints is None else constraints)
    wanted = list(FORMULATIONS if formulations is None else formulations)
    for name in methods:
        method(name)  # an unknown one is refused before anything is computed
    for name in wanted:
        check_known(name)
    if not wanted or not methods:
        raise FormulationError("there is nothing to compare: name at least one formulation and one constraint method")
    reference = Reference.of(m, consistent_states(m, states, seed, start))
    made, refusals = _made(m, reference, wanted, methods, seconds)
    times = nanoseconds([native for _, native in made])
    entries = sorted(
        (replace(entry, nanoseconds=ns) for (entry, _), ns in zip(made, times)), key=lambda e: e.nanoseconds
    )
    nearly = ((name, approximation(FORMULATIONS[name], m)) for name in dict.fromkeys(e.formulation for e in entries))
    approximate = tuple(Refusal(name, "", why) for name, why in nearly if why is not None)
    found = Comparison(m.name, len(reference.states), tuple(entries), tuple(refusals), approximate)
    if duration is None:
        return found
    entries, beyond = _with_motions(entries, WholeMotion(m, duration, start, speeds, accuracy))
    return replace(found, entries=tuple(entries), refusals=(*refusals, *beyond), duration=duration, accuracy=accuracy)


def _made(
    m: Mechanism, reference: Reference, wanted: list[str], methods: list[str], seconds: float
) -> tuple[list[tuple[ComparisonEntry, TimedKernel]], list[Refusal]]:
    """Every pair that can be made, with its code, and why the others cannot."""
    end = perf_counter() + seconds
    made: list[tuple[ComparisonEntry, TimedKernel]] = []
    refusals: list[Refusal] = []
    for name in wanted:
        why = for_mechanism(m, name).refusal(m)
        if why is not None:
            refusals.append(Refusal(name, "", why))
            continue
        if made and perf_counter() > end:
            refusals.append(Refusal(name, "", _out_of_time(seconds)))
            continue
        try:
            form = formulation_named(m, name, reference.poses)
            size = Size.of(m, form)
        except CANNOT as problem:
            refusals.append(Refusal(name, "", _sentence(problem)))
            continue
        for by in methods if size.rows else [NO_ROWS]:
            if made and perf_counter() > end:
                refusals.append(Refusal(name, by, _out_of_time(seconds)))
                continue
            try:
                made.append(_entry(reference, name, form, by, size))
            except CANNOT as problem:
                refusals.append(Refusal(name, by, _sentence(problem)))
    return made, refusals


def _with_motions(entries: list[ComparisonEntry], whole: WholeMotion) -> tuple[list[ComparisonEntry], list[Refusal]]:
    """The cost of a whole motion for the fastest entry of each formulation; and whose motions do not come near enough."""
    marched: set[str] = set()
    out, beyond = [], []
    for e in entries:
        if e.formulation not in marched:
            marched.add(e.formulation)
            try:
                by = UNCONSTRAINED if e.constraints == NO_ROWS else e.constraints
                e = replace(e, motion=whole.cost(e.formulation, by))
            except CANNOT as problem:
                beyond.append(Refusal(e.formulation, e.constraints, _sentence(problem)))
        out.append(e)
    return out, beyond


def _out_of_time(seconds: float) -> str:
    return f"it was not begun, as {seconds:g} s had passed; name fewer formulations or methods, or give more seconds"


def _sentence(problem: Exception) -> str:
    return str(problem) or type(problem).__name__


# -- what all must agree with ------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Reference:
    """Body accelerations and multipliers at the states; `determined` are the loops' rows whose multipliers are unique.

    Differences are relative to the largest acceleration with or without the loops and constraints, and to what turning this fast
    brings (ω², ω v), so that a uniform motion is not measured against nothing.
    """

    mechanism: Mechanism
    states: list[State]
    accelerations: list[np.ndarray]
    scales: list[float]
    multipliers: list[np.ndarray]
    determined: np.ndarray

    @staticmethod
    def of(m: Mechanism, states: list[State]) -> Reference:
        written = [kane.equations(s) for s in states]
        solved = [METHODS["svd"](e) for e in written]
        bodies = [_body_accelerations(s, x.udot) for s, x in zip(states, solved)]
        free = [_body_accelerations(s, np.linalg.solve(e.A, e.f)) for s, e in zip(states, written)]
        scales = [max(float(np.abs([x, y]).max(initial=0.0)), _turning(s)) for x, y, s in zip(bodies, free, states)]
        rows = diagnose(m, states[0].coordinates, states[0].t).rows if m.constraint_rows else ()
        determined = np.array([row.determined for row in rows], dtype=bool)
        return Reference(m, states, bodies, scales, [x.lam for x in solved], determined)

    @property
    def poses(self) -> list[tuple[np.ndarray, float]]:
        return [(s.coordinates, s.t) for s in self.states]

    def acceleration_difference(self, k: int, form: Formulation, wdot: np.ndarray) -> float:
        """At state k."""
        s, expected = self.states[k], self.accelerations[k]
        found = _body_accelerations(s, form.udot(s, wdot))
        return float(np.abs(found - expected).max(initial=0.0) / self.scales[k])

    def multiplier_difference(self, k: int, lam: np.ndarray) -> float:
        """At state k, of the rows of the mechanism's own, which come last."""
        rows = len(self.determined)
        if len(lam) < rows or not self.determined.any():
            return np.nan
        found, expected = lam[len(lam) - rows :][self.determined], self.multipliers[k][self.determined]
        return float(np.abs(found - expected).max() / max(np.abs(expected).max(), NO_FORCE))


def _turning(s: State) -> float:
    """The largest ω² and ω v of any body."""
    sizes = [[np.linalg.norm(x) for x in (v.w, v.v)] for v in s.velocities]
    w, v = np.max(sizes, axis=0)
    return max(float(w * w), float(w * v), NO_TURNING)


def _body_accelerations(s: State, udot: Any) -> np.ndarray:
    return np.concatenate([np.zeros(0), *([*a.w, *a.v] for a in s.accelerations(udot)[1:])])


# -- sizes of the traced equations -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Size:
    """Size of a formulation's equations, traced in its formulation speeds; the same for all constraint methods."""

    speeds: int
    rows: int
    first_order: int
    operations: Operations
    trace_seconds: float

    @staticmethod
    def of(m: Mechanism, form: Formulation) -> Size:
        begun = processor_time()
        with tracing():
            w = formulation_speed_symbols(form, m)
            e = form.equations(form.state(m, symbol("t"), symbols("q_", m.coordinates), w))
            seconds = processor_time() - begun
            operations = count_operations([e.A, e.f, e.B, e.gamma])
        return Size(len(w), len(e.B), form.first_order(m), operations, seconds)


# -- one pair ----------------------------------------------------------------------------------------------------------
def _entry(
    reference: Reference, name: str, form: Formulation, by: str, size: Size
) -> tuple[ComparisonEntry, TimedKernel]:
    """All but its time, and what is to be timed. `form` is compiled; at numbers, speeds that are chosen are chosen in each state."""
    m, there = reference.mechanism, for_mechanism(reference.mechanism, name)
    solve = METHODS[UNCONSTRAINED if by == NO_ROWS else by]
    accelerations, multipliers = [], []
    for k, s in enumerate(reference.states):
        solution = solve(there.equations(s))
        accelerations.append(reference.acceleration_difference(k, there, solution.udot))
        multipliers.append(reference.multiplier_difference(k, solution.lam))
    native = TimedKernel(accelerations_kernel(m, name, UNCONSTRAINED if by == NO_ROWS else by, poses=reference.poses))
    rates = native.evaluate(reference.states, [form.formulation_speeds(s) for s in reference.states])
    accelerations += [reference.acceleration_difference(k, form, row[m.n_q :]) for k, row in enumerate(rates)]
    entry = ComparisonEntry(
        name, by, max(accelerations), float(np.max(multipliers)), size.speeds + size.rows, size.first_order, size.operations,
        size.trace_seconds, native.compile_seconds, np.nan,
    )  # fmt: skip
    return entry, native
