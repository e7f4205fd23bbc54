"""Bodies that bend: data, builders, floating frames. Builders are imported when they are first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.elastic.body import ElasticBody
    from dalembert.elastic.damping import modal, rayleigh
    from dalembert.elastic.frames import attached, buckens, principal
    from dalembert.elastic.given import given_modes
    from dalembert.elastic.lumped import nodal_bodies
    from dalembert.elastic.matrices import FiniteElements, from_matrices, load_matrices
    from dalembert.elastic.node import Node
    from dalembert.elastic.sid import read_sid, write_sid
    from dalembert.elastic.solid_mesh import solid
    from dalembert.elastic.straight_beam import beam

__all__ = [
    "ElasticBody", "FiniteElements", "Node", "attached", "beam", "buckens", "from_matrices", "given_modes", "load_matrices",
    "modal", "nodal_bodies", "principal", "rayleigh", "read_sid", "solid", "write_sid",
]  # fmt: skip

_MODULES = {
    "ElasticBody": "body", "modal": "damping", "rayleigh": "damping", "attached": "frames", "buckens": "frames",
    "principal": "frames", "given_modes": "given", "nodal_bodies": "lumped", "FiniteElements": "matrices",
    "from_matrices": "matrices", "load_matrices": "matrices", "Node": "node", "read_sid": "sid", "write_sid": "sid",
    "solid": "solid_mesh", "beam": "straight_beam",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
