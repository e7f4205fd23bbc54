"""Robots from the files of other programs: URDF, MJCF and SDF. What has no place in a system is listed, never lost silently.

What reads a format is imported when it is called. To add one: write its folder and add it to `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.arguments import file_path, flag, one_name, takes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.importers.imported import Imported


@takes(path=file_path, base=one_name, folder=file_path, strict=flag, laws=flag)
def load_urdf(
    path: str | Path,
    *,
    base: str = "fixed",
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    folder: str | Path | None = None,
    strict: bool = False,
    laws: bool = True,
    contacts: bool | str = False,
) -> Imported:
    """The robot in a URDF file. Its root link is "fixed" to the ground or "free"; a root link called world is the ground itself.

    Meshes are read from the model's own folder, or from the wider `folder` given. What breaks a rule and
    can be mended is, and a note tells it; with `strict` it is an error. With `laws` the ends
    of joints' ways and their dry friction are laws, and what begins beyond its ends begins at them; without, they are left out.
    With `contacts="ground"` primitive forms of <collision> touch the plane z = 0, with the friction that parameter `contact_mu` says.
    """
    from dalembert.importers.contact_forms import chosen_contacts
    from dalembert.importers.urdf.robot import load

    return load(Path(path), base, gravity, folder, strict, laws, chosen_contacts(contacts))


@takes(path=file_path, folder=file_path, strict=flag, laws=flag)
def load_mjcf(
    path: str | Path,
    *,
    folder: str | Path | None = None,
    strict: bool = False,
    laws: bool = True,
    contacts: bool | str = False,
) -> Imported:
    """The model in an MJCF file.

    Included files and meshes are read from the model's own folder, or from the wider `folder` given;
    `strict` and `laws` as in `load_urdf`. With `contacts` ("ground", those with what does not move, or "all") geoms of primitive
    forms touch each other by MuJoCo's rules, as laws.
    """
    from dalembert.importers.contact_forms import chosen_contacts
    from dalembert.importers.mjcf.mjcf_model import load

    return load(Path(path), folder, strict, laws, chosen_contacts(contacts))


@takes(path=file_path, base=one_name, folder=file_path)
def load_sdf(
    path: str | Path,
    *,
    base: str = "free",
    gravity: ArrayLike | None = None,
    folder: str | Path | None = None,
    strict: bool = False,
    laws: bool = True,
    contacts: bool | str = False,
) -> Imported:
    """The model in an SDF file, or all models of its first world.

    What no joint ties to the world floats ("free", as SDF has it), or is "fixed" where it stands. `gravity` is the file's, or
    (0, 0, −9.8), if not given. Included models and meshes are read from the file's own folder, or from the wider `folder`;
    `strict` and `laws` as in `load_urdf`. Contacts are not brought.
    """
    from dalembert.errors import ModelError
    from dalembert.importers.contact_forms import chosen_contacts
    from dalembert.importers.sdf.sdf_model import load

    if chosen_contacts(contacts) != "none":
        raise ModelError(f"{path}: contacts of SDF files are not brought; add laws of contact to the system")
    return load(Path(path), base, gravity, folder, strict, laws)


@dataclass(frozen=True)
class RobotFormat:
    """A format of robots' files: endings of their names, the first element if they are XML, and `load(path, folder=…, …)`."""

    endings: tuple[str, ...]
    root: str | None
    load: Callable[..., Imported]
    has_base: bool = False
    """Whether `load` takes a `base`, because the format does not say what the first body stands on."""


FORMATS = {
    "URDF": RobotFormat((".urdf", ".xml"), "robot", load_urdf, has_base=True),
    "MJCF": RobotFormat((".mjcf", ".xml"), "mujoco", load_mjcf),
    "SDF": RobotFormat((".sdf", ".world"), "sdf", load_sdf, has_base=True),
}
"""Formats of other programs by name."""


def endings() -> tuple[str, ...]:
    """Endings of the files that `load_robot` reads."""
    return tuple(dict.fromkeys(ending for one in FORMATS.values() for ending in one.endings))


@takes(path=file_path, base=one_name, folder=file_path, strict=flag, laws=flag)
def load_robot(
    path: str | Path,
    *,
    base: str | None = None,
    folder: str | Path | None = None,
    strict: bool = False,
    laws: bool = True,
    contacts: bool | str = False,
) -> Imported:
    """The mechanism in a file of another program, by its ending and, if it is XML, by its first element.

    `base`, "fixed" or "free", is for formats that do not say what the first body stands on (URDF), or only imply it (SDF); the others
    as for these.
    """
    said = {
        "base": base,
        "strict": strict or None,
        "laws": None if laws else False,
        "contacts": None if contacts is False else contacts,
    }
    given = {name: value for name, value in said.items() if value is not None}
    ending = Path(path).suffix.lower()
    for one in FORMATS.values():
        if one.root is None and ending in one.endings:
            return one.load(path, folder=folder, **given)
    from dalembert.importers import xml

    root = xml.read(Path(path))
    for name, one in FORMATS.items():
        if one.root == root.tag:
            if base is not None and not one.has_base:
                raise root.error(f"{name} says itself what floats, so base={base!r} has no meaning; leave it out")
            return one.load(path, folder=folder, **given)
    known = [f"{name}, which begins with <{one.root}>" for name, one in FORMATS.items() if one.root]
    raise root.error(f"this is neither {', nor '.join(known)}")
