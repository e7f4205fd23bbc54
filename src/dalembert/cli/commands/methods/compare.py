"""`dalembert compare`: the same motion by every formulation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.report import say, say_json
from dalembert.cli.shared_options import Initial, Parameter, model_with, started


def compare(
    model: Model,
    formulation: Annotated[
        list[str] | None, typer.Option("--formulation", "-f", help="Only this one. May be repeated.")
    ] = None,
    constraints: Annotated[
        list[str] | None, typer.Option("--constraints", "-c", help="Only this method. May be repeated.")
    ] = None,
    initial: Initial = None,
    parameter: Parameter = None,
    states: Annotated[int, typer.Option(help="Number of states to compare at.")] = 5,
    seconds: Annotated[float, typer.Option(help="Time limit, s: no further pair is started after it.")] = 300.0,
    duration: Annotated[
        float | None,
        typer.Option(
            "--duration",
            "-d",
            help="Also compare whole motions of this many seconds: steps and time needed for the accuracy.",
        ),
    ] = None,
    accuracy: Annotated[
        float, typer.Option(help="Required accuracy of the coordinates, in rad and in units of the mechanism's length.")
    ] = 1e-6,
    json: Json = False,
) -> None:
    """Compute accelerations by every formulation with every constraint method; compare answers and cost."""
    from dalembert.analysis.comparison.comparison import columns

    m = model_with(model, parameter)
    q, _ = m.assemble(started(m, initial))
    found = m.compare(
        formulation or None,
        constraints or None,
        states=states,
        start=q,
        seconds=seconds,
        duration=duration,
        accuracy=accuracy,
    )
    if json:
        rows = [{name: entry.row()[name] for name in columns(found.entries)} for entry in found.entries]
        data = {
            "model": m.name,
            "states": found.states,
            "entries": rows,
            "refusals": [asdict(x) for x in found.refusals],
            "approximate": [asdict(x) for x in found.approximations],
        }
        say_json(data if duration is None else data | {"duration": duration, "accuracy": accuracy})
    else:
        say(str(found))
