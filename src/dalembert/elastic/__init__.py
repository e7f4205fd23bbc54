"""Bodies that bend: data, builders, floating frames. Builders are imported when they are first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.elastic.body import ElasticBody
    from dalembert.elastic.builders.damping import modal, rayleigh
    from dalembert.elastic.builders.finite_elements import FiniteElements, from_matrices, load_matrices
    from dalembert.elastic.builders.given_modes import given_modes
    from dalembert.elastic.builders.lumped import nodal_bodies
    from dalembert.elastic.builders.sid import read_sid, write_sid
    from dalembert.elastic.builders.solid_mesh import solid
    from dalembert.elastic.builders.straight_beam import beam
    from dalembert.elastic.floating_frames import attached, buckens, principal
    from dalembert.elastic.mode_participation import participation, truncated
    from dalembert.elastic.node import Node

__all__ = [
    "ElasticBody", "FiniteElements", "Node", "attached", "beam", "buckens", "from_matrices", "given_modes", "load_matrices",
    "modal", "nodal_bodies", "participation", "principal", "rayleigh", "read_sid", "solid", "truncated", "write_sid",
]  # fmt: skip

_MODULES = {
    "ElasticBody": "body", "Node": "node", "attached": "floating_frames", "buckens": "floating_frames",
    "principal": "floating_frames", "modal": "builders.damping", "rayleigh": "builders.damping",
    "given_modes": "builders.given_modes", "nodal_bodies": "builders.lumped", "FiniteElements": "builders.finite_elements",
    "from_matrices": "builders.finite_elements", "load_matrices": "builders.finite_elements", "read_sid": "builders.sid",
    "write_sid": "builders.sid", "solid": "builders.solid_mesh", "beam": "builders.straight_beam",
    "participation": "mode_participation", "truncated": "mode_participation",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
