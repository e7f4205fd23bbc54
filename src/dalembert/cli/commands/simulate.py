"""`dalembert simulate`: march a model in time and keep the motion."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.report import note, rounded, say, say_json
from dalembert.cli.shared_options import Duration, Initial, Parameter, Speed, model_with
from dalembert.cli.simulation_options import with_simulation_options
from dalembert.cli.values import numbers_by_name
from dalembert.errors import SimulationError
from dalembert.files.motion_formats import FORMATS
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.words import counted

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.motion.motion import Motion


@with_simulation_options
def simulate(
    model: Model,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help=f"Keep the motion, by the ending: {', '.join(FORMATS)}. May be repeated."),
    ] = None,
    duration: Duration = None,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    json: Json = False,
    *,
    options: SimulationOptions,
) -> None:
    """Simulate a model. Options replace its own duration, initial values and parameters."""
    from dalembert.cli.output_files import check_endings

    check_endings(output or [], tuple(FORMATS))
    motion, seconds = marched(model, duration, initial, speed, parameter, options)
    for path in output or []:
        motion.save(path)
        note(f"written: {path}")
    if json:
        say_json(summary(motion) | {"wall": seconds, "written": [str(p) for p in output or []]})
    else:
        tell(motion, seconds)


def marched(
    model: str, duration: float | None, initial: list[str] | None, speed: list[str] | None, parameter: list[str] | None,
    options: SimulationOptions,
) -> tuple[Motion, float]:  # fmt: skip
    """The motion and the seconds it took."""
    m = model_with(model, parameter)
    start, speeds = numbers_by_name(initial, "--initial"), numbers_by_name(speed, "--speed")
    began = time.perf_counter()
    motion = m.simulate(how_long(m, duration), start or None, speeds or None, options=options)
    return motion, time.perf_counter() - began


def how_long(m: Mechanism, duration: float | None) -> float | None:
    """The command's duration; None for the model's own, which must then be there."""
    if duration is None and m.plan.duration is None:
        raise SimulationError(
            "the model does not say how long to simulate; give --duration 10, or simulation: {duration: 10} in the model file"
        )
    return duration


def summary(motion: Motion) -> dict[str, Any]:
    """What a program would want to know."""
    energy = motion.energy()
    return {
        "model": motion.record["model"],
        "ended": motion.record["ended"],
        "start": motion.t[0],
        "end": motion.t[-1],
        "samples": len(motion),
        "steps": motion.record["steps"],
        "method": motion.record["options"]["method"],
        "coordinates": {c: {"start": motion.q[0, i], "end": motion.q[-1, i]} for i, c in enumerate(motion.coordinates)},
        "speeds": {c: {"start": motion.u[0, i], "end": motion.u[-1, i]} for i, c in enumerate(motion.speeds)},
        "energy": {"start": energy.total[0], "end": energy.total[-1], "largest_kinetic": energy.kinetic.max()},
        "events": [{"name": e.name, "t": e.t} for e in motion.events],
        **({} if motion.history is None else {"laws": laws_summary(motion)}),
    }


def laws_summary(motion: Motion) -> dict[str, Any]:
    """What laws did, by law: impacts, the largest force, the energy taken, and how it ended; and all changes of mode."""
    found: dict[str, Any] = {}
    for name, law in motion.contacts.items():
        hits = [x for x in motion.impacts if x.law == name]
        every = np.hstack([law.normal, law.friction, law.hold])
        found[name] = {
            "impacts": len(hits),
            "first_impact": hits[0].t if hits else None,
            "largest_force": float(np.abs(every).max(initial=0.0)),
            "lost": float(law.loss[-1]) if len(law.loss) else 0.0,
            "ended": list(law.state[-1]) if len(law.state) else [],
        }
    modes = [{"t": x.t, **x.states} for x in motion.modes]
    return {"by_law": found, "modes": modes, "lost": float(motion.energy().lost[-1]) if len(motion) else 0.0}


MOST = 12
"""Coordinates shown."""


def tell(motion: Motion, seconds: float) -> None:
    """What a person would want to know."""
    energy = motion.energy()
    span = motion.t[-1] - motion.t[0]
    say(f"{motion.record['model']}: {span:g} s in {seconds:.3g} s, {motion.record['steps']} steps of "
        f"{motion.record['options']['method']}, {len(motion)} samples")  # fmt: skip
    say(
        f"energy {energy.total[0]:.6g} J → {energy.total[-1]:.6g} J (largest kinetic energy {energy.kinetic.max():.6g} J)"
    )
    for i, name in enumerate(motion.coordinates[:MOST]):
        unit = motion.coordinate_units[i]
        say(
            f"  {name:<16} {rounded(motion.q[0, i]):>12} → {rounded(motion.q[-1, i]):>12} {'' if unit == '1' else unit}"
        )
    if len(motion.coordinates) > MOST:
        say(f"  … and {len(motion.coordinates) - MOST} more coordinates")
    for e in motion.events[:MOST]:
        say(f"  {e.name} at {e.t:.9g} s")
    if len(motion.events) > MOST:
        say(f"  … and {len(motion.events) - MOST} more events")
    if motion.history is not None:
        _tell_laws(motion)
    if not motion.complete:
        note(f"the simulation was interrupted at {motion.t[-1]:g} s")


def _tell_laws(motion: Motion) -> None:
    """Laws in words: what hit, how often the mode changed, what was lost, and what sticks or touches at the end."""
    summary = laws_summary(motion)
    changes = max(0, len(motion.modes) - 1)
    instants = len({x.t for x in motion.impacts})
    say(f"laws: {counted(instants, 'impact')}, {counted(changes, 'change')} of mode, {summary['lost']:.6g} J lost")
    for name, law in summary["by_law"].items():
        hits = (
            f", {counted(law['impacts'], 'impact')}, the first at {law['first_impact']:.9g} s" if law["impacts"] else ""
        )
        lost = f", {law['lost']:.6g} J lost" if law["lost"] else ""
        say(f"  {name:<16} {', '.join(law['ended'])} at the end{hits}{lost}")
