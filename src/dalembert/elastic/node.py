"""A node: a frame that moves with an elastic body's coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from dalembert.elastic.builders.data import array, by_name
from dalembert.errors import ModelError
from dalembert.portable import Portable


@dataclass(frozen=True, eq=False)
class Node(Portable):
    """Position r + Φq + ½ qᵀGq and turn of the frame by Ψq + ½ qᵀΓq, both in body axes.

    A row vector per pair of modes: `G[i, j]` and `Gam[i, j]` are symmetric in i, j.
    """

    r: np.ndarray
    Phi: np.ndarray
    Psi: np.ndarray
    G: np.ndarray
    Gam: np.ndarray

    @staticmethod
    def of(r: Any, Phi: Any, Psi: Any = None, G: Any = None, Gam: Any = None) -> Node:
        """Zero where nothing is said; everything as read-only floats."""
        Phi = array(Phi, (3, None), "Node: Phi")
        n = Phi.shape[1]
        shapes = {"r": (3,), "Phi": (3, n), "Psi": (3, n), "G": (n, n, 3), "Gam": (n, n, 3)}
        given = {"r": r, "Phi": Phi, "Psi": Psi, "G": G, "Gam": Gam}
        made = {}
        for name, shape in shapes.items():
            absent = given[name] is None and name != "r"
            value = np.zeros(shape) if absent else array(given[name], shape, f"Node: {name}")
            value.flags.writeable = False
            made[name] = value
        return Node(**made)

    @property
    def fixed(self) -> bool:
        """Whether it stays where it is in the body's frame: the frame is attached to it."""
        return not any(np.any(part) for part in (self.Phi, self.Psi, self.G, self.Gam))


def named_nodes(nodes: Mapping[str, Node]) -> Mapping[str, Node]:
    """Read-only, with names that no other meaning has."""
    for name, node in by_name(nodes, "elastic body: nodes").items():
        if not isinstance(node, Node):
            raise ModelError(f'elastic body: node "{name}" must be made by elastic.Node.of(…), not {node!r}')
        if not name or name == "frame":
            raise ModelError('a node cannot be named "frame": that is the floating frame itself; choose another name')
    return MappingProxyType(dict(nodes))
