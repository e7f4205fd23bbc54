"""An order of a graph's nodes in which neighbours stand close together, so that elimination fills in little."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def reverse_cuthill_mckee(neighbours: Sequence[Collection[int]]) -> list[int]:
    """The nodes, level by level from one of the fewest neighbours, in reverse.

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
