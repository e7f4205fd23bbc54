"""Model files: a whole `System` in YAML or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.errors import ModelError, ModelFileError, StateError
from dalembert.files.models.place import Entry
from dalembert.files.models.read import located, read_file
from dalembert.files.models.write import save

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.system.system import System

__all__ = ["load_mechanism", "load_system", "save"]


def load_system(path: str | Path) -> System:
    """What the file says."""
    return read_file(path)[0]


def load_mechanism(path: str | Path) -> Mechanism:
    """What the file says, built; complaints carry their place."""
    system, document = read_file(path)
    try:
        made: Mechanism = system.build()
    except ModelFileError:
        raise
    except ModelError as problem:
        raise located(problem, document) from problem
    _check_start(made, document)
    return made


def _check_start(m: Mechanism, document: Entry) -> None:
    """Initial values that do not fit their joints are wrong where they stand."""
    from dalembert.kinematics.initial import initial_state

    t = m.plan.options.start or 0.0
    for section, q, u in (("guess", None, None), ("initial", m.plan.initial, None), ("speeds", None, m.plan.speeds)):
        try:
            initial_state(m, q, u, t)
        except StateError as problem:
            raise document.value.get(section, document).error(str(problem).removeprefix(f"{section}: ")) from problem
