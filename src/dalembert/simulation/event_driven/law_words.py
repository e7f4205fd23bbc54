"""What a run with laws has to say: why it cannot go on, and what of its motion is not sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.constraints.nonsmooth.choose import Chosen, Trigger, touching_elements
from dalembert.constraints.nonsmooth.contradiction import contradicting
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.constraints.nonsmooth.unique_loads import loaded_at_will
from dalembert.errors import SimulationError
from dalembert.words import listed

if TYPE_CHECKING:
    from dalembert.simulation.event_driven.law_run import LawRun


def states(run: LawRun) -> str:
    """Every element of a law with its state."""
    title = run.program.table.title
    return ", ".join(f'"{title(i)}" {state.name.lower()}' for i, state in enumerate(run.mode.states))


def too_many_events(run: LawRun) -> SimulationError:
    return SimulationError(
        f"{run.options.max_events} events of laws happened and only t = {run.t:.9g} s of {run.options.end:g} s is reached: "
        f"{states(run)}. What was computed up to there is in the error's `motion`; raise max_events, or look for laws that chatter"
    )


def no_progress(run: LawRun) -> SimulationError:
    return SimulationError(
        f"the run makes no progress at t = {run.t:.9g} s: {states(run)}. The laws ask for one mode after the other at the same "
        "instant; look for laws that contradict each other, or change the initial values a little"
    )


def no_solution(run: LawRun, k: Kinetics, why: Trigger) -> SimulationError:
    title = run.program.table.title
    found = [f'"{title(i)}"' for i in contradicting(k, touching_elements(k, run.mode, why))]
    if found:
        who = f"law {found[0]} contradicts" if len(found) == 1 else f"laws {listed(found)} contradict each other, or"
        return SimulationError(
            f"at t = {run.t:.9g} s no motion obeys all laws: {who} what the joints and prescribed motions ask for ({states(run)}). "
            "They leave no room for what they push, or what time prescribes goes on where a law ends it. Move a law, or end the "
            "prescribed motion"
        )
    return SimulationError(
        f"at t = {run.t:.9g} s no accelerations were found that obey all laws: {states(run)}. With friction that may be so "
        "(Painlevé's paradox): less friction, or other initial values, let it go on"
    )


def jammed(run: LawRun, chosen: Chosen) -> str:
    """What there is to say of a motion that was carried on where no accelerations exist; nothing where they do."""
    if not chosen.jammed:
        return ""
    return (
        f"at t = {run.t:.6g} s no accelerations obey all laws ({states(run)} follows): with so much friction what slides jams "
        "(Painlevé's paradox). It was carried on by an impact without collision"
    )


def shared_loads(run: LawRun, k: Kinetics) -> str:
    """What there is to say of friction whose load is not unique while redundant laws touch; nothing where there is none."""
    if not (run.mode.redundant and k.table.loads):
        return ""
    for i in loaded_at_will(k, run.mode):
        return (
            f'from t = {run.t:.6g} s on, what presses on law "{k.table.title(i)}" is not unique, as more touches or sticks than '
            "is needed, and so neither is its friction nor the motion: one share of the load was taken"
        )
    return ""
