"""Builder: rigid nodal bodies on a massless elastic structure [C II.A.2.g], reduced to its lowest modes and to the static shapes of
loads at the nodes where joints and forces act."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.builders.data import array, by_name, computed, mass_properties, symmetric, whole
from dalembert.elastic.builders.given_modes import given_modes
from dalembert.elastic.builders.reduction import eigenmodes, independent, static_shapes, uncoupled
from dalembert.elastic.floating_frames import buckens
from dalembert.elastic.node import Node
from dalembert.elastic.tensors import skews
from dalembert.errors import ModelError
from dalembert.parts.bodies import MassProperties

_MASSLESS = 1e-6
"""Part of a shape, in the norm of kinetic energy, beyond which it is not worth a coordinate."""


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
    static: bool = True,
) -> ElasticBody:
    """N rigid bodies, mass centres at the places (N, 3), joined by a structure with stiffness (6N, 6N) in (u, v, w, θx, θy, θz).

    `fixed` is the node that the frame is attached to; without one the body is free and its frame Buckens'. `freedoms` are
    those that take part, of each node's six. `nodes` names nodes for joints and forces; the static shapes of loads on them are kept
    beyond the lowest `modes`, unless `static` is False. `second_order` gives the field G (N, n, n, 3) for mode shapes (6N, n); without
    it a spinning body is not stiffened.
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
    ends = [i for i in free if i // 6 in set(named.values())]
    rigid = _rigid(r)
    exact = _static(M, K, free, ends, rigid if fixed is None else None)
    F = _with_static(M, K, F, exact, rigid) if static else F
    count = F.shape[1]
    shapes = F.reshape(n, 6, count)
    D = 0.5 * np.trace(J, axis1=1, axis2=2)[:, None, None] * np.eye(3) - J
    G = None if second_order is None else array(second_order(F), (n, count, count, 3), "nodal_bodies: second_order")
    at = {name: Node.of(r[k], shapes[k, :3], shapes[k, 3:], None if G is None else G[k]) for name, k in named.items()}
    Ke = F.T @ K @ F
    made = given_modes(
        m, r, shapes[:, :3], 0.5 * (Ke + Ke.T), turns=shapes[:, 3:], second_moments=D, second_order=G, nodes=at
    )
    made = buckens(made) if fixed is None else replace(made, frame=f"attached at nodal body {fixed}")
    share = dict(zip(ends, _share(K, F, ends, exact)))
    at_nodes = {name: tuple(float(share.get(6 * k + c, 0.0)) for c in range(6)) for name, k in named.items()}
    return replace(made, static_share=at_nodes)


def _number(given: Any, below: int, what: str) -> int:
    value = whole(given, f"nodal_bodies: {what}")
    if value >= below:
        raise ModelError(f"nodal_bodies: {what}: there is no {value}, they are numbered from 0 to {below - 1}")
    return value


def _static(M: np.ndarray, K: np.ndarray, free: list[int], ends: list[int], rigid: np.ndarray | None) -> np.ndarray:
    """Displacements under a unit load on each of some freedoms; a free structure carries it by its own inertia."""
    loads = np.zeros((len(K), len(ends)))
    loads[ends, range(len(ends))] = 1.0
    return static_shapes(M, K, free, loads, rigid) if ends else loads


def _rigid(r: np.ndarray) -> np.ndarray:
    """Translations and turns of the whole about its middle (6N, 6)."""
    arms = r - r.mean(axis=0)
    out = np.zeros((len(r), 6, 6))
    out[:, range(6), range(6)] = 1.0
    out[:, :3, 3:] = -skews(arms)
    return out.reshape(-1, 6)


def _with_static(M: np.ndarray, K: np.ndarray, F: np.ndarray, static: np.ndarray, rigid: np.ndarray) -> np.ndarray:
    """Modes, and static shapes beyond them, uncoupled. A shape is left out that moves no mass, or moves it only as rigid motions and
    the shapes before it do: the body would have more coordinates than its nodal bodies have freedoms."""
    kept = independent(K, np.hstack([F, static]), F.shape[1] + static.shape[1])
    moving: list[np.ndarray] = []
    places: list[int] = []
    for i, column in enumerate([*rigid.T, *kept.T]):
        size = np.sqrt(column @ M @ column)
        left = column / size if size > 0.0 else 0.0 * column
        for _ in range(2):  # once more for the rounding of the first time
            left = left - sum((x * (x @ M @ left) for x in moving), start=np.zeros(len(M)))
        rest = np.sqrt(max(left @ M @ left, 0.0))
        if rest > _MASSLESS:
            moving.append(left / rest)
            places += [i - rigid.shape[1]] if i >= rigid.shape[1] else []
    return uncoupled(M, K, kept[:, places])


def _share(K: np.ndarray, F: np.ndarray, ends: list[int], exact: np.ndarray) -> np.ndarray:
    """Part of the displacement of each of some freedoms under a static load on it that uncoupled modes have."""
    squares = np.einsum("ij,ij->j", F, K @ F)
    return np.asarray(np.sum(F[ends] ** 2 / squares, axis=1) / exact[ends, range(len(ends))])


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
