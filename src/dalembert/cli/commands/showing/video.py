"""`dalembert video`: a motion as a film."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.commands.simulate import marched
from dalembert.cli.model import Json, Model, path_of
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say_json
from dalembert.cli.shared_options import Duration, Initial, Parameter, Speed
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.view.video import ENDINGS


def video(
    model: Model,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The film, .webm or .mp4; MODEL.webm if not given.")
    ] = None,
    duration: Duration = None,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    rate: Annotated[float, typer.Option(help="Pictures per second.")] = 30.0,
    pace: Annotated[float, typer.Option(help="Seconds of the motion in a second of the film.")] = 1.0,
    width: Annotated[int, typer.Option(help="Dots from left to right.")] = 1280,
    height: Annotated[int, typer.Option(help="Dots from top to bottom.")] = 720,
    json: Json = False,
) -> None:
    """Simulate a model and film it with the page's renderer, in Chromium without a window (pip install dalembert[video])."""
    check_endings([output] if output else [], ENDINGS)
    motion, _ = marched(model, duration, initial, speed, parameter, SimulationOptions(output=pace / rate))
    path = Path(path_of(model).stem + ".webm") if output is None else output
    motion.video(path, rate=rate, speed=pace, width=width, height=height)
    note(f"written: {path}")
    if json:
        say_json({"video": str(path.resolve())})
