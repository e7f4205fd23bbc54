"""Files that dalembert reads and writes. What needs more than NumPy is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.arguments import file_path, refused, takes

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.motion.motion import Motion


@takes(path=file_path)
def load_motion(path: str | Path, mechanism: Mechanism | None = None) -> Motion:
    """A motion that `motion.save` wrote; with the mechanism that made it, everything can be computed from it again."""
    from dalembert.files.motion_file import load
    from dalembert.mechanism import Mechanism

    if mechanism is not None and not isinstance(mechanism, Mechanism):
        raise refused("load_motion: mechanism", "the mechanism that made the motion", mechanism)
    return load(path, mechanism)


@takes(path=file_path)
def load(path: str | Path) -> Mechanism:
    """The mechanism in a model file (YAML or JSON), URDF or MJCF, with its own initial values and options.

    What a robot's file says and a system cannot is listed by `da.load_robot(path).notes`.
    """
    from dalembert.importers import endings, load_robot

    if Path(path).suffix.lower() in endings():
        return load_robot(path).build()
    from dalembert.files.models import load_mechanism

    return load_mechanism(path)
