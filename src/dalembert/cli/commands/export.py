"""`dalembert export`: a model for elsewhere, as a C library, an FMU, or a robot's file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.commands.simulate import marched
from dalembert.cli.model import Json, Model, path_of
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Duration, Initial, Parameter, Speed, model_with
from dalembert.cli.simulation_options import with_simulation_options
from dalembert.importers.imported import EFFECTS
from dalembert.mechanism.simulation_options import SimulationOptions


@with_simulation_options
def export(
    model: Model,
    c: Annotated[Path | None, typer.Option("--c", help="Folder for a C library: header, source, test, CMake.")] = None,
    fmu: Annotated[str | None, typer.Option("--fmu", help="An FMU of this version of FMI: 3.0 or 2.0.")] = None,
    urdf: Annotated[Path | None, typer.Option("--urdf", help="A URDF file.")] = None,
    mjcf: Annotated[Path | None, typer.Option("--mjcf", help="An MJCF file, for MuJoCo.")] = None,
    sdf: Annotated[Path | None, typer.Option("--sdf", help="An SDF file, for Gazebo and Drake.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The FMU; MODEL.fmu if not given.")] = None,
    name: Annotated[str | None, typer.Option(help="Its name in C; the model's if not given.")] = None,
    reaction: Annotated[
        list[str] | None, typer.Option(help="A joint whose reaction is among the outputs. May be repeated.")
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(
            help="A platform to compile the FMU for: x86_64-linux, x86_64-windows, x86_64-darwin, …, or all. May be repeated."
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
    """Export a model as a C library, as an FMU (for Simulink, OpenModelica, Dymola or a test rig), or as a robot file."""
    robots = {name: path for name, path in (("urdf", urdf), ("mjcf", mjcf), ("sdf", sdf)) if path is not None}
    if c is None and fmu is None and not robots:
        what = "say what to export: --c FOLDER, --fmu 3.0, --urdf FILE, --mjcf FILE or --sdf FILE"
        raise typer.BadParameter(what, param_hint="--c / --fmu / --urdf / --mjcf / --sdf")
    written: list[Path] = []
    for kind, path in robots.items():
        made = model_with(model, parameter).export_robot(path, kind)
        written += made.files
        for line in made.notes:
            say(f"  {EFFECTS[line.effect]}: {line}")
    if c is None and fmu is None:
        _report(written, json)
        return
    motion, _ = marched(model, duration, initial, speed, parameter, options)
    if c is not None:
        written += motion.export_c(c, name, reactions=reaction)
    if fmu is not None:
        path = Path(path_of(model).stem + ".fmu") if output is None else output
        written.append(motion.export_fmu(path, fmu, name, reactions=reaction, platforms=platform))
    _report(written, json)


def _report(written: list[Path], json: bool) -> None:
    for file in written:
        note(f"written: {file}")
    if json:
        say_json({"written": [str(file) for file in written]})
