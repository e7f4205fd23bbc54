"""Builder: rigid nodal bodies on a massless elastic structure [C II.A.2.g], reduced to its lowest modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.builders.data import array, by_name, computed, mass_properties, symmetric, whole
from dalembert.elastic.builders.given_modes import given_modes
from dalembert.elastic.builders.reduction import eigenmodes
from dalembert.elastic.floating_frames import buckens
from dalembert.elastic.node import Node
from dalembert.errors import ModelError
from dalembert.parts.bodies import MassProperties


@computed
def nodal_bodies(
    places: Any,
    bodies: Sequence[MassProperties],
    stiffness: Any,
    *,
    modes: int,
    fixed: int | None = None,
    freedoms: Sequence[int] = range(6),
    nodes: Mapping[str, int] | None = None,
    second_order: Callable[[np.ndarray], np.ndarray] | None = None,
) -> ElasticBody:
    """N rigid bodies, mass centres at the places (N, 3), joined by a structure with stiffness (6N, 6N) in (u, v, w, θx, θy, θz).

    `fixed` is the node that the frame is attached to; without one the body is free and its frame Buckens'. `freedoms` are
    those that take part, of each node's six. `nodes` names nodes for joints and forces. `second_order` gives the field G
    (N, n, n, 3) for mode shapes (6N, n); without it a spinning body is not stiffened.
    """
    r = array(places, (None, 3), "nodal_bodies: places")
    n = len(r)
    K = symmetric(array(stiffness, (6 * n, 6 * n), "nodal_bodies: stiffness"), "nodal_bodies: stiffness")
    if second_order is not None and not callable(second_order):
        raise ModelError(f"nodal_bodies: second_order must be a function of the mode shapes, not {second_order!r}")
    if not isinstance(bodies, Sequence) or len(bodies) != n:
        raise ModelError(f"nodal_bodies: {n} places need {n} bodies")
    count = whole(modes, "nodal_bodies: modes")
    taking_part = [_number(c, 6, "freedoms") for c in array(freedoms, (None,), "nodal_bodies: freedoms")]
    fixed = None if fixed is None else _number(fixed, n, "fixed")
    named = {name: _number(k, n, f'node "{name}"') for name, k in by_name(nodes, "nodal_bodies: nodes").items()}
    given = [mass_properties(b, f"nodal_bodies: body {k}") for k, b in enumerate(bodies)]
    m, J = np.array([x[0] for x in given]), np.array([x[2] for x in given])
    M = np.zeros((6 * n, 6 * n))
    for k in range(n):
        M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = m[k] * np.eye(3)
        M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = J[k]
    free = [6 * k + c for k in range(n) if k != fixed for c in taking_part]
    massless = [i for i in free if M[i, i] == 0.0]
    F = _modes(M, K, free, massless, count)
    shapes = F.reshape(n, 6, count)
    D = 0.5 * np.trace(J, axis1=1, axis2=2)[:, None, None] * np.eye(3) - J
    G = None if second_order is None else array(second_order(F), (n, count, count, 3), "nodal_bodies: second_order")
    at = {name: Node.of(r[k], shapes[k, :3], shapes[k, 3:], None if G is None else G[k]) for name, k in named.items()}
    Ke = F.T @ K @ F
    made = given_modes(
        m, r, shapes[:, :3], 0.5 * (Ke + Ke.T), turns=shapes[:, 3:], second_moments=D, second_order=G, nodes=at
    )
    return buckens(made) if fixed is None else replace(made, frame=f"attached at nodal body {fixed}")


def _number(given: Any, below: int, what: str) -> int:
    value = whole(given, f"nodal_bodies: {what}")
    if value >= below:
        raise ModelError(f"nodal_bodies: {what}: there is no {value}, they are numbered from 0 to {below - 1}")
    return value


def _modes(M: np.ndarray, K: np.ndarray, free: list[int], massless: list[int], count: int) -> np.ndarray:
    """Eigenmodes; freedoms that move no mass (turns of mass points) follow without load."""
    heavy = [i for i in free if i not in set(massless)]
    if not massless:
        return eigenmodes(M, K, free, count, "nodal_bodies")[1]
    follow = -np.linalg.solve(K[np.ix_(massless, massless)], K[np.ix_(massless, heavy)])
    condensed = K[np.ix_(heavy, heavy)] + K[np.ix_(heavy, massless)] @ follow
    F = np.zeros((len(K), count))
    F[heavy] = eigenmodes(
        M[np.ix_(heavy, heavy)], 0.5 * (condensed + condensed.T), range(len(heavy)), count, "nodal_bodies"
    )[1]
    F[massless] = follow @ F[heavy]
    return F
