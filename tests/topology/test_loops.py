"""Every cut arc closes one loop, through the common parent of its two ends and no further."""

from hypothesis import given

from dalembert.topology import Arc, Graph, Loop, loops, spanning_tree

from .random_graphs import connected_graphs


def test_four_bar_passes_through_the_ground():
    tree = spanning_tree(Graph(3, (Arc(0, 1, 1), Arc(1, 2, 1), Arc(2, 3, 1), Arc(3, 0, 1))), cut=[3])
    assert loops(tree) == (Loop(cut=3, bodies=(3, 2, 1, 0), arcs=(2, 1, 0, 3)),)


def test_a_loop_away_from_the_ground_leaves_it_out():
    graph = Graph(4, (Arc(0, 1, 1), Arc(1, 2, 1), Arc(1, 3, 1), Arc(2, 4, 1), Arc(3, 4, 2)))
    (loop,) = loops(spanning_tree(graph))
    assert loop == Loop(cut=4, bodies=(3, 1, 2, 4), arcs=(2, 1, 3, 4))
    assert loop.apex == 1


def test_two_parallel_arcs_are_a_loop_of_two_bodies():
    tree = spanning_tree(Graph(2, (Arc(0, 1, 1), Arc(1, 2, 1), Arc(2, 1, 1))))
    assert loops(tree) == (Loop(cut=2, bodies=(2, 1), arcs=(1, 2)),)


def test_a_tree_has_no_loops():
    assert loops(spanning_tree(Graph(2, (Arc(0, 1, 1), Arc(1, 2, 1))))) == ()


@given(connected_graphs())
def test_loops_are_closed_simple_and_contain_only_their_own_cut(graph):
    tree = spanning_tree(graph)
    for loop, cut in zip(loops(tree), tree.cuts, strict=True):
        assert loop.cut == loop.arcs[-1] == cut
        assert len(set(loop.bodies)) == len(loop.bodies) == len(loop.arcs)
        assert set(loop.arcs) & set(tree.cuts) == {cut}
        following = loop.bodies[1:] + loop.bodies[:1]
        for here, there, i in zip(loop.bodies, following, loop.arcs, strict=True):
            arc = graph.arcs[i]
            assert {here, there} == {tree.label_of[arc.tail], tree.label_of[arc.head]}
        assert tree.label_of[graph.arcs[cut].tail] == loop.bodies[0]


@given(connected_graphs())
def test_the_apex_carries_both_ends_and_nothing_higher_does(graph):
    tree = spanning_tree(graph)
    for loop, arc in zip(loops(tree), tree.cut_arcs, strict=True):
        shared = set(tree.path(arc.tail)) & set(tree.path(arc.head))
        assert loop.apex == max(shared, default=0)


def test_ten_thousand_short_loops():
    n = 10_000
    chain = tuple(Arc(k - 1, k, 1) for k in range(1, n + 1))
    doubled = tuple(Arc(k - 1, k, 2) for k in range(1, n + 1))
    found = loops(spanning_tree(Graph(n, chain + doubled)))
    assert [loop.bodies for loop in found] == [(k - 1, k) for k in range(1, n + 1)]
