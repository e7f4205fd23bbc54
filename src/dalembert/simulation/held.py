"""The start of a run under loops and constraints: assembled from what the user gave, with an independent set of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.constraints.assembly import assemble, consistent_speeds
from dalembert.constraints.diagnosis import diagnose
from dalembert.errors import LoopError, SimulationError
from dalembert.mechanism import Mechanism
from dalembert.simulation.options import Options
from dalembert.system.laws import TIME
from dalembert.trace import depends_on

MARCHED_BY = ("dop853", "rk4")
"""Methods that keep to constraints, by projection after every step."""


def held_state(
    m: Mechanism, q: np.ndarray, u: np.ndarray, initial: Any, speeds: Any, o: Options
) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """(q, u, independent rows): the given coordinates and speeds kept, the others solved for."""
    if o.method.name not in MARCHED_BY:
        raise SimulationError(
            f'method "{o.method.name}" cannot keep to loops and constraints; choose one of {", ".join(MARCHED_BY)}'
        )
    q = assemble(m, q, _named(m, initial), o.start)
    u = consistent_speeds(m, q, u, _named(m, speeds), o.start)
    verdict = diagnose(m, q, o.start)
    if verdict.mobility == 0 and not _driven(m):
        raise LoopError(f"there is nothing to simulate. {verdict}")
    return q, u, verdict.independent


def _driven(m: Mechanism) -> bool:
    """Whether time itself moves the mechanism, by a prescribed joint or a constraint that depends on it."""
    prescribed = any(law is not None for j in m.joints for law in j.law.u)
    return prescribed or depends_on([x for d in m.constraint_rows.values() for x in (d.g, d.phi)], [TIME])


def _named(m: Mechanism, given: Any) -> list[int]:
    """Places in u of the joints and freedoms that a mapping names: these are held."""
    if not isinstance(given, Mapping):
        return []
    held = []
    for name in given:
        owner, _, freedom = str(name).partition(".")
        named = m.places(owner)
        if named is None:
            continue
        for at in (at for at in named[1] if at is not None):
            if not freedom or m.speeds[at] == name:
                held.append(at)
    return held
