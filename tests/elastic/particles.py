"""Random lumped elastic bodies, random trees of them, and their equations from every particle: an independent computation.

A nodal body is six particles at ± along its axes with its second moments; its displacement is that of the model, second order included.
The equations follow from the positions of all particles alone: A = Σ m JᵀJ and f = Σ m Jᵀ(g − J̇u), by differentiating them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import dalembert as da
from dalembert.elastic import ElasticBody
from dalembert.elastic.builders.moments import from_points
from dalembert.elastic.node import Node
from dalembert.vectors import cross

from ..mechanisms import frame, joint, matter


@dataclass(frozen=True, eq=False)
class Lumps:
    """Nodal bodies: m, r, Phi, Psi, second moments D."""

    m: np.ndarray
    r: np.ndarray
    Phi: np.ndarray
    Psi: np.ndarray
    D: np.ndarray

    def body(self, rng: np.random.Generator, second_order: bool) -> ElasticBody:
        """Without second order the moments are exactly those of the particles; with it, H and G0 are anything."""
        n = self.Phi.shape[2]
        K = rng.normal(size=(n, n))
        moments = from_points(self.m, self.r, self.Phi, self.D, self.Psi)
        G0, H = (0.2 * x * second_order for x in (rng.normal(size=(n, n, 3)), rng.normal(size=(n, n, 3, 3))))
        nodes = {f"n{k}": random_node(rng, n) for k in range(3)}
        return ElasticBody(
            moments.m, moments.S, moments.P, K @ K.T + np.eye(n), 0.1 * K @ K.T,
            G0 + np.swapaxes(G0, 0, 1), H + np.swapaxes(H, 0, 1), nodes,
        )  # fmt: skip

    def particles(self, q: Any) -> tuple[np.ndarray, list[Any]]:
        """Masses and places in the body's frame: d and −d along each axis of each nodal body, turned to first order."""
        m, x = [], []
        for k, mass in enumerate(self.m):
            for i in range(3):
                for sign in (1.0, -1.0):
                    d = sign * np.sqrt(3.0 * self.D[k, i, i] / mass) * np.eye(3)[i]
                    m.append(mass / 6.0)
                    x.append(self.r[k] + d + self.Phi[k] @ q + cross(self.Psi[k] @ q, d))
        return np.array(m), x


def random_node(rng: np.random.Generator, n: int) -> Node:
    G, Gam = 0.2 * rng.normal(size=(2, n, n, 3))
    Phi, Psi = 0.3 * rng.normal(size=(2, 3, n))
    return Node.of(0.5 * rng.normal(size=3), Phi, Psi, G + np.swapaxes(G, 0, 1), Gam + np.swapaxes(Gam, 0, 1))


def lumps(rng: np.random.Generator, n: int) -> Lumps:
    """Two nodal bodies with any displacements."""
    k = 2
    D = np.array([np.diag(rng.uniform(0.01, 0.05, 3)) for _ in range(k)])
    return Lumps(
        rng.uniform(0.2, 1.0, k), 0.5 * rng.normal(size=(k, 3)), 0.3 * rng.normal(size=(k, 3, n)),
        0.3 * rng.normal(size=(k, 3, n)), D,
    )  # fmt: skip


def random_tree(
    rng: np.random.Generator, count: int = 4, second_order: bool = False, joints: Any = joint
) -> tuple[da.System, dict[str, Lumps]]:
    """Rigid and elastic bodies, joints on moving nodes at both ends."""
    s, made = da.System("random", gravity=(1.0, 2.0, -9.0)), {}
    for i in range(count):
        name = f"b{i}"
        parent = "ground" if i == 0 else f"b{rng.integers(i)}"
        if rng.random() < 0.7:
            made[name] = lumps(rng, int(rng.integers(1, 4)))
            s.add_body(name, elastic=made[name].body(rng, second_order))
        else:
            s.add_body(name, matter(rng))
        s.add_joint(f"j{i}", joints(rng), parent, name, _place(rng, s, parent), _place(rng, s, name))
    return s, made


def _place(rng: np.random.Generator, s: da.System, body: str) -> Any:
    place = frame(rng)
    if body == "ground" or not s.bodies[body].modes:
        return place
    return da.Frame(place.position, place.rotation, node=["frame", "n0", "n1", "n2"][rng.integers(4)])
