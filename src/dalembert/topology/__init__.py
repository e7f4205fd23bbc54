"""Connect: from bodies and joints as a graph to a regularly labelled spanning tree, cut joints and loops."""

from .body_graph import PLANAR, SPATIAL, Arc, Graph, TopologyError, distances, grubler, unconnected_bodies
from .loops import Loop, loops
from .matrices import IntMatrix, augmented, augmented_inverse, closed_incidence, incidence, path_matrix
from .spanning_tree import SpanningTree, spanning_tree

__all__ = [
    "PLANAR",
    "SPATIAL",
    "Arc",
    "Graph",
    "IntMatrix",
    "Loop",
    "SpanningTree",
    "TopologyError",
    "augmented",
    "augmented_inverse",
    "closed_incidence",
    "distances",
    "grubler",
    "incidence",
    "loops",
    "path_matrix",
    "spanning_tree",
    "unconnected_bodies",
]
