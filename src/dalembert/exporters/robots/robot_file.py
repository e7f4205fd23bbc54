"""Writing a mechanism as another program's robot file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalembert.aliases import FilePath
from dalembert.arguments import file_path
from dalembert.atomic import write_whole
from dalembert.errors import ModelError
from dalembert.exporters.robots.mjcf_writer import MjcfWriter
from dalembert.exporters.robots.robot_meshes import RobotMeshes
from dalembert.exporters.robots.robot_tree import robot_tree
from dalembert.exporters.robots.sdf_writer import SdfWriter
from dalembert.exporters.robots.urdf_writer import UrdfWriter
from dalembert.exporters.robots.xml_text import document
from dalembert.importers.imported import EFFECTS, Note
from dalembert.mechanism import Mechanism

WRITERS: dict[str, Callable[..., Any]] = {"urdf": UrdfWriter, "mjcf": MjcfWriter, "sdf": SdfWriter}
"""What writes a format, by its name."""
ENDINGS = {".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".sdf": "sdf"}


@dataclass(frozen=True, eq=False)
class ExportedRobot:
    """Files that were written, the robot's first, and what the format could not say."""

    files: tuple[Path, ...]
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        return f"<ExportedRobot {self.files[0].name!r}: {len(self.files)} files; {len(self.notes)} notes>"


def export_robot(m: Mechanism, path: FilePath, format: str | None = None) -> ExportedRobot:
    """Write a mechanism as URDF, MJCF or SDF, by the ending of the file's name (.urdf, .xml or .mjcf, .sdf) or as `format` says.

    Meshes are written into a folder beside it. `.notes` tells what the format cannot say, what changes the motion first.
    """
    to = file_path(path, "export_robot")
    wanted = format or ENDINGS.get(to.suffix.lower())
    if wanted not in WRITERS:
        said = f"format={format!r}" if format else f'the ending of "{to.name}"'
        raise ModelError(f"export_robot: {said} is not known; choose .urdf, .xml (MJCF) or .sdf")
    meshes, tree = RobotMeshes(to), robot_tree(m.numeric)
    text = document(WRITERS[wanted](tree, meshes).root())
    brought = meshes.write()
    write_whole(to, text, wanted.upper())
    order = list(EFFECTS)
    return ExportedRobot((to, *brought), tuple(sorted(tree.notes, key=lambda note: order.index(note.effect))))
