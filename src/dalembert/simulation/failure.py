"""Why a run stopped, in words: when, which coordinate, and what to try."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, SimulationError
from dalembert.formulations.tree import kane
from dalembert.kinematics.bending import most_bent
from dalembert.mechanism import Mechanism
from dalembert.simulation.equation_choice import EquationChoice
from dalembert.simulation.kept_rows import KeptRows
from dalembert.simulation.march.program import Program
from dalembert.simulation.near_singular import near_singular, pushed_by_time, weakest_loops
from dalembert.simulation.run_options import Options
from dalembert.simulation.status import Crossing, Status

NOT_FINITE = (
    "the motion is not finite after t = {t} s: {name} (last {last}) diverges. {cause}Try {smaller}, and look for forces that grow "
    "without bound, divide by zero, or come from a table that ends"
)
NO_CONVERGENCE = (
    "the implicit step of {step} s after t = {t} s does not converge: fastest is {name} (last {last}). {cause}Try a smaller step, or "
    'method="radau" if stiff forces make it necessary'
)
SINGULAR_POSE = (
    'mechanism "{mechanism}" comes upon a singular pose after t = {t} s: there its constraints do not determine which way it goes on '
    "(links in one line, or two branches that meet){here}. {other}"
)
STAYS_SINGULAR = (
    "It was carried on as if branches met, and stays next to such poses: change the lengths, or the initial values"
)
CANNOT_CROSS = 'method="{method}" cannot be carried across it; choose method="dop853", which is'
CREEPING = (
    "the run creeps: near t = {t} s {name} takes steps of {step} s, at which the end at {end} s would not be reached. {cause}Try a "
    "larger rtol (now {rtol}) or atol, other initial values, or smoother forces{kept}"
)
TOO_SMALL = (
    "the tolerance cannot be met after t = {t} s: {name} would need steps below the rounding of time. {cause}Try a larger rtol (now "
    "{rtol}) or atol, or {other}; a force that jumps needs a smooth transition{event}"
)
TOO_MANY_STEPS = "{steps} steps were made and only t = {t} s of {end} s is reached; try {other}or raise max_steps"
"""Sentences with gaps for names and numbers, which the page that simulates fills as well."""

Clause = Callable[[Mechanism, np.ndarray, float, KeptRows], str]
"""A clause about a nearly singular pose."""
NARROW = 1e-3
"""Distance to a singular pose at which a turn into another branch is worth telling."""
SPENT = 0.2
"""Part that is left of the inertia of some motion at which the bending of elastic bodies is named as a cause."""
NEAR_SINGULAR = 0.05
"""Distance to a singular pose, by the size of the constraints' rows, at which it is named as a cause."""


def failure(status: int, m: Mechanism, program: Program, options: Options, memory: np.ndarray) -> SimulationError:
    """The error for a step that could not be made."""
    stop = _Stop(m, program, options, memory)
    if status == Status.NOT_FINITE:
        return stop.not_finite()
    if status == Status.NO_CONVERGENCE:
        return stop.no_convergence()
    if status == Status.OUT_OF_REACH or (status == Status.SINGULAR_POSE and stop.pushed):
        return stop.out_of_reach()
    if status == Status.SINGULAR_POSE:
        return stop.singular_pose()
    return stop.creeping() if status == Status.CREEPING else stop.tolerance_not_met()


