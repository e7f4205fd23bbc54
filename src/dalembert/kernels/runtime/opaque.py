"""Forces that cannot be traced: arbitrary Python functions, called with numbers at every evaluation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.errors import ForceError, SlowForceWarning, TraceError
from dalembert.kinematics.loads import effects, generalized, loads
from dalembert.kinematics.state_from_bodies import StateFromBodies, unspecified
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown
from dalembert.parts.prescribed import TIME
from dalembert.trace import Expr, free_symbols, symbol, tracing
from dalembert.trace.bind import expressions_in


def split(m: Mechanism) -> tuple[Mechanism, Mechanism | None]:
    """The mechanism with the forces that can be compiled, and one with only those that cannot (None if there are none)."""
    if not m.forces:
        return m, None
    opaque = {}
    with tracing():
        state = StateFromBodies(m, unspecified)
        known = {TIME, *state.coordinates, *state.speeds, *map(symbol, m.parameters)}
        for name, force in m.forces.items():
            try:
                done = [(e.force, e.couple, e.at, e.joint) for e in effects(state, name, force)]
                _check_symbols([done, force.potential(state)], known, name, m)
            except (TraceError, ForceError, TypeError, ValueError, ArithmeticError, AttributeError) as problem:
                opaque[name] = force
                _warn(name, problem)
    if not opaque:
        return m, None
    traceable = {name: force for name, force in m.forces.items() if name not in opaque}
    slack = tuple(b.slack() for b in m.bodies)  # their stiffness is compiled
    return replace(m, forces=traceable), replace(m, forces=opaque, bodies=slack)


def _check_symbols(values: list[Any], known: set[Expr], name: str, m: Mechanism) -> None:
    """A force may be made of the state and of the mechanism's own parameters only."""
    for s in free_symbols(expressions_in(values)):
        if s not in known and "." not in s.name:
            raise unknown(s.name, "parameter", m.parameters, f'force "{name}"')


def _warn(name: str, problem: Exception) -> None:
    warnings.warn(
        f'force "{name}" cannot be compiled and is called as a Python function at every evaluation, which is much slower: '
        f"{problem}",
        SlowForceWarning,
        stacklevel=4,
    )


def potentials(m: Mechanism, q: Any, u: Any, t: float) -> float:
    """The potential energy of all of the mechanism's forces at one numeric state, by calling them."""
    s = m.state(q, u, t)
    return float(sum(s.settled(force.potential(s)).item() for force in m.forces.values()))


def generalized_forces(m: Mechanism, q: Any, u: Any, t: float) -> np.ndarray:
    """The generalized forces of all of the mechanism's forces at one numeric state, by calling them."""
    s = m.state(q, u, t)
    return generalized(s, loads(s, gravity=False))


def called_for_each(m: Mechanism, what: Callable[..., Any], q: Any, u: Any, t: Any, parameters: Any) -> np.ndarray:
    """A function such as `generalized_forces`, called for one state or for each of a batch."""
    u = np.zeros(m.n_u) if u is None else u
    rows = [np.asarray(x, dtype=float) for x in (q, u, t)]
    values = {k: np.asarray(v, dtype=float) for k, v in (parameters or {}).items()}
    lengths = [len(x) for x in rows[:2] if x.ndim == 2]
    lengths += [len(x) for x in (rows[2], *values.values()) if x.ndim == 1]
    if not lengths:
        return np.asarray(what(m.with_parameters(**parameters or {}), rows[0], rows[1], float(rows[2])))
    count = lengths[0]
    q, u = (np.broadcast_to(x, (count, x.shape[-1])) for x in rows[:2])
    times, values = np.broadcast_to(rows[2], count), {k: np.broadcast_to(v, count) for k, v in values.items()}
    models = (m.with_parameters(**{k: float(v[i]) for k, v in values.items()}) for i in range(count))
    return np.array([what(model, q[i], u[i], float(times[i])) for i, model in enumerate(models)])
