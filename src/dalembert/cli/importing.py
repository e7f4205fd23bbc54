"""`dalembert import`: a robot's file as a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.model import Json
from dalembert.cli.report import note, say, say_json


def import_(
    robot: Annotated[Path, typer.Argument(metavar="FILE", help="A URDF or MJCF file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The model file; FILE.yaml if not given.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    json: Json = False,
) -> None:
    """Turn a URDF or MJCF file into a model file, and list what could not be represented."""
    from dalembert.errors import ModelFileError
    from dalembert.importers import load_robot

    path = Path(robot.stem + ".yaml") if output is None else output
    if path.exists() and not force:
        raise ModelFileError("it is there already; choose another name, or write over it with --force", str(path))
    found = load_robot(robot)
    system = found.system
    m = found.build()
    system.save(path)
    if json:
        say_json(
            {
                "model": m.name,
                "bodies": m.n_bodies,
                "speeds": m.n_u,
                "loops": len(m.cuts),
                "notes": found.notes,
                "written": str(path),
            }
        )
        return
    say(f"{m.name}: {m.n_bodies} bodies, {m.n_u} speeds, {len(m.cuts)} loops")
    for sentence in found.notes:
        say(f"  not represented: {sentence}")
    note(f"written: {path}")
