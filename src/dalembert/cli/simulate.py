"""`dalembert simulate`: march a model in time and keep the motion."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.model import Json, Model, numbers_by_name, opened
from dalembert.cli.report import note, rounded, say, say_json

if TYPE_CHECKING:
    from dalembert.simulation.motion import Motion

Duration = Annotated[float | None, typer.Option("--duration", "-d", help="Seconds; the model's own if not given.")]
Initial = Annotated[
    list[str] | None, typer.Option("--initial", "-i", help="Coordinates at the start: A=0.3. May be repeated.")
]
Speed = Annotated[list[str] | None, typer.Option("--speed", "-u", help="Speeds at the start: A=1. May be repeated.")]
Parameter = Annotated[list[str] | None, typer.Option("--parameter", "-p", help="Another value: m=2. May be repeated.")]
Every = Annotated[float | None, typer.Option(help="Seconds between outputs.")]


def simulate(
    model: Model,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Keep the motion: .nc (NetCDF), .csv, or .html (a page). May be repeated."),
    ] = None,
    duration: Duration = None,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    every: Every = None,
    method: Annotated[str | None, typer.Option(help="dop853, radau, rk4 or midpoint.")] = None,
    step: Annotated[float | None, typer.Option(help="Fixed step in seconds, for rk4 and midpoint.")] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.")] = None,
    formulation: Annotated[
        str, typer.Option(help="How the equations are written: kane, lagrange, newton_euler, …")
    ] = "kane",
    constraints: Annotated[
        str, typer.Option(help="How loops are solved with: range_space, svd, partition, …")
    ] = "range_space",
    json: Json = False,
) -> None:
    """Simulate a model: its own duration and initial values, or those given."""
    from dalembert.cli.keep import check_endings, keep

    check_endings(output or [])
    motion, seconds = marched(
        model, duration, initial, speed, parameter, every, method=method, step=step, rtol=rtol, formulation=formulation,
        constraints=constraints,
    )  # fmt: skip
    for path in output or []:
        keep(motion, path)
        note(f"written: {path}")
    if json:
        say_json(summary(motion) | {"wall": seconds, "written": [str(p) for p in output or []]})
    else:
        tell(motion, seconds)


def marched(
    model: str, duration: float | None, initial: list[str] | None, speed: list[str] | None, parameter: list[str] | None,
    every: float | None, **options: Any,
) -> tuple[Motion, float]:  # fmt: skip
    """The motion and the seconds it took."""
    m = opened(model)
    values = {k: v for k, v in numbers_by_name(parameter, "--parameter").items() if isinstance(v, float)}
    start, speeds = numbers_by_name(initial, "--initial"), numbers_by_name(speed, "--speed")
    began = time.perf_counter()
    motion = m.simulate(duration, start or None, speeds or None, output=every, parameters=values or None, **options)
    return motion, time.perf_counter() - began


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
    }


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
    if not motion.complete:
        note(f"the simulation was interrupted at {motion.t[-1]:g} s")
