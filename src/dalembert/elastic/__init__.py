"""Bodies that bend: data, builders, floating frames."""

from dalembert.elastic.beam import beam
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.damping import modal, rayleigh
from dalembert.elastic.frames import attached, buckens, principal
from dalembert.elastic.given import given_modes
from dalembert.elastic.lumped import nodal_bodies
from dalembert.elastic.matrices import FiniteElements, from_matrices, load_matrices
from dalembert.elastic.node import Node
from dalembert.elastic.sid import read_sid, write_sid
from dalembert.elastic.solid import solid

__all__ = [
    "ElasticBody", "FiniteElements", "Node", "attached", "beam", "buckens", "from_matrices", "given_modes", "load_matrices",
    "modal", "nodal_bodies", "principal", "rayleigh", "read_sid", "solid", "write_sid",
]  # fmt: skip
