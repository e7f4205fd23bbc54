"""What a beam carries inside, from the strains of its modes: moments and axial force in its sections, per unit of each coordinate.

The curvature κ and the stretch ε of the section at x give M = (GJ θ_x', EI_y θ_y', EI_z θ_z') and N = EA u'. Rigid motions have
no strain, so that these do not depend on the floating frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.elastic.builders.beam_elements import GAUSS, BeamElements

AT_END = 1e-9
"""Part of the length within which a place is at the end of an element."""


@dataclass(frozen=True, eq=False)
class Sections:
    """At the places x (P,): moments (P, 3, n) about the beam's axes x, y, z, and axial forces (P, n)."""

    x: np.ndarray
    moments: np.ndarray
    axial: np.ndarray


def sections(model: BeamElements, F: np.ndarray, x: np.ndarray) -> Sections:
    """Sections of the nodal mode shapes F; where two elements meet, the mean of both sides."""
    near = AT_END * float(model.x[-1])
    sides = [np.clip(np.searchsorted(model.x, x + by, side="right") - 1, 0, model.count - 1) for by in (-near, near)]
    moments, axial = zip(*(_one_side(model, F, e, (x - model.x[e]) / model.lengths[e]) for e in sides))
    return Sections(np.array(x), np.mean(moments, axis=0), np.mean(axial, axis=0))


def _one_side(model: BeamElements, F: np.ndarray, e: np.ndarray, xi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At xi of the elements e: (P, 3, n) and (P, n)."""
    _, _, _, bend, stretch = model.shapes(e, xi)
    A, J, Iy, Iz = (_section(model, e, xi, name) for name in ("A", "J", "Iy", "Iz"))
    mat, modes = model.material, F[6 * e[:, None] + np.arange(12)]
    stiffness = np.stack([mat.G * J, mat.E * Iy, mat.E * Iz], axis=-1)
    return stiffness[:, :, None] * (bend @ modes), (mat.E * A)[:, None] * (stretch @ modes)[:, 0]


def _section(model: BeamElements, e: np.ndarray, xi: np.ndarray, name: str) -> np.ndarray:
    """A property between those at the outer Gauss points of the elements."""
    (a, _), (b, _) = GAUSS[0], GAUSS[-1]
    first, last = (np.array([getattr(model.sections[i][k], name) for i in e]) for k in (0, -1))
    return np.asarray(first + (last - first) * (xi - a) / (b - a))
