"""Bodies that bend: data, builders, floating frames."""

from dalembert.elastic.beam import beam
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.damping import modal, rayleigh
from dalembert.elastic.frames import attached, buckens, principal
from dalembert.elastic.given import given_modes
from dalembert.elastic.lumped import nodal_bodies
from dalembert.elastic.node import Node

__all__ = [
    "ElasticBody", "Node", "attached", "beam", "buckens", "given_modes", "modal", "nodal_bodies", "principal", "rayleigh",
]  # fmt: skip
