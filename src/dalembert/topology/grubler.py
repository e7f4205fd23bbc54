"""Grübler and Kutzbach's count of freedoms: what remains if every joint's constraints are independent."""

from __future__ import annotations

from .body_graph import Graph, TopologyError

SPATIAL = 6
PLANAR = 3


def grubler(graph: Graph, body_freedoms: int = SPATIAL) -> int:
    """λ n − Σ (λ − f), λ the freedoms of a free body: 6 in space, 3 in the plane. Negative if overconstrained."""
    beyond = [i for i, arc in enumerate(graph.arcs) if arc.freedoms > body_freedoms]
    if beyond:
        raise TopologyError(f"an arc has more than the {body_freedoms} freedoms of a free body", arcs=beyond)
    return body_freedoms * graph.n_bodies - sum(body_freedoms - arc.freedoms for arc in graph.arcs)
