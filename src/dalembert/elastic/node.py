"""A node: a frame that moves with an elastic body's coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

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
        Phi = _floats(Phi)
        n = Phi.shape[-1] if Phi.ndim == 2 else -1
        shapes = {"r": (3,), "Phi": (3, n), "Psi": (3, n), "G": (n, n, 3), "Gam": (n, n, 3)}
        given = {"r": r, "Phi": Phi, "Psi": Psi, "G": G, "Gam": Gam}
        made = {}
        for name, shape in shapes.items():
            value = np.zeros(shape) if given[name] is None and n >= 0 else _floats(given[name])
            if value.shape != shape:
                raise ModelError(f"Node: {name} must have shape {shape}, not {value.shape}")
            value.flags.writeable = False
            made[name] = value
        return Node(**made)

    @property
    def fixed(self) -> bool:
        """Whether it stays where it is in the body's frame: the frame is attached to it."""
        return not any(np.any(part) for part in (self.Phi, self.Psi, self.G, self.Gam))


def named_nodes(nodes: Mapping[str, Node]) -> Mapping[str, Node]:
    """Read-only, with names that no other meaning has."""
    for name in nodes:
        if not name or name == "frame":
            raise ModelError('a node cannot be named "frame": that is the floating frame itself; choose another name')
    return MappingProxyType(dict(nodes))


def _floats(given: Any) -> np.ndarray:
    return np.array(given, dtype=float)
