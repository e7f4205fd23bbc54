"""Forces on every body, at all samples of a motion: what its motion needs beyond the applied ones, and what constraints exert on it.

A constraint with multipliers λ and coefficients C on the bodies' velocities exerts −Cᵀλ on them. Wrenches are (torque about the body's
origin, force), six numbers in world axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.kinematics.transmitted import needed
from dalembert.motion.quantities import udot
from dalembert.motion.samples import Samples, evaluate, evaluate_with_loads, one_by_one
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class BodyForces:
    """Index 0 of the bodies is body 1."""

    left: np.ndarray
    """(K, bodies, 6): rate of momentum less what forces and constraints exert; it is left to the joints of the tree."""
    exerted: dict[str, dict[int, np.ndarray]]
    """Wrenches by each constraint and closing joint on bodies by number: (K, 6)."""
    dependence: np.ndarray
    """(S, bodies, 6, rows): of all exerted wrenches on λ, at the samples that decide what λ leaves open."""


def body_forces(x: Samples) -> BodyForces:
    m = x.mechanism
    left = evaluate_with_loads(x, needed, udot(x))
    _exerted_by_laws(x, left)
    if not m.constraint_rows:
        return BodyForces(left, {}, np.zeros((0, m.n_bodies, 6, 0)))
    pairs = [(name, m.body_of(k)) for name, d in m.constraint_rows.items() for k in d.bodies]
    exerted: dict[str, dict[int, np.ndarray]] = {name: {} for name in m.constraint_rows}
    if pairs:
        for (name, k), wrench in zip(pairs, evaluate(x, exerted_wrenches, x.solved.lam).transpose(1, 0, 2)):
            exerted[name][k] = exerted[name].get(k, 0.0) + wrench
            left[:, k - 1] -= wrench
    C = one_by_one(x.at(x.solved.sampled), _coefficients, None)
    return BodyForces(left, exerted, -C.transpose(0, 1, 3, 2))


def _exerted_by_laws(x: Samples, left: np.ndarray) -> None:
    """Take off what laws exert on the bodies that they look at."""
    m = x.mechanism
    bodies = [m.body_of(k) for d in m.law_rows.values() for k in d.bodies] if x.law_forces is not None else []
    if bodies:
        wrenches = evaluate(x, lambda s, force: exerted_wrenches(s, -force, m.law_rows), x.law_forces)
        for k, wrench in zip(bodies, wrenches.transpose(1, 0, 2)):
            left[:, k - 1] -= wrench


def exerted_wrenches(s: State, lam: Any, of: Any = None) -> list[np.ndarray]:
    """−Cᵀλ on the bodies that each constraint looks at, or each of other differentiated rows."""
    out, start = [], 0
    for d in (s.mechanism.constraint_rows if of is None else of).values():
        C = _at_origins(s, d)
        out += list((-(lam[start : start + len(C)] @ C)).reshape(-1, 6))
        start += len(C)
    return out


def _at_origins(s: State, d: Any) -> np.ndarray:
    """C on the frames a constraint looks at, those at nodes of elastic bodies taken at the bodies' origins."""
    C = np.array(d.values(s)[2][:, : 6 * len(d.bodies)])
    for i, k in enumerate(d.bodies):
        body = s.mechanism.body_of(k)
        if body != k:
            torque, force = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
            C[:, torque] = C[:, torque] + cross(s.poses[k].p - s.poses[body].p, C[:, force].T).T
    return C


def _coefficients(s: State, _: Any) -> Any:
    """C of all rows, body by body: bodies × rows × 6."""
    m = s.mechanism
    blocks = [(d.bodies, _at_origins(s, d)) for d in m.constraint_rows.values()]
    out = np.zeros((m.n_bodies, sum(len(C) for _, C in blocks), 6), dtype=object if s.traced else float)
    start = 0
    for bodies, C in blocks:
        for i, k in enumerate(bodies):
            at = m.body_of(k) - 1
            out[at, start : start + len(C)] = out[at, start : start + len(C)] + C[:, 6 * i : 6 * i + 6]
        start += len(C)
    return out
