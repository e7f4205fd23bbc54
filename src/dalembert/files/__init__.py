"""Files that dalembert reads and writes. What needs more than NumPy is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.simulation.motion import Motion


def load_motion(path: str | Path, mechanism: Mechanism | None = None) -> Motion:
    """A motion that `motion.save` wrote; with the mechanism that made it, everything can be computed from it again."""
    from dalembert.files.motion_file import load

    return load(path, mechanism)


def load(path: str | Path) -> Mechanism:
    """The mechanism a model file (YAML or JSON) describes, with its own initial values and options: `da.load("x.yaml").simulate()`."""
    from dalembert.files.models import load_mechanism

    return load_mechanism(path)
