"""`dalembert export`: a model for elsewhere, as a C library or an FMU."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.commands.simulate import marched
from dalembert.cli.model import Json, Model, path_of
from dalembert.cli.report import note, say_json
from dalembert.cli.shared_options import Duration, Initial, Parameter, Speed
from dalembert.cli.simulation_options import with_simulation_options
from dalembert.mechanism.simulation_options import SimulationOptions


@with_simulation_options
def export(
    model: Model,
    c: Annotated[Path | None, typer.Option("--c", help="Folder for a C library: header, source, test, CMake.")] = None,
    fmu: Annotated[str | None, typer.Option("--fmu", help="An FMU of this version of FMI: 3.0 or 2.0.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The FMU; MODEL.fmu if not given.")] = None,
    name: Annotated[str | None, typer.Option(help="Its name in C; the model's if not given.")] = None,
    reaction: Annotated[
        list[str] | None, typer.Option(help="A joint whose reaction is among the outputs. May be repeated.")
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(
            help="A machine the FMU is compiled for: x86_64-linux, x86_64-windows, x86_64-darwin, …, or all. May be repeated."
        ),
    ] = None,
    duration: Duration = None,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    json: Json = False,
    *,
    options: SimulationOptions,
) -> None:
    """Take a model along: as a C library, or as an FMU for Simulink, OpenModelica, Dymola or a test rig."""
    if c is None and fmu is None:
        raise typer.BadParameter("say what to export: --c FOLDER or --fmu 3.0", param_hint="--c / --fmu")
    motion, _ = marched(model, duration, initial, speed, parameter, options)
    written: list[Path] = []
    if c is not None:
        written += motion.export_c(c, name, reactions=reaction)
    if fmu is not None:
        path = Path(path_of(model).stem + ".fmu") if output is None else output
        written.append(motion.export_fmu(path, fmu, name, reactions=reaction, platforms=platform))
    for file in written:
        note(f"written: {file}")
    if json:
        say_json({"written": [str(file) for file in written]})
