"""Bodies that bend: data, builders, floating frames."""

from dalembert.elastic.beam import beam
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.frames import attached, buckens, principal
from dalembert.elastic.node import Node

__all__ = ["ElasticBody", "Node", "attached", "beam", "buckens", "principal"]
