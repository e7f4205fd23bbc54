"""The tree is the shallowest, then the cheapest, and regularly labelled without disturbing a regular input."""

import random
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dalembert.topology import Arc, Graph, TopologyError, distances, spanning_tree, unconnected_bodies

from .random_graphs import any_graphs, connected_graphs

# E's eight-body tree, THEORY §9.5.
EIGHT_BODIES = (0, 1, 2, 1, 2, 1, 1, 7)


def test_eight_body_tree_of_E():
    tree = spanning_tree(Graph(8, tuple(Arc(parent, k, 6) for k, parent in enumerate(EIGHT_BODIES, start=1))))
    assert tree.parent == EIGHT_BODIES
    assert tree.order == (1, 2, 3, 4, 5, 6, 7, 8)
    assert tree.arc == (0, 1, 2, 3, 4, 5, 6, 7)
    assert tree.cuts == ()
    assert tree.reversed == (False,) * 8
    assert tree.depth == (1, 2, 3, 2, 3, 2, 2, 3)
    assert [tree.children(k) for k in range(9)] == [(1,), (2, 4, 6, 7), (3, 5), (), (), (), (), (8,), ()]
    assert (tree.path(0), tree.path(5), tree.path(8)) == ((), (1, 2, 5), (1, 7, 8))


def test_a_tree_without_bodies_is_empty():
    tree = spanning_tree(Graph(0, ()))
    assert (tree.order, tree.parent, tree.cuts, tree.label_of, tree.children(0)) == ((), (), (), (0,), ())


@given(connected_graphs())
def test_labelling_is_regular_and_every_body_hangs_on_its_arc(graph):
    tree = spanning_tree(graph)
    assert sorted(tree.order) == list(range(1, graph.n_bodies + 1))
    input_of = (0, *tree.order)
    for k in range(1, graph.n_bodies + 1):
        parent, arc = tree.parent[k - 1], graph.arcs[tree.arc[k - 1]]
        assert parent < k
        ends = (input_of[parent], input_of[k])
        assert (arc.tail, arc.head) == (ends[::-1] if tree.reversed[k - 1] else ends)
        assert tree.label_of[input_of[k]] == k
    assert tree.label_of[0] == 0


@given(connected_graphs())
def test_tree_arcs_and_cuts_share_out_all_arcs(graph):
    tree = spanning_tree(graph)
    assert len(tree.cuts) == len(graph.arcs) - graph.n_bodies
    assert sorted(tree.arc + tree.cuts) == list(range(len(graph.arcs)))


@given(connected_graphs())
def test_no_body_is_deeper_than_in_the_graph(graph):
    tree = spanning_tree(graph)
    distance = distances(graph)
    assert tree.depth == tuple(distance[body] for body in tree.order)


@given(connected_graphs())
def test_children_and_paths_follow_the_parents(graph):
    tree = spanning_tree(graph)
    for k in range(1, graph.n_bodies + 1):
        assert k in tree.children(tree.parent[k - 1])
        path = tree.path(k)
        assert len(path) == tree.depth[k - 1]
        assert path[-1] == k
        assert [tree.parent[b - 1] for b in path] == [0, *path[:-1]]


@given(connected_graphs())
def test_a_regular_input_order_is_kept(graph):
    tree = spanning_tree(graph)
    label = tree.label_of
    relabelled = Graph(graph.n_bodies, tuple(Arc(label[a.tail], label[a.head], a.freedoms) for a in graph.arcs))
    again = spanning_tree(relabelled)
    assert again.order == tuple(range(1, graph.n_bodies + 1))
    assert (again.parent, again.arc, again.cuts) == (tree.parent, tree.arc, tree.cuts)


def all_spanning_trees(graph):
    """(total depth, total freedoms) of every spanning tree, by trying every set of n arcs."""
    for chosen in combinations(graph.arcs, graph.n_bodies):
        depth = distances(Graph(graph.n_bodies, chosen))
        if len(depth) == graph.n_bodies + 1:
            yield sum(depth.values()), sum(arc.freedoms for arc in chosen)


