"""`dalembert view`: a motion as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.commands.simulate import marched
from dalembert.cli.model import Json, Model, path_of
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say_json
from dalembert.cli.shared_options import Duration, Every, Initial, Parameter, Speed
from dalembert.mechanism.simulation_options import SimulationOptions


def view(
    model: Model,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page; MODEL.html if not given.")] = None,
    duration: Duration = None,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    every: Every = None,
    open_it: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
    json: Json = False,
) -> None:
    """Simulate a model and show it in the browser: one file that works offline."""
    check_endings([output] if output else [], (".html",))
    motion, _ = marched(model, duration, initial, speed, parameter, SimulationOptions(output=every))
    path = Path(path_of(model).stem + ".html") if output is None else output
    motion.page(path)
    note(f"written: {path}")
    if json:
        say_json({"page": str(path.resolve())})
    if open_it:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
