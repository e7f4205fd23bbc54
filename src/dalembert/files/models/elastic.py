"""Elastic bodies in model files: names of data files, numbers of modes, and what can be written."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path, PurePosixPath
from typing import Any

from dalembert.elastic.sources import DataFile
from dalembert.errors import ModelError
from dalembert.files.models.kinds import Named, Schema, Text, WholeNumber
from dalembert.files.models.place import Entry
from dalembert.files.models.scope import Scope
from dalembert.system.system import System


class FileKind(Text):
    """A file in the model file's folder or below it. No model reaches beyond: what is shared cannot read what is private."""

    def read(self, entry: Entry, scope: Scope) -> Any:
        name = entry.text("the name of a file")
        folder = Path(entry.file).parent
        outside = PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name or ":" in name
        if outside or "\0" in name or not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise entry.error(
                f"{name!r} is not in the folder of this model file; put the data there and name them from there"
            )
        if not (folder / name).is_file():
            raise entry.error(f"there is no file {name!r} in the folder of this model file")
        return DataFile(name, folder)

    def write(self, value: Any, where: str) -> Any:
        return value.name


class Modes(WholeNumber):
    """A number of modes, or {y: 2, z: 1, torsion: 1, axial: 0}."""

    def read(self, entry: Entry, scope: Scope) -> Any:
        return Named(WholeNumber()).read(entry, scope) if isinstance(entry.value, dict) else super().read(entry, scope)

    def write(self, value: Any, where: str) -> Any:
        return super().write(value, where) if isinstance(value, int) else Named(WholeNumber()).write(value, where)

    def schema(self) -> Schema:
        kinds = {kind: {"type": "integer", "minimum": 0} for kind in ("y", "z", "torsion", "axial")}
        one = {"type": "object", "properties": kinds, "additionalProperties": False}
        return {"anyOf": [{"type": "integer", "minimum": 0}, one]}


def said(body: Any, where: str) -> Any:
    """What an elastic body was made from."""
    if body.data.source is None:
        raise ModelError(
            f"{where}: its data were made in Python, which a model file cannot say; write them with da.elastic.write_sid(body, path) "
            "and use da.elastic.read_sid(path) in the model, or describe a beam by numbers"
        )
    return body.data.source


def check_files(system: System, folder: Path) -> None:
    """Data files that the model names must be in the folder it is written to."""
    for name, body in system.bodies.items():
        source = body.data.source if body.modes else None
        held = [getattr(source, f.name) for f in fields(source)] if source is not None else []
        for file in (x for x in held if isinstance(x, DataFile)):
            there = folder / file.name
            if not there.is_file() or there.read_bytes() != file.path.read_bytes():
                raise ModelError(
                    f'body "{name}": its data are in {file.name}, and the folder the model is to be written to does not have that '
                    "file; copy it there first"
                )
