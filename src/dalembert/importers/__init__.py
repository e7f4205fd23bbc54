"""Robots from the files of other programs: URDF and MJCF. What has no place in a system is listed, never lost silently.

What reads a format is imported when it is called. To add one: write its folder and add it to `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.arguments import file_path, one_name, takes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.importers.imported import Imported


@takes(path=file_path, base=one_name, folder=file_path)
def load_urdf(
    path: str | Path, *, base: str = "fixed", gravity: ArrayLike = (0.0, 0.0, -9.81), folder: str | Path | None = None
) -> Imported:
    """The robot in a URDF file. Its root link is "fixed" to the ground or "free"; a root link called world is the ground itself.

    Meshes are read from the model's own folder, or from the wider `folder` given.
    """
    from dalembert.importers.urdf.robot import load

    return load(Path(path), base, gravity, folder)


@takes(path=file_path, folder=file_path)
def load_mjcf(path: str | Path, *, folder: str | Path | None = None) -> Imported:
    """The model in an MJCF file.

    Included files and meshes are read from the model's own folder, or from the wider `folder` given.
    """
    from dalembert.importers.mjcf.mjcf_model import load

    return load(Path(path), folder)


@dataclass(frozen=True)
class Format:
    """A format of robots' files: the endings of their names, the first element if they are XML, and `load(path, folder=…)`."""

    endings: tuple[str, ...]
    root: str | None
    load: Callable[..., Imported]


FORMATS = {
    "URDF": Format((".urdf", ".xml"), "robot", load_urdf),
    "MJCF": Format((".mjcf", ".xml"), "mujoco", load_mjcf),
}
"""Formats of other programs by name."""


def endings() -> tuple[str, ...]:
    """Endings of the files that `load_robot` reads."""
    return tuple(dict.fromkeys(ending for one in FORMATS.values() for ending in one.endings))


@takes(path=file_path, folder=file_path)
def load_robot(path: str | Path, *, folder: str | Path | None = None) -> Imported:
    """The mechanism in a file of another program, by its ending and, if it is XML, by its first element; `folder` as for these."""
    ending = Path(path).suffix.lower()
    for one in FORMATS.values():
        if one.root is None and ending in one.endings:
            return one.load(path, folder=folder)
    from dalembert.importers import xml

    root = xml.read(Path(path))
    for one in FORMATS.values():
        if one.root == root.tag:
            return one.load(path, folder=folder)
    known = [f"{name}, which begins with <{one.root}>" for name, one in FORMATS.items() if one.root]
    raise root.error(f"this is neither {', nor '.join(known)}")
