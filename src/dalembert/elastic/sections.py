"""What a beam carries inside, from the strains of its modes: moments and axial force in its sections, per unit of each coordinate.

The curvature κ and the stretch ε of the section at x give M = (GJ θ_x', EI_y θ_y', EI_z θ_z') and N = EA u'. Rigid motions have
no strain, so that these do not depend on the floating frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.elastic.builders.beam_elements import GAUSS, BeamElements


@dataclass(frozen=True, eq=False)
class Sections:
    """At the places x (P,): moments (P, 3, n) about the beam's axes x, y, z, and axial forces (P, n)."""

    x: np.ndarray
    moments: np.ndarray
    axial: np.ndarray


def sections(model: BeamElements, F: np.ndarray, x: np.ndarray) -> Sections:
    """Sections of the nodal mode shapes F; where two elements meet, the mean of both sides."""
    found = [_both_sides(model, F, float(at)) for at in x]
    return Sections(np.array(x), np.array([m for m, _ in found]), np.array([n for _, n in found]))


def _both_sides(model: BeamElements, F: np.ndarray, x: float) -> tuple[np.ndarray, np.ndarray]:
    near = 1e-9 * float(model.x[-1])
    sides = [e for e in range(model.count) if model.x[e] - near <= x <= model.x[e + 1] + near]
    made = [_one_side(model, F, e, (x - model.x[e]) / model.length(e)) for e in sides]
    return np.mean([m for m, _ in made], axis=0), np.mean([n for _, n in made], axis=0)


def _one_side(model: BeamElements, F: np.ndarray, e: int, xi: float) -> tuple[np.ndarray, np.ndarray]:
    _, _, _, bend, stretch = model.shapes(e, xi)
    A, J, Iy, Iz = (_section(model, e, xi, name) for name in ("A", "J", "Iy", "Iz"))
    mat, shapes = model.material, F[6 * e : 6 * e + 12]
    stiffness = np.array([mat.G * J, mat.E * Iy, mat.E * Iz])
    return stiffness[:, None] * (bend @ shapes), mat.E * A * (stretch @ shapes)[0]


def _section(model: BeamElements, e: int, xi: float, name: str) -> float:
    """A property between those at the outer Gauss points of the element."""
    (a, _), (b, _) = GAUSS[0], GAUSS[-1]
    first, last = (float(getattr(model.sections[e][k], name)) for k in (0, -1))
    return first + (last - first) * (xi - a) / (b - a)
