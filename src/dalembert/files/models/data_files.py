"""Files beside a model file: samples, meshes, data of elastic bodies."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path, PurePosixPath
from typing import Any

from dalembert.errors import ModelError
from dalembert.files.models.kinds import Plain, Schema, Text
from dalembert.files.models.place import Entry
from dalembert.files.models.scope import Scope
from dalembert.limited_read import is_file
from dalembert.parts.data_file import DataFile
from dalembert.parts.shapes import Mesh, MeshFile, Shape
from dalembert.system.system import System
from dalembert.words import short


class FileKind:
    """A file in the model file's folder or below it. No model reaches beyond: what is shared cannot read what is private."""

    def read(self, entry: Entry, scope: Scope) -> DataFile:
        name = entry.text("the name of a file")
        folder = Path(entry.file).parent
        outside = PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name or ":" in name
        if outside or not _leads_inside(folder, name):
            raise entry.error(
                f"{short(name)} is not in the folder of this model file; put the data there and name them from there"
            )
        if not is_file(folder / name):
            raise entry.error(f"there is no file {short(name)} in the folder of this model file")
        return DataFile(name, folder)

    def write(self, value: Any, where: str) -> Plain:
        return str(value.name)

    def schema(self) -> Schema:
        return Text().schema()


def _leads_inside(folder: Path, name: str) -> bool:
    """Also where links lead."""
    try:
        return (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def with_its_data(shape: Shape) -> Shape:
    """A mesh whose file lies outside the model's folder, with its triangles; other shapes as they are."""
    if isinstance(shape, MeshFile) and _leads_out(shape.file):
        return Mesh(shape.vertices, shape.faces, at=shape.at, colour=shape.colour, opacity=shape.opacity)
    return shape


def _leads_out(file: DataFile) -> bool:
    return PurePosixPath(file.name).parts[:1] == ("..",)


def data_files(system: System) -> Iterator[tuple[str, DataFile]]:
    """All files that a model names, and who needs them."""
    for name, body in system.bodies.items():
        source = body.data.source if body.modes else None
        for thing in (source, *body.shapes):
            yield from ((f'body "{name}"', file) for file in _files_of(thing))
    yield from (("the ground", file) for shape in system.ground_shapes for file in _files_of(shape))
    yield from ((f'table "{name}"', table.file) for name, table in system.tables.items() if table.file is not None)


def _files_of(thing: Any) -> list[DataFile]:
    values = [getattr(thing, f.name) for f in fields(thing)] if thing is not None else []
    return [x for x in values if isinstance(x, DataFile) and not _leads_out(x)]


def check_files(system: System, folder: Path) -> None:
    """They must be in the folder the model is written to."""
    for who, file in data_files(system):
        there = folder / file.name
        if not _same(there, file.path):
            raise ModelError(
                f"{who}: its data are in {file.name}, and the folder the model is to be written to does not have that file; "
                "copy it there first"
            )


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other) or filecmp.cmp(one, other, shallow=False)
    except (OSError, ValueError):
        return False