class _Stop:
    """Where a run stopped, and what can be said of it there."""

    def __init__(self, m: Mechanism, program: Program, options: Options, memory: np.ndarray):
        self.m, self.program, self.options, self.memory = m, program, options, memory
        self.t, self.before = float(self.part("t_old")[0]), self.part("y_old")
        self.names = program.unknowns

    def part(self, name: str) -> np.ndarray:
        return self.program.layout.view(self.memory, name)[:, 0]

    @property
    def when(self) -> str:
        return f"{self.t:.9g}"

    @property
    def cause(self) -> str:
        return _cause(self.m, self.before, self.t, self.program)

    @property
    def pushed(self) -> bool:
        return _pushed(self.m, self.before[: self.m.n_q].copy(), self.t, self.program.kept)

    @property
    def pose(self) -> str:
        return _pose(self.m, self.part, self.t, self.program)

    @property
    def worst(self) -> int:
        """The unknown whose error is largest beside what is allowed."""
        with np.errstate(all="ignore"):
            allowed = self.part("atol") + self.options.rtol * np.abs(self.before)
            return int(np.argmax(np.nan_to_num(np.abs(self.part("error") / allowed))))

    def not_finite(self) -> SimulationError:
        k = _first_not_finite(self.part("y"), self.part("dy"), self.before)
        smaller = "a smaller step" if not self.options.method.adaptive else "tighter tolerances"
        last = f"{self.before[k]:.6g}"
        return SimulationError(
            NOT_FINITE.format(t=self.when, name=self.names[k], last=last, cause=self.cause, smaller=smaller)
        )

    def no_convergence(self) -> SimulationError:
        k = self.m.n_q + int(np.argmax(np.abs(self.before[self.m.n_q :])))
        last, step = f"{self.before[k]:.6g}", f"{self.options.step:g}"
        return SimulationError(
            NO_CONVERGENCE.format(step=step, t=self.when, name=self.names[k], last=last, cause=self.cause)
        )

    def out_of_reach(self) -> SimulationError:
        here = _here(self.m, self.part, self.t, self.program, weakest_loops)
        return SimulationError(
            f'mechanism "{self.m.name}" is driven out of reach after t = {self.t:.9g} s{here}. '
            "Time drives it, by prescribed joints or constraints, into a singular pose (links in one line) and beyond. "
            "Prescribe what can be reached, or change the lengths"
        )

    def singular_pose(self) -> SimulationError:
        method, here = self.options.method.name, _here(self.m, self.part, self.t, self.program)
        other = STAYS_SINGULAR if method == "dop853" else CANNOT_CROSS.format(method=method)
        return SimulationError(SINGULAR_POSE.format(mechanism=self.m.name, t=self.when, here=here, other=other))

    def creeping(self) -> SimulationError:
        return SimulationError(
            CREEPING.format(
                t=self.when,
                name=self.names[self.worst],
                step=f"{float(self.part('step')[0]):.1e}",
                end=f"{self.options.end:g}",
                cause=self.pose + _driven(self.program) + self.cause,
                rtol=f"{self.options.rtol:g}",
                kept="; what was computed up to there is in the error's `motion`",
            )
        )

    def tolerance_not_met(self) -> SimulationError:
        cause, other, event = self.cause, 'method="radau", which is made for stiff forces', " or an event"
        if self.program.constrained:
            cause = self.pose + _driven(self.program) + _bent(self.m, self.before[: self.m.n_q])
            other, event = "other initial values", ""
        elif self.options.method.name == "radau":
            other = "smoother forces"
        name, rtol = self.names[self.worst], f"{self.options.rtol:g}"
        return SimulationError(
            TOO_SMALL.format(t=self.when, name=name, cause=cause, rtol=rtol, other=other, event=event)
        )


def no_speeds_serve(m: Mechanism, by: EquationChoice, t: float) -> SimulationError:
    """A singular pose, met in independent speeds."""
    names = ", ".join(by.form.speeds(m))
    return SimulationError(
        f'after t = {t:.9g} s mechanism "{m.name}" comes through a singular pose, in which no choice of independent speeds determines '
        f"the others (the last was {names}): formulation={by.formulation!r} cannot be carried across it. Choose one that keeps all "
        'speeds, such as formulation="kane", which is taken through such poses'
    )


def too_many_steps(options: Options, t: float) -> SimulationError:
    other = "a larger rtol, " if options.method.adaptive else "a larger step, "
    if options.method.adaptive and options.method.name != "radau":
        other = f'method="radau" if forces are stiff, {other}'
    end = f"{options.end:g}"
    return SimulationError(TOO_MANY_STEPS.format(steps=options.max_steps, t=f"{t:.9g}", end=end, other=other))


def _first_not_finite(*states: np.ndarray) -> int:
    for values in states[:2]:
        bad = ~np.isfinite(values)
        if bad.any():
            return int(np.argmax(bad))
    return int(np.argmax(np.abs(states[2])))


def _cause(m: Mechanism, y: np.ndarray, t: float, program: Program) -> str:
    """A joint whose coordinates are at a singularity is the likely cause."""
    if not np.isfinite(y).all():
        return ""
    try:
        q = y[: m.n_q]
        m.state(q, program.equation_choice.speeds(m, t, q, y[m.n_q : m.n_q + program.n_speeds]), t)
    except Exception as problem:
        return f"There, {problem}. "
    return _bent(m, q)


