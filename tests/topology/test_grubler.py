"""Grübler and Kutzbach's count on linkages whose mobility is known."""

import pytest
from hypothesis import given

from dalembert.topology import PLANAR, Arc, Graph, TopologyError, grubler, spanning_tree

from .random_graphs import connected_graphs

FOUR_BAR = Graph(3, (Arc(0, 1, 1), Arc(1, 2, 1), Arc(2, 3, 1), Arc(3, 0, 1)))


def test_four_bar_moves_in_the_plane_though_the_spatial_count_denies_it():
    assert grubler(FOUR_BAR, PLANAR) == 1
    assert grubler(FOUR_BAR) == -2


def test_spatial_four_bar_with_two_ball_joints_turns_its_coupler_freely():
    assert grubler(Graph(3, (Arc(0, 1, 1), Arc(1, 2, 3), Arc(2, 3, 3), Arc(3, 0, 1)))) == 2


def test_stewart_platform_has_six_freedoms():
    arcs = []
    for leg in range(6):
        lower, upper = 2 + 2 * leg, 3 + 2 * leg
        arcs += [Arc(0, lower, 2), Arc(lower, upper, 1), Arc(upper, 1, 3)]
    assert grubler(Graph(13, tuple(arcs))) == 6


def test_eight_body_tree_of_E_has_48_speeds():
    parents = (0, 1, 2, 1, 2, 1, 1, 7)
    assert grubler(Graph(8, tuple(Arc(parent, k, 6) for k, parent in enumerate(parents, start=1)))) == 48


@given(connected_graphs())
def test_the_count_is_the_trees_freedoms_less_the_closure_rows(graph):
    tree = spanning_tree(graph)
    freedoms = sum(graph.arcs[i].freedoms for i in tree.arc)
    closure_rows = sum(6 - graph.arcs[i].freedoms for i in tree.cuts)
    assert grubler(graph) == freedoms - closure_rows


def test_a_joint_too_free_for_the_plane_is_named():
    with pytest.raises(TopologyError) as caught:
        grubler(Graph(2, (Arc(0, 1, 3), Arc(1, 2, 4))), PLANAR)
    assert caught.value.arcs == (1,)
