"""Elastic bodies in model files: numbers of modes, and what can be written."""

from __future__ import annotations

from typing import Any

from dalembert.errors import ModelError
from dalembert.files.models.kinds import Named, Plain, Schema, WholeNumber
from dalembert.files.models.place import Entry
from dalembert.files.models.scope import Scope


class ModesKind:
    """A number of modes, or {y: 2, z: 1, torsion: 1, axial: 0}."""

    def read(self, entry: Entry, scope: Scope) -> int | dict[str, int]:
        return (Named(WholeNumber()) if isinstance(entry.value, dict) else WholeNumber()).read(entry, scope)

    def write(self, value: Any, where: str) -> Plain:
        return (WholeNumber() if isinstance(value, int) else Named(WholeNumber())).write(value, where)

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
