"""A beam in slices: where its mass is and how it moves, and the places between slices. No equation reads them; loads inside are
summed over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalembert.elastic.node import Node

AT_END = 1e-9
"""Part of the length within which a place is at the end of a slice."""


@dataclass(frozen=True, eq=False)
class Slices:
    """Masses m (K,) with second moments D (K, 3, 3) at `points`, by its place `along` the beam (K,); sections at x (P,) on the `axis`.

    No section goes through a mass: those of the finite elements lie between the points of quadrature.
    """

    m: np.ndarray
    D: np.ndarray
    along: np.ndarray
    points: tuple[Node, ...]
    x: np.ndarray
    axis: tuple[Node, ...]

    def seen(self, see: Callable[[Node], Node]) -> Slices:
        """Slices seen from another frame."""
        return replace(self, points=tuple(map(see, self.points)), axis=tuple(map(see, self.axis)))

    def beyond(self, along: np.ndarray) -> np.ndarray:
        """(P, len(along)): what lies beyond each section, seen just outside of it; at the last one, just inside."""
        near = AT_END * float(self.x[-1] - self.x[0])
        from_here = self.x + near
        from_here[-1] = self.x[-1] - near
        return np.asarray(along)[None, :] > from_here[:, None]


@dataclass(frozen=True, eq=False)
class Moved:
    """Places of nodes in the floating frame at many samples, with their first and second rates: (S, K, 3) each."""

    x: np.ndarray
    rate: np.ndarray
    second: np.ndarray

    @staticmethod
    def of(nodes: Sequence[Node], q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> Moved:
        """x = r + Φq + ½ qᵀGq."""
        r, Phi, G = (np.array([getattr(n, part) for n in nodes]) for part in ("r", "Phi", "G"))
        columns = Phi + np.einsum("kija,si->skaj", G, q)
        x = r + 0.5 * np.einsum("skaj,sj->ska", Phi + columns, q)
        bend = np.einsum("kija,si,sj->ska", G, qd, qd, optimize=True)
        return Moved(x, np.einsum("skaj,sj->ska", columns, qd), np.einsum("skaj,sj->ska", columns, qdd) + bend)
