"""How far an elastic body is bent, beside what its linear modes are made for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.elastic.body import ElasticBody

FAR = 0.1
"""Part of the body's length beyond which a displacement is too large for linear modes."""
STEEP = 0.3
"""Turn (rad) of a point of it that is: a pinned beam bent by a tenth of its length turns so far at its ends."""


@dataclass(frozen=True)
class Deflection:
    """The largest displacement of a known point, as a part of the body's length, and the largest turn (rad); in the floating frame."""

    moved: float
    turned: float
    length: float

    @property
    def slight(self) -> bool:
        """Whether linear modes hold."""
        return self.moved <= FAR and self.turned <= STEEP

    def __str__(self) -> str:
        turn = f" and turned by {np.degrees(self.turned):.3g}°" if self.turned > STEEP else ""
        return f"bent by {self.moved * self.length:.3g} m, {100.0 * self.moved:.3g} % of its length{turn}"


def deflections(body: ElasticBody, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Displacement by length and turn, the largest of all known points, for each row of coordinates (K, n)."""
    moved, turned = np.zeros(len(q)), np.zeros(len(q))
    for node in body.points:
        u = q @ node.Phi.T + 0.5 * np.einsum("ki,kj,ija->ka", q, q, node.G, optimize=True)
        moved = np.maximum(moved, np.linalg.norm(u, axis=1))
        turned = np.maximum(turned, np.linalg.norm(q @ node.Psi.T, axis=1))
    return moved / body.length, turned


def deflection(body: ElasticBody, q: np.ndarray) -> Deflection:
    """At one set of coordinates."""
    moved, turned = deflections(body, np.atleast_2d(q))
    return Deflection(float(moved[0]), float(turned[0]), body.length)
