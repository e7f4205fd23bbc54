"""The one folder an import may read from: nothing above it, nothing absolute, nothing from a network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dalembert.errors import ModelError
from dalembert.words import short


@dataclass(frozen=True)
class Folder:
    root: Path

    @classmethod
    def of(cls, model: Path, given: str | Path | None) -> Folder:
        """The folder the user allows, or the model's own."""
        try:
            return cls((model.parent if given is None else Path(given)).resolve())
        except (OSError, ValueError, RuntimeError) as problem:
            raise ModelError(f"folder={short(str(given))} is no name of a folder ({problem})") from problem

    def inside(self, name: str, start: Path) -> Path:
        """The file called `name` seen from `start`, if it lies in the folder."""
        said = name.replace("\\", "/")
        if "://" in said or PurePosixPath(said).is_absolute() or said[1:2] == ":":
            raise ModelError(
                f"{short(name)} is not a place relative to the model; only files in its own folder are read"
            )
        try:
            found = (start / said).resolve()
            allowed, there = found.is_relative_to(self.root), found.is_file()
        except (OSError, ValueError, RuntimeError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise ModelError(f"{short(name)} is no name of a file ({reason})") from problem
        if not allowed:
            raise ModelError(
                f"{short(name)} lies outside the model's folder and is not read; give folder= to allow more"
            )
        if not there:
            raise ModelError(f"there is no file {short(name)}")
        return found

    def of_package(self, name: str, start: Path) -> Path:
        """A place relative to `start`, or "package://name/place" or "model://name/place" with the folder of that name on the way to
        `start`, or beside those."""
        package, _, place = name.removeprefix("package://").removeprefix("model://").partition("/")
        if "://" not in name or name.startswith("file://"):
            return self.inside(name.removeprefix("file://"), start)
        if not name.startswith(("package://", "model://")):
            raise ModelError(f"{short(name)} is not read: nothing is fetched from a network")
        if not place:
            raise ModelError(f"{short(name)} names no file")
        above = [x for x in (start, *start.parents) if x.is_relative_to(self.root)]
        for folder in above:
            if folder.name == package:
                return self.inside(place, folder)
        for folder in above:
            if (folder / package).is_dir():
                return self.inside(f"{package}/{place}", folder)
        return self.inside(f"{package}/{place}", self.root)