@given(connected_graphs(max_bodies=5, max_extra=4))
def test_no_spanning_tree_is_shallower_or_as_shallow_and_cheaper(graph):
    tree = spanning_tree(graph)
    ours = sum(tree.depth), sum(graph.arcs[i].freedoms for i in tree.arc)
    assert ours == min(all_spanning_trees(graph))


def test_of_two_parallel_arcs_the_one_with_fewer_freedoms_carries():
    tree = spanning_tree(Graph(1, (Arc(0, 1, 3), Arc(1, 0, 1), Arc(0, 1, 2))))
    assert (tree.arc, tree.reversed, tree.cuts) == ((1,), (True,), (0, 2))


def test_equal_arcs_are_taken_in_input_order():
    four_bar = Graph(3, (Arc(0, 1, 1), Arc(1, 2, 1), Arc(2, 3, 1), Arc(3, 0, 1)))
    assert spanning_tree(four_bar).cuts == (2,)


def test_the_spherical_joint_of_a_loop_is_cut():
    slider_crank = Graph(3, (Arc(0, 1, 1), Arc(1, 2, 3), Arc(2, 3, 2), Arc(0, 3, 1)))
    assert spanning_tree(slider_crank).cuts == (1,)


def test_the_user_chooses_the_cut():
    four_bar = Graph(3, (Arc(0, 1, 1), Arc(1, 2, 1), Arc(2, 3, 1), Arc(3, 0, 1)))
    tree = spanning_tree(four_bar, cut=[3])
    assert (tree.parent, tree.cuts, tree.depth) == ((0, 1, 2), (3,), (1, 2, 3))
    tree = spanning_tree(four_bar, cut=[0])
    assert (tree.order, tree.parent, tree.arc, tree.reversed) == ((3, 2, 1), (0, 1, 2), (3, 2, 1), (True,) * 3)


@given(connected_graphs(), st.data())
def test_a_chosen_cut_is_respected_or_its_victims_are_named(graph, data):
    cut = data.draw(st.lists(st.integers(0, len(graph.arcs) - 1), max_size=3))
    lost = unconnected_bodies(graph, cut)
    if not lost:
        assert set(cut) <= set(spanning_tree(graph, cut).cuts)
        return
    with pytest.raises(TopologyError) as caught:
        spanning_tree(graph, cut)
    assert caught.value.bodies == lost
    assert caught.value.arcs
    assert set(caught.value.arcs) <= set(cut)


@given(any_graphs())
def test_a_disconnected_graph_names_the_bodies_left_out(graph):
    lost = unconnected_bodies(graph)
    assume(lost)
    with pytest.raises(TopologyError) as caught:
        spanning_tree(graph)
    assert (caught.value.bodies, caught.value.arcs) == (lost, ())


def test_a_cut_that_is_not_to_blame_is_not_blamed():
    with pytest.raises(TopologyError) as caught:
        spanning_tree(Graph(2, (Arc(0, 1, 1), Arc(0, 1, 1))), cut=[1])
    assert (caught.value.bodies, caught.value.arcs) == ((2,), ())


@pytest.mark.parametrize("index", [-1, 2])
def test_a_cut_of_no_arc_is_refused(index):
    with pytest.raises(TopologyError) as caught:
        spanning_tree(Graph(1, (Arc(0, 1, 1), Arc(0, 1, 1))), cut=[0, index])
    assert caught.value.arcs == (index,)


def test_a_chain_of_ten_thousand_bodies_closed_at_its_end():
    n = 10_000
    name = [0, *random.Random(1).sample(range(1, n + 1), n)]
    arcs = [Arc(name[k - 1], name[k], 1) for k in range(1, n + 1)]
    tree = spanning_tree(Graph(n, (*arcs, Arc(name[n], 0, 1))), cut=[n])
    assert tree.order == tuple(name[1:])
    assert tree.depth == tuple(range(1, n + 1))
    assert tree.path(n) == tuple(range(1, n + 1))


def test_a_star_of_ten_thousand_bodies_keeps_its_order():
    n = 10_000
    tree = spanning_tree(Graph(n, tuple(Arc(0, k, 1) for k in range(n, 0, -1))))
    assert tree.order == tree.children(0) == tuple(range(1, n + 1))
    assert tree.arc == tuple(range(n - 1, -1, -1))
