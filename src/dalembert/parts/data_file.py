"""Files beside a model: pictures of shapes, samples, data of elastic bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from dalembert.errors import ModelError
from dalembert.parts.fields import Holds


@dataclass(frozen=True)
class DataFile:
    """A file in a model's folder, or in one below it."""

    name: str
    """As the model says it."""
    folder: Path
    read: Callable[[Path], Any] | None = field(default=None, repr=False, compare=False)
    """What reads it, when it is needed and not before; None: it is read where it is named."""

    @property
    def path(self) -> Path:
        return self.folder / self.name


InFolder = Annotated[DataFile, Holds("file")]


def as_data_file(given: Any, where: str) -> DataFile:
    """A DataFile from one, or from a path: a model written into the file's folder names it by its last part."""
    if isinstance(given, DataFile):
        return given
    try:
        path = Path(given)
    except TypeError as problem:
        raise ModelError(f"{where}: {given!r} is no path of a file") from problem
    return DataFile(path.name, path.parent)
