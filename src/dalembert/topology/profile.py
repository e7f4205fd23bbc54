"""An order of the vertices of a graph in which neighbours are near each other: reverse Cuthill–McKee."""

from __future__ import annotations

from collections.abc import Sequence

Neighbours = Sequence[Sequence[int]]


def reverse_cuthill_mckee(neighbours: Neighbours) -> list[int]:
    """Breadth first through each part from one of its ends, neighbours by rising degree; then backwards."""
    order: list[int] = []
    seen: set[int] = set()
    for vertex in range(len(neighbours)):
        if vertex not in seen:
            part, _ = _breadth_first(neighbours, _end(neighbours, vertex))
            order += part
            seen.update(part)
    return order[::-1]


def _end(neighbours: Neighbours, vertex: int) -> int:
    """A vertex as far out as can be found by going to the far side again and again [George & Liu]."""
    order, depth = _breadth_first(neighbours, vertex)
    while True:
        farthest = [v for v in order if depth[v] == depth[order[-1]]]
        candidate = min(farthest, key=lambda v: len(neighbours[v]))
        order_there, depth_there = _breadth_first(neighbours, candidate)
        if depth_there[order_there[-1]] <= depth[order[-1]]:
            return candidate
        order, depth = order_there, depth_there


def _breadth_first(neighbours: Neighbours, start: int) -> tuple[list[int], dict[int, int]]:
    """The vertices reached, in order, and their distances."""
    order, depth = [start], {start: 0}
    for v in order:
        for w in sorted((w for w in neighbours[v] if w not in depth), key=lambda w: len(neighbours[w])):
            depth[w] = depth[v] + 1
            order.append(w)
    return order, depth
