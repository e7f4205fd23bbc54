"""The graph's matrices: incidence C, S = (−e₁ C), its inverse T and the path matrix P [B 1, 22–25, 62; D §5.4].

Rows and columns of vertices start with the ground, which is B's root "body 1"; P has bodies only.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .body_graph import Graph, TopologyError
from .spanning_tree import SpanningTree, spanning_tree

IntMatrix: TypeAlias = NDArray[np.int64]


def incidence(graph: Graph) -> IntMatrix:
    """C [B 1]: vertices × arcs, +1 where the arc leaves, −1 where it enters; any labelling, loops or not."""
    C = np.zeros((graph.n_bodies + 1, len(graph.arcs)), dtype=np.int64)
    for j, arc in enumerate(graph.arcs):
        C[arc.tail, j] = 1
        C[arc.head, j] = -1
    return C


def closed_incidence(tree: SpanningTree) -> IntMatrix:
    """C_c = (C, C*) [B 62] in regular labelling: column k − 1 carries body k outward, the cut arcs follow."""
    return incidence(Graph(tree.n_bodies, tree.outward.arcs + tree.cut_arcs))


def augmented(C: IntMatrix) -> IntMatrix:
    """S = (−e₁ C) [B 22]; square for a tree, upper triangular with −1 on its diagonal under regular labelling."""
    e1 = np.eye(C.shape[0], 1, dtype=np.int64)
    return np.hstack([-e1, C])


def augmented_inverse(graph: Graph) -> IntMatrix:
    """T = S⁻¹ [B 23–25] of a tree in any labelling, from its paths.

    Row 0 is −1 throughout; t[k, l] = −1 where the k-th arc is on the path to vertex l, +1 if it points the other way.
    """
    tree = spanning_tree(graph)
    if tree.cuts:
        raise TopologyError("S has an inverse for a tree only, and some arcs close loops", arcs=tree.cuts)
    T = np.zeros((graph.n_bodies + 1, graph.n_bodies + 1), dtype=np.int64)
    T[0] = -1
    vertex = (0, *tree.order)
    for body, parent, arc, reversed_ in zip(tree.order, tree.parent, tree.arc, tree.reversed, strict=True):
        T[:, body] = T[:, vertex[parent]]
        T[arc + 1, body] = 1 if reversed_ else -1
    return T


def path_matrix(tree: SpanningTree) -> IntMatrix:
    """P [D §5.4]: P[i − 1, j − 1] = 1 iff body i carries body j or is j; P = −T without the ground's row and column."""
    P = np.eye(tree.n_bodies, dtype=np.int64)
    for k, parent in enumerate(tree.parent, start=1):
        if parent:
            P[: k - 1, k - 1] = P[: k - 1, parent - 1]
    return P
