"""The closed chain that each cut arc makes with the tree [B §4]."""

from __future__ import annotations

from dataclasses import dataclass

from .spanning_tree import SpanningTree


@dataclass(frozen=True, slots=True)
class Loop:
    """One cut arc and the way round it through the tree: from its tail up to the common ancestor, down to its head.

    `arcs[i]` joins `bodies[i]` to `bodies[i + 1]`; the last one is the cut arc, from the last body back to the first.
    """

    cut: int  # input index of the cut arc
    bodies: tuple[int, ...]  # labels; 0 appears only if the loop passes through the ground
    arcs: tuple[int, ...]  # input indices

    @property
    def apex(self) -> int:
        """The body (or the ground) that carries all others of the loop; the lowest label in regular labelling."""
        return min(self.bodies)


def loops(tree: SpanningTree) -> tuple[Loop, ...]:
    """The loop of every cut arc, in the order of `tree.cuts`; each in time proportional to its length."""
    return tuple(_loop(tree, cut, arc.tail, arc.head) for cut, arc in zip(tree.cuts, tree.cut_arcs, strict=True))


def _loop(tree: SpanningTree, cut: int, tail: int, head: int) -> Loop:
    # The higher of two labels never carries the lower, so stepping up from the higher one cannot pass the apex.
    up, down = [], []
    while tail != head:
        if tail > head:
            up.append(tail)
            tail = tree.parent[tail - 1]
        else:
            down.append(head)
            head = tree.parent[head - 1]
    down.reverse()
    return Loop(
        cut=cut,
        bodies=(*up, tail, *down),
        arcs=(*(tree.arc[k - 1] for k in (*up, *down)), cut),
    )
