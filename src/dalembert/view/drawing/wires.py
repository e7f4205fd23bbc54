"""Elastic bodies as wires: points that move with the modes, joined. A beam has points along its axis, other bodies have their nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.elastic.node import Node
from dalembert.motion.motion import Motion
from dalembert.view.drawing.primitives import Primitive, bar


@dataclass(frozen=True, eq=False)
class Wire:
    """The points of body number `body`, and pairs of them to be joined."""

    body: int
    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    @property
    def points(self) -> np.ndarray:
        """(P, 3), not deformed, in body axes."""
        return np.array([node.r for node in self.nodes])

    def straight(self, radius: float) -> Iterator[Primitive]:
        """What it looks like while it is not deformed."""
        for i, j in self.edges:
            yield bar(self.points[i], self.points[j], radius, bent=True)


def wire(k: int, body: Any) -> Wire | None:
    """None for a rigid body, and for one with too few points to join."""
    if not body.modes:
        return None
    if body.data.outline:
        nodes = body.data.outline
        return Wire(k, nodes, tuple((i, i + 1) for i in range(len(nodes) - 1)))
    nodes = tuple(body.nodes.values())
    edges = _nearest(np.array([n.r for n in nodes])) if len(nodes) > 1 else ()
    return Wire(k, nodes, edges) if edges else None


def deflections(motion: Motion, w: Wire) -> np.ndarray:
    """(K, P, 3): Φq + ½ qᵀGq of every point at every sample, in body axes."""
    m = motion.samples.mechanism
    at, _ = m.in_joint_variables.modal_places_of(m.bodies[w.body - 1].name) or ((), ())
    q = m.joint_coordinates(motion.q)[:, [i for i in at if i is not None]]
    return np.stack([q @ n.Phi.T + 0.5 * np.einsum("ki,ijc,kj->kc", q, n.G, q) for n in w.nodes], axis=1)


def _nearest(points: np.ndarray) -> tuple[tuple[int, int], ...]:
    """The shortest net that joins all points [Prim 1957]; points in one place are joined to nothing."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    near, best, left = np.zeros(len(points), dtype=int), apart[0].copy(), set(range(1, len(points)))
    edges = []
    while left:
        k = min(left, key=lambda i: best[i])
        left.remove(k)
        if best[k] > 0.0:
            edges.append((int(near[k]), k))
        closer = apart[k] < best
        near[closer], best[closer] = k, apart[k][closer]
    return tuple(edges)
