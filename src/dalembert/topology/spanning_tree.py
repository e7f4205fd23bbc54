"""Which joints carry the bodies and which are cut, and the regular labelling of the tree that remains [B §2]."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from dalembert.cached import cached_property

from .body_graph import Arc, Graph, TopologyError, distances, unconnected_bodies


@dataclass(frozen=True)
class SpanningTree:
    """A spanning tree in regular labelling: every body has a higher label than its parent.

    The tuples `order`, `parent`, `arc`, `reversed` and `depth` have one entry per body, body k at position k − 1.
    """

    graph: Graph
    order: tuple[int, ...]  # input index of body k
    parent: tuple[int, ...]  # the connection array: label of the body that carries body k, 0 for the ground [E]
    arc: tuple[int, ...]  # input index of the arc that carries body k
    reversed: tuple[bool, ...]  # True where that arc points towards the ground: its tail is body k
    cuts: tuple[int, ...]  # input indices of the arcs outside the tree, ascending

    @property
    def n_bodies(self) -> int:
        """Number of bodies, the ground not counted."""
        return len(self.parent)

    @cached_property
    def label_of(self) -> tuple[int, ...]:
        """Label of every input vertex, the ground included: `label_of[order[k − 1]] = k`, `label_of[0] = 0`."""
        label = [0] * (self.n_bodies + 1)
        for k, body in enumerate(self.order, start=1):
            label[body] = k
        return tuple(label)

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Number of arcs between the ground and body k."""
        depth = [0]
        for parent in self.parent:
            depth.append(depth[parent] + 1)
        return tuple(depth[1:])

    def children(self, k: int) -> tuple[int, ...]:
        """Labels of the bodies carried directly by body k (0: by the ground), ascending."""
        return self._children[k]

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in range(self.n_bodies + 1)]
        for k, parent in enumerate(self.parent, start=1):
            children[parent].append(k)
        return tuple(map(tuple, children))

    def path(self, k: int) -> tuple[int, ...]:
        """Labels of the bodies from the ground (left out) to body k (included); empty for the ground itself."""
        path = []
        while k:
            path.append(k)
            k = self.parent[k - 1]
        return tuple(path[::-1])

    @cached_property
    def outward(self) -> Graph:
        """The directed tree [B Fig 2] in labels: arc k runs from the parent of body k to body k."""
        carried = enumerate(zip(self.parent, self.arc, strict=True), start=1)
        return Graph(self.n_bodies, tuple(Arc(parent, k, self.graph.arcs[i].freedoms) for k, (parent, i) in carried))

    @cached_property
    def cut_arcs(self) -> tuple[Arc, ...]:
        """The cut arcs in labels, in the order of `cuts` and in their input direction."""
        arcs = (self.graph.arcs[i] for i in self.cuts)
        return tuple(Arc(self.label_of[a.tail], self.label_of[a.head], a.freedoms) for a in arcs)


def spanning_tree(graph: Graph, cut: Iterable[int] = ()) -> SpanningTree:
    """The shallowest tree that avoids the arcs in `cut`; among the shallowest, the one with the fewest freedoms.

    Every freedom kept out of the tree saves an unknown and a closure row; ties go to the arc given first.
    """
    cut = frozenset(cut)
    lost = frozenset(unconnected_bodies(graph, cut))
    if lost:
        to_blame = [i for i in sorted(cut) if (graph.arcs[i].tail in lost) != (graph.arcs[i].head in lost)]
        what = "bodies are left without a path to the ground by the cut arcs" if to_blame else "no path to the ground"
        raise TopologyError(what, bodies=sorted(lost), arcs=to_blame)
    carrying = _carrying_arcs(graph, cut)
    parent = {body: _other_end(graph.arcs[i], body) for body, i in carrying.items()}
    order = _regular_order(graph.n_bodies, parent)
    label = {0: 0} | {body: k for k, body in enumerate(order, start=1)}
    in_tree = set(carrying.values())
    return SpanningTree(
        graph=graph,
        order=order,
        parent=tuple(label[parent[body]] for body in order),
        arc=tuple(carrying[body] for body in order),
        reversed=tuple(graph.arcs[carrying[body]].tail == body for body in order),
        cuts=tuple(i for i in range(len(graph.arcs)) if i not in in_tree),
    )


def _carrying_arcs(graph: Graph, cut: frozenset[int]) -> dict[int, int]:
    """For every body the arc with the fewest freedoms among those that come from one step nearer the ground."""
    distance = distances(graph, cut)
    best: dict[int, int] = {}
    for i, arc in enumerate(graph.arcs):
        step = distance[arc.head] - distance[arc.tail]
        if i in cut or abs(step) != 1:
            continue
        body = arc.head if step > 0 else arc.tail
        if body not in best or arc.freedoms < graph.arcs[best[body]].freedoms:
            best[body] = i
    return best


def _regular_order(n_bodies: int, parent: dict[int, int]) -> tuple[int, ...]:
    """Bodies sorted after their parents (Kahn), lowest input index first, so that a regular input order is kept."""
    carried: list[list[int]] = [[] for _ in range(n_bodies + 1)]
    for body, vertex in parent.items():
        carried[vertex].append(body)
    ready = [0]
    order = []
    while ready:
        vertex = heapq.heappop(ready)
        order.append(vertex)
        for body in carried[vertex]:
            heapq.heappush(ready, body)
    return tuple(order[1:])


def _other_end(arc: Arc, vertex: int) -> int:
    return arc.tail if arc.head == vertex else arc.head
