"""`dalembert analyse`: where a mechanism stays, whether it is stable there, and how it swings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.model import Json, Model, numbers_by_name, opened
from dalembert.cli.report import note, say, say_json
from dalembert.cli.simulate import Initial, Parameter, Speed

if TYPE_CHECKING:
    from dalembert.analysis.equilibrium import Equilibrium
    from dalembert.analysis.modes import Modes


def analyse(
    model: Model,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    hold: Annotated[list[str] | None, typer.Option(help="A joint that keeps its coordinates. May be repeated.")] = None,
    find: Annotated[
        list[str] | None, typer.Option(help="A speed to look for, from a guess: A=1. May be repeated.")
    ] = None,
    starts: Annotated[int, typer.Option(help="How many starts to look from; all different equilibria are told.")] = 1,
    mode: Annotated[int | None, typer.Option(help="Show this mode of the first equilibrium as a page.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page of --mode.")] = None,
    json: Json = False,
) -> None:
    """Find equilibria, at rest or with the given speeds constant, their stability and their modes."""
    m = opened(model)
    values = {k: v for k, v in numbers_by_name(parameter, "--parameter").items() if isinstance(v, float)}
    m = m.with_parameters(**values) if values else m
    start = numbers_by_name(initial, "--initial") or dict(m.plan.initial) or None
    speeds, looked_for = numbers_by_name(speed, "--speed"), numbers_by_name(find, "--find")
    found = m.equilibria(start, speeds, find=looked_for, hold=tuple(hold or ()), starts=starts)
    told = [(e, e.linearisation.modes()) for e in found]
    if mode is not None:
        modes = told[0][1]
        if not 0 <= mode < len(modes):
            raise typer.BadParameter(f"there are {len(modes)} modes, counted from 0", param_hint="--mode")
        path = output or Path(f"{m.name.replace(' ', '_')}_mode{mode}.html")
        modes[mode].motion().page(path)
        note(f"written: {path}")
    if json:
        say_json({"model": m.name, "equilibria": [summary(*one) for one in told]})
        return
    for e, modes in told:
        say(str(e))
        say("\n".join(str(modes).splitlines()[1:]))


def summary(e: Equilibrium, modes: Modes) -> dict[str, Any]:
    """What a program would want to know."""
    return {
        "coordinates": e.coordinates,
        "speeds": e.speeds,
        "drives": e.drives,
        "verdict": e.linearisation.verdict,
        "modes": [
            {
                "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
                "frequency": mode.frequency,
                "damping_ratio": mode.damping_ratio,
                "shape": {name: [x.real, x.imag] for name, x in zip(e.mechanism.speeds, mode.shape)},
            }
            for mode in modes
        ],
    }
