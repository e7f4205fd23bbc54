"""A graph refuses what cannot be connected, and tells which bodies are not."""

import pickle

import pytest
from hypothesis import given

from dalembert.topology import Arc, Graph, TopologyError, distances, unconnected_bodies

from .random_graphs import any_graphs


@pytest.mark.parametrize("wrong", [Arc(1, 1, 1), Arc(0, 3, 1), Arc(-1, 2, 1), Arc(0, 1, 7), Arc(0, 1, -1)])
def test_a_wrong_arc_is_named(wrong):
    with pytest.raises(TopologyError) as caught:
        Graph(2, (Arc(0, 1, 1), wrong, Arc(1, 2, 1), wrong))
    assert caught.value.arcs == (1, 3)
    assert "arcs 1, 3" in str(caught.value)


def test_a_negative_number_of_bodies_is_refused():
    with pytest.raises(TopologyError):
        Graph(-1, ())


def test_an_error_survives_pickling():
    error = pickle.loads(pickle.dumps(TopologyError("lost", bodies=[2], arcs=[5])))
    assert (str(error), error.bodies, error.arcs) == ("lost: bodies 2; arcs 5", (2,), (5,))


def test_unconnected_bodies_are_named_in_input_order():
    graph = Graph(5, (Arc(4, 2, 1), Arc(0, 3, 1), Arc(1, 3, 1)))
    assert unconnected_bodies(graph) == (2, 4, 5)
    assert unconnected_bodies(graph, cut=[2]) == (1, 2, 4, 5)


@given(any_graphs())
def test_connected_bodies_share_the_ground_component(graph):
    component = list(range(graph.n_bodies + 1))
    for arc in graph.arcs:
        old, new = component[arc.tail], component[arc.head]
        component = [new if c == old else c for c in component]
    lost = tuple(b for b in range(1, graph.n_bodies + 1) if component[b] != component[0])
    assert unconnected_bodies(graph) == lost


@given(any_graphs())
def test_distances_differ_by_at_most_one_along_an_arc(graph):
    distance = distances(graph)
    for arc in graph.arcs:
        assert (arc.tail in distance) == (arc.head in distance)
        if arc.tail in distance:
            assert abs(distance[arc.tail] - distance[arc.head]) <= 1
