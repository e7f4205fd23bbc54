"""A made positive definite where bodies lack mass or inertia of their own, without changing the motion.

A thin rod has no inertia about itself; the joints that hold it make the motion definite all the same. Adding ρ HᵀH to A and
ρ Hᵀh to f changes nothing where H ẇ = h, neither ẇ nor the multipliers, and every constraint method can then factor A.
"""

from __future__ import annotations

import numpy as np

from dalembert.formulations.absolute.connection import Directions
from dalembert.kinematics.totals import total_inertia
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr

NO_MOMENT = 1e-10
"""Part of its largest moment of inertia below which a body's smallest counts as nothing."""


def singular_bodies(m: Mechanism) -> list[int]:
    """Bodies whose mass or some moment of inertia is nothing; those whose motion is given need none."""
    bodies = [(k, m.numeric.bodies[k - 1]) for k in m.free_bodies]
    return [k for k, b in bodies if _singular(float(b.mass), b.inertia.astype(float))]


def _singular(mass: float, inertia: np.ndarray) -> bool:
    moments = np.linalg.eigvalsh(inertia)
    return mass == 0.0 or bool(moments[0] <= NO_MOMENT * max(moments[-1], 0.0))


def lacking(m: Mechanism) -> str | None:
    """The sentence for formulations that divide by the inertia of every body."""
    found = singular_bodies(m)
    if not found:
        return None
    return (
        f'body "{m.bodies[found[0] - 1].name}" has no mass, or no inertia about some axis, and this elimination divides by it; '
        'give it some, or choose "newton_euler", "barycentric" or "kane"'
    )


def row_weights(m: Mechanism, X: Directions, body: int) -> np.ndarray:
    """For each row on a body: the mass of its part where the row resists a force, the part's inertia where it resists a torque."""
    mass, inertia = total_inertia(m, body)
    return np.array([inertia if _none(column) else mass for column in X.force.T])


def _none(column: np.ndarray) -> bool:
    return not any(type(x) is Expr or x != 0.0 for x in column)


def strengthened(
    A: np.ndarray, f: np.ndarray, H: np.ndarray, h: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A + HᵀρH and f + Hᵀρh."""
    weighted = weights[:, None] * H
    return A + H.T @ weighted, f + weighted.T @ h
