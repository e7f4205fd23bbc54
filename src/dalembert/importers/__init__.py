"""Robots from the files of other programs: URDF and MJCF. What has no place in a system is listed, never lost silently.

What reads a format is imported when it is called.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.arguments import file_path, one_name, takes

if TYPE_CHECKING:
    from dalembert.importers.imported import Imported


@takes(path=file_path, base=one_name, folder=file_path)
def load_urdf(
    path: str | Path, *, base: str = "fixed", gravity: Any = (0.0, 0.0, -9.81), folder: str | Path | None = None
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
    from dalembert.importers.mjcf.model import load

    return load(Path(path), folder)


@takes(path=file_path, folder=file_path)
def load_robot(path: str | Path, *, folder: str | Path | None = None) -> Imported:
    """The mechanism in a URDF or MJCF file, distinguished by its first element; `folder` as for these."""
    from dalembert.importers import xml

    root = xml.read(Path(path))
    if root.tag == "robot":
        return load_urdf(path, folder=folder)
    if root.tag == "mujoco":
        return load_mjcf(path, folder=folder)
    raise root.error("this is neither URDF, which begins with <robot>, nor MJCF, which begins with <mujoco>")
