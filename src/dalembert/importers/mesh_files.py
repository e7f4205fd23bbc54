"""The meshes of one robot: each file is read once, however often it is named, and all together are bounded."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.parts import meshes
from dalembert.parts.data_file import DataFile
from dalembert.parts.meshes import Triangles

MOST_TRIANGLES = 10_000_000
"""Triangles of all meshes of a robot, counted as often as they are named."""


@dataclass(eq=False)
class MeshFiles:
    """Those read so far, or why they could not be, by their resolved places."""

    found: dict[Path, Triangles | ModelError] = field(default_factory=dict)
    triangles: int = 0

    def named(self, file: Path, here: Path) -> DataFile:
        """A file that is read when it is needed, as a model in the folder `here` names it."""
        meshes.check_ending(file)
        return DataFile(Path(os.path.relpath(file, here)).as_posix(), here, self.load)

    def load(self, file: Path) -> Triangles:
        self.count(0, file.name)
        file = file.resolve()
        if file not in self.found:
            try:
                self.found[file] = meshes.load(file)
            except ModelError as problem:
                self.found[file] = problem
        made = self.found[file]
        if isinstance(made, ModelError):
            raise ModelError(str(made)) from made
        self.count(len(made.faces), file.name)
        return made

    def count(self, triangles: int, name: str) -> None:
        """Refuse what goes beyond the bound, and everything after it."""
        self.triangles += triangles
        if self.triangles > MOST_TRIANGLES:
            raise ModelError(
                f"{name}: the meshes of the robot have more than {MOST_TRIANGLES} triangles together; simplify them, or leave some out"
            )
