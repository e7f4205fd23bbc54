"""The system graph [B §2]: vertex 0 is the ground, bodies are 1..n, arcs are the joints between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

SPATIAL, PLANAR = 6, 3
"""Freedoms of a free body in space and in the plane."""


class TopologyError(ValueError):
    """A graph that cannot be used: what is wrong, and the culprits' input indices in `bodies` and `arcs`."""

    def __init__(self, what: str, *, bodies: Sequence[int] = (), arcs: Sequence[int] = ()) -> None:
        super().__init__(what)
        self.bodies = tuple(bodies)
        self.arcs = tuple(arcs)

    def __str__(self) -> str:
        culprits = {"bodies": self.bodies, "arcs": self.arcs}
        named = (f"{kind} {', '.join(map(str, indices))}" for kind, indices in culprits.items() if indices)
        return ": ".join(filter(None, [super().__str__(), "; ".join(named)]))


@dataclass(frozen=True, slots=True)
class Arc:
    """A joint directed from vertex `tail` to vertex `head`, leaving `freedoms` (0..6) relative freedoms."""

    tail: int
    head: int
    freedoms: int


@dataclass(frozen=True, slots=True)
class Graph:
    """`n_bodies` bodies and the arcs between them and the ground; parallel arcs are allowed, self-loops are not."""

    n_bodies: int
    arcs: tuple[Arc, ...]

    def __post_init__(self) -> None:
        if self.n_bodies < 0:
            raise TopologyError(f"a graph cannot have {self.n_bodies} bodies")
        n = self.n_bodies
        self._refuse("an arc ends on no vertex of the graph", lambda a: not (0 <= a.tail <= n and 0 <= a.head <= n))
        self._refuse("an arc joins a body to itself", lambda a: a.tail == a.head)
        self._refuse("an arc's freedoms are not within 0..6", lambda a: not 0 <= a.freedoms <= 6)

    def _refuse(self, what: str, wrong: Callable[[Arc], bool]) -> None:
        culprits = [i for i, arc in enumerate(self.arcs) if wrong(arc)]
        if culprits:
            raise TopologyError(what, arcs=culprits)


def distances(graph: Graph, cut: Iterable[int] = ()) -> dict[int, int]:
    """Fewest arcs between the ground and every vertex it reaches without using the arcs in `cut` (breadth first)."""
    left_out = frozenset(cut)
    missing = sorted(i for i in left_out if not 0 <= i < len(graph.arcs))
    if missing:
        raise TopologyError(f"an arc to cut is not among the graph's {len(graph.arcs)}", arcs=missing)
    neighbours: list[list[int]] = [[] for _ in range(graph.n_bodies + 1)]
    for i, arc in enumerate(graph.arcs):
        if i not in left_out:
            neighbours[arc.tail].append(arc.head)
            neighbours[arc.head].append(arc.tail)
    distance = {0: 0}
    waiting = deque([0])
    while waiting:
        vertex = waiting.popleft()
        for neighbour in neighbours[vertex]:
            if neighbour not in distance:
                distance[neighbour] = distance[vertex] + 1
                waiting.append(neighbour)
    return distance


def unconnected_bodies(graph: Graph, cut: Iterable[int] = ()) -> tuple[int, ...]:
    """Bodies that no path joins to the ground once the arcs in `cut` are left out, in input order."""
    reached = distances(graph, cut)
    return tuple(body for body in range(1, graph.n_bodies + 1) if body not in reached)


def grubler(graph: Graph, body_freedoms: int = SPATIAL) -> int:
    """Grübler and Kutzbach's count of freedoms, what remains if every joint's constraints are independent.

    λ n − Σ (λ − f), λ the freedoms of a free body: 6 in space, 3 in the plane. Negative if overconstrained.
    """
    beyond = [i for i, arc in enumerate(graph.arcs) if arc.freedoms > body_freedoms]
    if beyond:
        raise TopologyError(f"an arc has more than the {body_freedoms} freedoms of a free body", arcs=beyond)
    return body_freedoms * graph.n_bodies - sum(body_freedoms - arc.freedoms for arc in graph.arcs)


def reverse_cuthill_mckee(neighbours: Sequence[Collection[int]]) -> list[int]:
    """An order of a graph's nodes in which neighbours stand close together, so that elimination fills in little: level by level from
    one of the fewest neighbours, in reverse.

    Among equals the node with fewer neighbours comes first, then the one with the lower number. [Cuthill and McKee 1969; George 1971]
    """

    def rank(node: int) -> tuple[int, int]:
        return len(neighbours[node]), node

    order: list[int] = []
    seen: set[int] = set()
    for start in sorted(range(len(neighbours)), key=rank):
        if start in seen:
            continue
        seen.add(start)
        level = [start]
        while level:
            order += level
            following: list[int] = []
            for node in level:
                new = sorted((x for x in neighbours[node] if x not in seen), key=rank)
                seen.update(new)
                following += new
            level = following
    return order[::-1]
