"""The nodal bodies that an elastic body was made of, where it was: what Newton and Euler's laws can be written for one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dalembert.elastic.builders.moments import from_points

_NEGLIGIBLE = 1e-9
"""Turn of a frame, beside the modes' own, that leaves no second-order displacement worth the name."""
SAME, SAME_ZERO = 1e-9, 1e-12
"""How near inertia by lumps must be to the modal data, of each entry and of the largest."""


@dataclass(frozen=True, eq=False)
class Lumps:
    """m (K,) at r (K, 3), displaced by Phi (K, 3, n) and turned by Psi (K, 3, n), with second moments D (K, 3, 3)."""

    m: np.ndarray
    r: np.ndarray
    Phi: np.ndarray
    Psi: np.ndarray
    D: np.ndarray

    @property
    def turn(self) -> bool:
        """Whether any of them turns with inertia of its own."""
        return bool(np.any(self.D) and np.any(self.Psi))

    def make(self, S: np.ndarray, P: np.ndarray) -> bool:
        """Whether a body with these moments is made of them and nothing else."""
        own = from_points(self.m, self.r, self.Phi, self.D, self.Psi)
        return all(np.allclose(a, b, rtol=SAME, atol=SAME_ZERO * np.abs(b).max()) for a, b in ((own.S, S), (own.P, P)))

    def seen(self, a: np.ndarray, b: np.ndarray) -> Lumps | None:
        """Lumps seen from a frame that takes a_j + b_j × r of each mode away; None where it turns, so that displacements are no
        longer linear."""
        size = float(np.abs(self.r).max(initial=0.0)) or 1.0
        if np.abs(b).max(initial=0.0) * size > _NEGLIGIBLE * np.abs(self.Phi).max(initial=0.0):
            return None
        return replace(self, Phi=self.Phi - a.T - np.cross(b[None], self.r[:, None]).swapaxes(1, 2))
