"""`dalembert view`: a motion as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dalembert.cli.commands.simulate import marched
from dalembert.cli.model import Json, Model, path_of
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say_json
from dalembert.cli.shared_options import Duration, Every, Initial, Parameter, Speed
from dalembert.mechanism.simulation_options import SimulationOptions


def _slider(text: str) -> Any:
    """NAME, or (NAME, MIN, MAX)."""
    name, given, span = text.rpartition("=")
    if not given:
        return text
    low, colon, high = span.partition(":")
    if not colon:
        raise typer.BadParameter(f'"{text}": a range is written NAME=MIN:MAX', param_hint="--slider")
    return name, low, high


def view(
    model: Model,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page; MODEL.html if not given.")] = None,
    duration: Duration = None,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    every: Every = None,
    live: Annotated[
        bool | None,
        typer.Option(
            "--live/--no-live",
            help="Whether the page can simulate, with sliders. By default it can wherever that is possible.",
        ),
    ] = None,
    slider: Annotated[
        list[str] | None,
        typer.Option(
            help="A slider: NAME or NAME=MIN:MAX, of a parameter, A or A' of a joint, gravity, duration. May be repeated."
        ),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
    json: Json = False,
) -> None:
    """Simulate a model and open it in the browser: one file that works offline and can simulate further."""
    from dalembert.view.live.live_model import refusal

    check_endings([output] if output else [], (".html",))
    motion, _ = marched(model, duration, initial, speed, parameter, SimulationOptions(output=every))
    path = Path(path_of(model).stem + ".html") if output is None else output
    why = refusal(motion) if live is None else ""
    if why:
        note(f"the page plays back only: {why}")
    chosen = [_slider(x) for x in slider] if slider and not why and live is not False else None
    motion.page(path, live=live, sliders=chosen)
    note(f"written: {path}")
    if json:
        say_json({"page": str(path.resolve())})
    if open_it:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
