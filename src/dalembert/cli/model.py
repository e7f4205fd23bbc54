"""The model a command works on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.report import note
from dalembert.errors import ModelFileError
from dalembert.importers import endings
from dalembert.limited_read import is_there

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.system.system import System


MODELS = (".yaml", ".yml", ".json")
"""Endings of model files."""


def _complete(incomplete: str) -> list[str]:
    """Files here or in the folder begun, folders, and the gallery."""
    from dalembert.files.gallery import names

    folder, _, start = incomplete.rpartition("/")
    place = Path(folder or ("/" if incomplete.startswith("/") else "."))
    try:
        found = sorted(p for p in place.iterdir() if p.name.startswith(start) and not p.name.startswith("."))
    except OSError:
        found = []
    before = incomplete[: len(incomplete) - len(start)]
    here = [
        f"{before}{p.name}{'/' * p.is_dir()}" for p in found if p.is_dir() or p.suffix.lower() in (*MODELS, *endings())
    ]
    return [*here, *(n for n in names() if n.startswith(incomplete))]


Model = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="A model file, a robot's file, or a gallery model.", autocompletion=_complete),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def path_of(model: str) -> Path:
    """A file, or the file of a gallery model."""
    from dalembert.files.gallery import find, names
    from dalembert.parts.names import nearest

    path = Path(model)
    if is_there(path) or path.suffix:
        return path
    found = find(model)
    if found is None:
        raise ModelFileError(f"there is neither such a file nor such a gallery model; {nearest(model, names())}", model)
    return found


def described(model: str) -> System:
    """What the file says, to be changed before it is built."""
    from dalembert.files.models import load_system

    path = path_of(model)
    return _robot(path) if path.suffix.lower() in endings() else load_system(path)


def opened(model: str) -> Mechanism:
    """The mechanism, built."""
    from dalembert.files import load

    path = path_of(model)
    return _robot(path).build() if path.suffix.lower() in endings() else load(path)


def _robot(path: Path) -> System:
    """What a robot's file says and a system cannot is counted here, and listed by `dalembert import`."""
    from dalembert.importers import load_robot

    found = load_robot(path)
    if found.notes:
        n = len(found.notes)
        what = "1 thing that is" if n == 1 else f"{n} things that are"
        note(f"{path.name} says {what} not represented here; `dalembert import {path}` lists them")
    return found.system
