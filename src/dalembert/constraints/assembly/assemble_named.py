"""Assembly from values as users give them: what is named is kept, by the names of joints or of the mechanism's own variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.constraints.assembly.assemble import assemble, consistent_speeds
from dalembert.kinematics.changed_initial import changed_speeds
from dalembert.kinematics.initial import initial_state, named_coordinates, named_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.variable_changes import LinearCoordinates

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


def assemble_given(
    m: Mechanism, initial: JointValues | None, speeds: JointValues | None, t: float
) -> tuple[np.ndarray, np.ndarray]:
    """Assembled state from values as users give them; see `Mechanism.assemble`."""
    q, u = initial_state(m, initial, speeds, t)
    if not m.constraint_rows:
        return q, u
    q = assemble_named(m, q, initial, t)
    return q, consistent_named(m, q, u, speeds, t)


def assemble_named(m: Mechanism, start: np.ndarray, initial: JointValues | None, t: float) -> np.ndarray:
    """Assembled coordinates, with those kept that a mapping names, by the names of joints or of the mechanism's own variables."""
    v = m.variables
    if isinstance(v, LinearCoordinates) and _said_before(m, initial, m.coordinates, m.base.coordinates):
        return v.from_base(assemble_named(m.base, v.base_coordinates(start), initial, t))[0]
    return assemble(m, start, named_coordinates(m, initial), t)


def consistent_named(m: Mechanism, q: np.ndarray, u: np.ndarray, speeds: JointValues | None, t: float) -> np.ndarray:
    """Speeds that obey all rows, with those kept that a mapping names, likewise.

    What was given by names of joints means other values of chosen speeds here than where assembly began.
    """
    if m.variables is not None and (speeds is None or isinstance(speeds, Mapping)):
        u = changed_speeds(m, speeds, q, t)
    if m.variables is not None and _said_before(m, speeds, m.speeds, m.base.speeds):
        here = State(m.numeric, t, q, u)
        base = np.asarray(here.base.speeds, dtype=float)
        return here.speed_map.after(consistent_named(m.base, m.variables.base_coordinates(q), base, speeds, t))
    return consistent_speeds(m, q, u, named_speeds(m, speeds), t)


def _said_before(m: Mechanism, given: Any, names: Sequence[str], before: Sequence[str]) -> bool:
    """Whether all that is given is said in the variables before, none of which were dropped."""
    new = {name for name in names if name not in before}
    named = {} if given is None else given
    return isinstance(named, Mapping) and not new & set(named) and len(m.dropped) == len(m.base.dropped)
