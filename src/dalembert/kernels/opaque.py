"""Forces that cannot be traced: arbitrary Python functions, called with numbers at every evaluation."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.errors import SlowForceWarning, TraceError
from dalembert.kinematics.given import GivenState, unspecified
from dalembert.kinematics.loads import generalized, loads
from dalembert.mechanism import Mechanism
from dalembert.trace import tracing


def split(m: Mechanism) -> tuple[Mechanism, Mechanism | None]:
    """The mechanism with the forces that can be compiled, and one with only those that cannot (None if there are none)."""
    opaque = {}
    with tracing():
        for name, force in m.forces.items():
            try:
                loads(GivenState(replace(m, forces={name: force}), unspecified), gravity=False)
            except (TraceError, TypeError, ValueError, ArithmeticError, AttributeError) as problem:
                opaque[name] = force
                _warn(name, problem)
    if not opaque:
        return m, None
    traceable = {name: force for name, force in m.forces.items() if name not in opaque}
    return replace(m, forces=traceable), replace(m, forces=opaque)


def _warn(name: str, problem: Exception) -> None:
    warnings.warn(
        f'force "{name}" cannot be compiled and is called as a Python function at every evaluation, which is much slower: '
        f"{problem}",
        SlowForceWarning,
        stacklevel=4,
    )


def generalized_forces(m: Mechanism, q: Any, u: Any, t: float) -> np.ndarray:
    """The generalized forces of all of the mechanism's forces at one numeric state, by calling them."""
    s = m.state(q, u, t)
    return generalized(s, loads(s, gravity=False))
