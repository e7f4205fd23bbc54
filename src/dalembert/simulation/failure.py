"""Why a run stopped, in words: when, which coordinate, and what to try."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.kinematics.bending import most_bent
from dalembert.mechanism import Mechanism
from dalembert.simulation.balance import Balance
from dalembert.simulation.method import NO_CONVERGENCE, NOT_FINITE, SINGULAR_POSE
from dalembert.simulation.options import Options
from dalembert.simulation.program import Program

NEAR_SINGULAR = 0.05
"""Distance to a singular pose, by the size of the constraints' rows, at which it is named as a cause."""


def failure(status: int, m: Mechanism, program: Program, options: Options, memory: np.ndarray) -> SimulationError:
    """The error for a step that could not be made."""

    def part(name: str) -> np.ndarray:
        return program.layout.view(memory, name)[:, 0]

    t, names = float(part("t_old")[0]), program.unknowns
    before = part("y_old")
    trouble = _trouble(m, before, t, program)
    if status == NOT_FINITE:
        k = _first_not_finite(part("y"), part("dy"), before)
        smaller = "a smaller step" if not options.method.adaptive else "tighter tolerances"
        return SimulationError(
            f"the motion is not finite after t = {t:.9g} s: {names[k]} (last {before[k]:.6g}) diverges. {trouble}"
            f"Try {smaller}, and look for forces that grow without bound, divide by zero, or come from a table that ends"
        )
    if status == NO_CONVERGENCE:
        k = m.n_q + int(np.argmax(np.abs(before[m.n_q :])))
        return SimulationError(
            f"the implicit step of {options.step:g} s after t = {t:.9g} s does not converge: fastest is {names[k]} "
            f'(last {before[k]:.6g}). {trouble}Try a smaller step, or method="radau" if stiff forces make it necessary'
        )
    if status == SINGULAR_POSE:
        return SimulationError(
            f'mechanism "{m.name}" comes upon a singular pose after t = {t:.9g} s: there its constraints do not determine which way it '
            f'goes on (links in one line, or two branches that meet). method="{options.method.name}" cannot be carried across it; '
            'choose method="dop853", which is'
        )
    k = int(np.nanargmax(np.abs(part("error") / (part("atol") + options.rtol * np.abs(before)))))
    if program.holding is not None:
        return SimulationError(
            f"the tolerance cannot be met after t = {t:.9g} s: {names[k]} would need steps below the rounding of time. {_pose(part)}"
            f"{_driven(program)}{_bent(m, before[: m.n_q])}"
            f"Try a larger rtol (now {options.rtol:g}) or atol, or other initial values; a force that jumps needs a smooth transition"
        )
    other = 'method="radau", which is made for stiff forces' if options.method.name != "radau" else "smoother forces"
    return SimulationError(
        f"the tolerance cannot be met after t = {t:.9g} s: {names[k]} would need steps below the rounding of time. {trouble}"
        f"Try a larger rtol (now {options.rtol:g}) or atol, or {other}; a force that jumps needs a smooth transition or an event"
    )


def no_speeds_serve(m: Mechanism, by: Balance, t: float) -> SimulationError:
    """A singular pose, met in independent speeds."""
    names = ", ".join(by.form.speeds(m))
    return SimulationError(
        f'after t = {t:.9g} s mechanism "{m.name}" comes through a singular pose, in which no choice of independent speeds determines '
        f"the others (the last was {names}): formulation={by.formulation!r} cannot be carried across it. Choose one that keeps all "
        'speeds, such as formulation="kane", which is taken through such poses'
    )


def too_many_steps(options: Options, t: float) -> SimulationError:
    other = 'method="radau" if forces are stiff, a larger rtol, ' if options.method.adaptive else "a larger step, "
    return SimulationError(
        f"{options.max_steps} steps were made and only t = {t:.9g} s of {options.end:g} s is reached; try {other}or raise max_steps"
    )


def _first_not_finite(*states: np.ndarray) -> int:
    for values in states[:2]:
        bad = ~np.isfinite(values)
        if bad.any():
            return int(np.argmax(bad))
    return int(np.argmax(np.abs(states[2])))


def _trouble(m: Mechanism, y: np.ndarray, t: float, program: Program) -> str:
    """A joint whose coordinates are at a singularity is the likely cause."""
    if not np.isfinite(y).all():
        return ""
    try:
        q = y[: m.n_q]
        m.state(q, program.balance.speeds(m, t, q, y[m.n_q : m.n_q + program.n_speeds]), t)
    except Exception as problem:
        return f"There, {problem}. "
    return _bent(m, q)


def _bent(m: Mechanism, q: np.ndarray) -> str:
    """An elastic body bent beyond what its modes hold is the likely cause."""
    if not m.elastic or not np.isfinite(q).all():
        return ""
    name, how = most_bent(m, q)
    if how.slight:
        return ""
    return (
        f'There, elastic body "{name}" is {how}, further than its linear modes hold: cut it into several, welded node to node, make it '
        "stiffer, or build it with stiffening=False. "
    )


def _driven(program: Program) -> str:
    """Functions of time may ask for what cannot be."""
    if program.holding is None or not program.holding.driven:
        return ""
    return "Time drives it, by prescribed joints or constraints: they may ask for a pose that it cannot reach. "


def _pose(part: Any) -> str:
    """A pose near which constraints lose a row is the likely cause."""
    try:
        near = float(part("distance")[0]) < NEAR_SINGULAR
    except KeyError:
        return ""
    return (
        "The pose is nearly singular (links in one line, or two branches that meet), and was come upon too slowly. "
        if near
        else ""
    )
