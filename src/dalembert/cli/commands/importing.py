"""`dalembert import`: a robot's file as a model file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.model import Json
from dalembert.cli.report import note, say, say_json
from dalembert.limited_read import is_there

if TYPE_CHECKING:
    from dalembert.importers.imported import Imported
    from dalembert.system.system import System


def import_(
    robot: Annotated[Path, typer.Argument(metavar="FILE", help="A URDF, MJCF or SDF file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The model file; FILE.yaml if not given.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder that holds all files of the robot. Default: the folder of FILE.")
    ] = None,
    base: Annotated[
        str | None, typer.Option(help="Base of a URDF robot, or of an SDF model without one: fixed or free.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a file that breaks a rule instead of repairing it.")
    ] = False,
    laws: Annotated[bool, typer.Option(help="Import joint limits, tendon limits and dry friction as laws.")] = True,
    contacts: Annotated[
        str,
        typer.Option(help="Import contacts of simple shapes as laws: none, ground (only with fixed bodies) or all."),
    ] = "none",
    check: Annotated[
        str | None,
        typer.Option(help="Compare accelerations with this program, if installed: mujoco, pinocchio or drake."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Print all notes instead of the most important ones.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    json: Json = False,
) -> None:
    """Turn a URDF, MJCF or SDF file into a model file, and list what could not be represented."""
    from dalembert.errors import ModelFileError
    from dalembert.importers import load_robot

    path = Path(robot.stem + ".yaml") if output is None else output
    if is_there(path) and not force:
        raise ModelFileError("it is there already; choose another name, or write over it with --force", str(path))
    found = load_robot(robot, base=base, folder=folder, strict=strict, laws=laws, contacts=contacts)
    system = found.system
    m = found.build()
    for file in _brought(system, path.parent):
        note(f"written: {file}")
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
    for line in found.lines(len(found.notes)) if every else found.lines():
        say(f"  {line}")
    if check is not None:
        _check(robot, found, check)
    note(f"written: {path}")


def _check(robot: Path, found: Imported, peer: str) -> None:
    """The largest difference of accelerations for each joint, beside another program."""
    from dalembert.errors import ModelError
    from dalembert.importers.peers import PEERS, beside
    from dalembert.importers.peers.peer_comparison import KINDS
    from dalembert.parts.names import nearest

    if peer not in PEERS:
        raise ModelError(f"--check {peer} is not known; {nearest(peer, PEERS, 'choose one of')}")
    plain, as_read = beside(peer, robot, found, 2 * len(KINDS))
    if plain is None:
        say(f"{peer} has other joints in the file as it stands")
    else:
        verdict = "agree" if plain.agrees else "DIFFER"
        say(
            f"accelerations and {peer}'s {verdict}: largest difference {plain.largest:.1e} in {plain.states} random states"
        )
        for name, of in sorted(plain.joints.items(), key=lambda one: -max(one[1].values())):
            say(f"  {name}: " + ", ".join(f"{kind} {x:.1e}" for kind, x in of.items()))
    if as_read is not None:
        whole = "are all that differs" if as_read.agrees else "are NOT all that differs"
        say(f"notes {whole}: with the file as it was read the largest difference is {as_read.largest:.1e}")


def _brought(system: System, folder: Path) -> list[Path]:
    """Meshes go with the model into its folder; what is there already and differs is not written over."""
    from dalembert.atomic import make_folder, write_whole
    from dalembert.errors import ModelFileError
    from dalembert.files.models.data_files import data_files

    brought = []
    for name, file in dict((file.name, file) for _, file in data_files(system)).items():
        there, content = folder / name, _content(file.path)
        if is_there(there) and _content(there) != content:
            raise ModelFileError(
                "it is there already, and is not the mesh that the robot needs; choose another folder", str(there)
            )
        if not is_there(there):
            make_folder(there.parent, "mesh")
            write_whole(there, content, "mesh")
            brought.append(there)
    return brought


def _content(path: Path) -> bytes:
    from dalembert.errors import ModelFileError
    from dalembert.limited_read import Unreadable, read_whole
    from dalembert.parts.meshes import LARGEST

    try:
        return read_whole(path, LARGEST)
    except Unreadable as problem:
        raise ModelFileError(str(problem), str(path)) from problem