def _bent(m: Mechanism, q: np.ndarray) -> str:
    """An elastic body bent beyond what its modes hold is the likely cause."""
    if not m.elastic or not np.isfinite(q).all():
        return ""
    m, q = m.in_joint_variables, m.joint_coordinates(q)
    name, how = most_bent(m, q)
    if not how.slight:
        return (
            f'There, elastic body "{name}" is {how}, further than its linear modes hold: cut it into several, welded node to node, '
            "make it stiffer, or build it with stiffening=False. "
        )
    if _inertia_left(m, q) > SPENT:
        return ""
    return (
        f"There, the second order of the displacements has taken nearly all inertia of some motion; most bent is elastic body "
        f'"{name}", '
        f'which is {how}. Let its frame follow the chord where it is hinged at both ends (support="pinned"), keep fewer modes, cut it '
        "into several, welded node to node, or build it with stiffening=False. "
    )


def _inertia_left(m: Mechanism, q: np.ndarray) -> float:
    """Least eigenvalue of the mass matrix beside that of the undeformed mechanism, in units of the latter's diagonal."""
    still = np.array(q)
    still[[at for k in range(m.n_bodies) for at in m.modal_places(k)]] = 0.0
    rest, now = (kane.mass_matrix(m.state(x)) for x in (still, q))
    size = np.sqrt(np.diag(rest))
    least = [float(np.linalg.eigvalsh(A / np.outer(size, size))[0]) for A in (rest, now)]
    return least[1] / least[0] if least[0] > 0.0 else 1.0


def _driven(program: Program) -> str:
    """Functions of time may ask for what cannot be."""
    if not program.kept.driven:
        return ""
    return "Time drives it, by prescribed joints or constraints: they may ask for a pose that it cannot reach. "


def _pose(m: Mechanism, part: Any, t: float, program: Program) -> str:
    """A pose near which constraints lose a row is the likely cause."""
    if not program.constrained or "distance" not in program.layout.parts or part("distance")[0] > NEAR_SINGULAR:
        return ""
    return (
        f"The pose is nearly singular (links in one line, or two branches that meet){_here(m, part, t, program)}. A slight change of a "
        "length decides there how the mechanism goes on. "
    )


def _here(m: Mechanism, part: Any, t: float, program: Program, describe: Clause = near_singular) -> str:
    return "" if not program.constrained else _named_pose(m, part("y_old")[: m.n_q].copy(), t, program.kept, describe)


def near_miss(m: Mechanism, program: Program, options: Options, memory: np.ndarray) -> str:
    """What becomes of the pose in memory if branches of motion all but meet there, in words, and nothing where it is no such pose; an
    error where time drives the mechanism on, out of its reach for all one can tell."""
    if "crossing" not in program.layout.parts or not program.constrained:
        return ""
    way, distance, t = (float(program.layout.view(memory, name)[0, 0]) for name in ("crossing", "distance", "t"))
    q = program.layout.view(memory, "y")[: m.n_q, 0].copy()
    if way == Crossing.MET and _pushed(m, q, t, program.kept):
        raise failure(Status.OUT_OF_REACH, m, program, options, memory)
    if way not in (Crossing.MET, Crossing.TURNED) or distance > NARROW:
        return ""
    went = (
        "It was carried straight on, as if they met: rounding could not tell otherwise"
        if way == Crossing.MET
        else "It turned into the other branch, as its lengths demand"
    )
    return (
        f'at t = {t:.6g} s mechanism "{m.name}" passes a nearly singular pose{_named_pose(m, q, t, program.kept)}. {went}. If it is '
        f"meant to go the other way, {'let them miss by more' if way == Crossing.MET else 'make the lengths agree to the last digit'}"
    )


def let_pass(error: float | None) -> str:
    """A further sentence on the error that was accepted above the tolerance, if one was."""
    return f". Next to it an error of {error:.1e} was let pass, by the size of what moves" if error else ""


def _pushed(m: Mechanism, q: np.ndarray, t: float, kept: KeptRows) -> bool:
    return pushed_by_time(m, m.admissible(q), t, kept)


def _named_pose(m: Mechanism, q: np.ndarray, t: float, kept: KeptRows, describe: Clause = near_singular) -> str:
    try:
        return f": {describe(m, m.admissible(q), t, kept)}"
    except (DalembertError, np.linalg.LinAlgError):  # words about a failure must not fail
        return ""
