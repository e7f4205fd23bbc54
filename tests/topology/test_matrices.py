"""Incidence, its inverse and the path matrix: B's six bodies as printed, and what holds for every graph."""

import numpy as np
import pytest
from hypothesis import given

from dalembert.topology import (
    Arc,
    Graph,
    TopologyError,
    augmented,
    augmented_inverse,
    closed_incidence,
    incidence,
    path_matrix,
    spanning_tree,
)

from .random_graphs import connected_graphs, trees

# B's root, "body 1", is vertex 0 here, and B's body b is vertex b − 1.
FIG_3A = Graph(5, tuple(Arc(tail - 1, head - 1, 3) for tail, head in [(1, 2), (1, 3), (2, 4), (2, 5), (2, 6)]))
FIG_3B = Graph(5, tuple(Arc(tail - 1, head - 1, 3) for tail, head in [(1, 5), (1, 4), (4, 6), (4, 2), (4, 3)]))

C_A = [  # [B 1]
    [1, 1, 0, 0, 0],
    [-1, 0, 1, 1, 1],
    [0, -1, 0, 0, 0],
    [0, 0, -1, 0, 0],
    [0, 0, 0, -1, 0],
    [0, 0, 0, 0, -1],
]
C_B = [  # [B 1]
    [1, 1, 0, 0, 0],
    [0, 0, 0, -1, 0],
    [0, 0, 0, 0, -1],
    [0, -1, 1, 1, 1],
    [-1, 0, 0, 0, 0],
    [0, 0, -1, 0, 0],
]
T_A = [  # [B 25]
    [-1, -1, -1, -1, -1, -1],
    [0, -1, 0, -1, -1, -1],
    [0, 0, -1, 0, 0, 0],
    [0, 0, 0, -1, 0, 0],
    [0, 0, 0, 0, -1, 0],
    [0, 0, 0, 0, 0, -1],
]


def test_incidence_of_B_in_both_labellings():
    np.testing.assert_array_equal(incidence(FIG_3A), C_A)
    np.testing.assert_array_equal(incidence(FIG_3B), C_B)


def test_T_of_B():
    np.testing.assert_array_equal(augmented_inverse(FIG_3A), T_A)


def test_regular_labelling_turns_figure_3b_into_a_tree_like_3a():
    tree = spanning_tree(FIG_3B)
    assert tree.order == (3, 1, 2, 4, 5)  # 3 carries 1, 2 and 5, which may follow as soon as it is placed
    assert tree.parent == (0, 1, 1, 0, 1)
    assert spanning_tree(FIG_3A).parent == (0, 0, 1, 1, 1)


def test_closed_chains_of_B():
    """Two hinges, 1–5 and 4–6, added to Fig 3a's tree: 6 × 7, rank still 5 [B 62 and below]."""
    closed = Graph(5, (*FIG_3A.arcs, Arc(0, 4, 3), Arc(3, 5, 3)))
    C_c = closed_incidence(spanning_tree(closed, cut=[5, 6]))
    np.testing.assert_array_equal(C_c[:, :5], C_A)
    np.testing.assert_array_equal(C_c[:, 5:].T, [[1, 0, 0, 0, -1, 0], [0, 0, 0, 1, 0, -1]])
    assert np.linalg.matrix_rank(C_c) == 5


@given(connected_graphs())
def test_S_is_upper_triangular_under_regular_labelling(graph):
    S = augmented(incidence(spanning_tree(graph).outward))
    assert S.shape == (graph.n_bodies + 1, graph.n_bodies + 1)
    np.testing.assert_array_equal(S, np.triu(S))
    np.testing.assert_array_equal(np.diag(S), -1)


@given(trees())
def test_T_inverts_S_in_any_labelling_and_arc_direction(graph):
    unit = np.eye(graph.n_bodies + 1)
    S, T = augmented(incidence(graph)), augmented_inverse(graph)
    np.testing.assert_array_equal(T @ S, unit)
    np.testing.assert_array_equal(S @ T, unit)


@given(connected_graphs())
def test_P_is_minus_T_without_the_ground(graph):
    tree = spanning_tree(graph)
    np.testing.assert_array_equal(path_matrix(tree), -augmented_inverse(tree.outward)[1:, 1:])


@given(connected_graphs())
def test_columns_of_P_are_paths(graph):
    tree = spanning_tree(graph)
    P = path_matrix(tree)
    for k in range(1, tree.n_bodies + 1):
        assert tuple(np.flatnonzero(P[:, k - 1]) + 1) == tree.path(k)


@given(connected_graphs())
def test_cut_arcs_add_no_rank(graph):
    C_c = closed_incidence(spanning_tree(graph))
    assert C_c.shape == (graph.n_bodies + 1, len(graph.arcs))
    assert np.linalg.matrix_rank(C_c) == graph.n_bodies
    np.testing.assert_array_equal(C_c.sum(axis=0), 0)


@given(connected_graphs())
def test_closed_incidence_is_the_incidence_relabelled_and_directed_outward(graph):
    tree = spanning_tree(graph)
    sign = [-1 if turned else 1 for turned in tree.reversed] + [1] * len(tree.cuts)
    C = incidence(graph)[[0, *tree.order]][:, [*tree.arc, *tree.cuts]]
    np.testing.assert_array_equal(closed_incidence(tree), C * np.array(sign, dtype=np.int64))


def test_T_of_a_graph_with_loops_is_refused():
    with pytest.raises(TopologyError) as caught:
        augmented_inverse(Graph(1, (Arc(0, 1, 1), Arc(0, 1, 1))))
    assert caught.value.arcs == (1,)
