"""The model a command works on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.errors import ModelFileError

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism


def _complete(start: str) -> list[str]:
    from dalembert.files.gallery import names

    here = [str(p) for p in Path().glob(f"{start}*.y*ml")]
    return [*here, *(n for n in names() if n.startswith(start))]


Model = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="A model file, a robot's file, or a gallery model.", autocompletion=_complete),
]
Json = Annotated[bool, typer.Option("--json", help="Say it as JSON.")]


def path_of(model: str) -> Path:
    """A file, or the file of a gallery model."""
    from dalembert.files.gallery import find, names
    from dalembert.system.names import nearest

    path = Path(model)
    if path.exists() or path.suffix:
        return path
    found = find(model)
    if found is None:
        raise ModelFileError(f"there is neither such a file nor such a gallery model; {nearest(model, names())}", model)
    return found


def opened(model: str) -> Mechanism:
    """The mechanism, built."""
    from dalembert.files import load

    return load(path_of(model))


def numbers_by_name(given: list[str] | None, option: str) -> dict[str, list[float] | float]:
    """`A=0.3`, `foot=0,150,-4.6` as {name: value or values}."""
    found: dict[str, list[float] | float] = {}
    for one in given or []:
        name, equals, text = one.partition("=")
        try:
            values = [float(x) for x in text.split(",")]
        except ValueError:
            values = []
        if not equals or not values:
            raise typer.BadParameter(f"{one!r} is not name=number or name=number,number,…", param_hint=option)
        found[name.strip()] = values[0] if len(values) == 1 else values
    return found
