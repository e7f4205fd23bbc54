"""The mass matrix of the tree, factorised; where a freedom moves no mass, that freedom is named."""

from __future__ import annotations

import numpy as np

from dalembert.errors import StateError
from dalembert.mechanism import Mechanism

NO_MASS = 1e-13
"""What elimination leaves of a freedom's own inertia below which it is rounding."""
NOTHING = 1e-22
"""Part of the largest inertia below which another is rounding, whatever the units: lengths in one mechanism differ by less."""


def mass_factor(m: Mechanism, A: np.ndarray) -> np.ndarray:
    """L of A = L Lᵀ, of one mass matrix or of many, in the mechanism's own speeds."""
    try:
        L: np.ndarray = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise StateError(_without_mass(m, A)) from None
    own = np.diagonal(A, axis1=-2, axis2=-1)
    least = np.maximum(NO_MASS * own, NOTHING * own.max(axis=-1, initial=0.0, keepdims=True))
    if not (np.diagonal(L, axis1=-2, axis2=-1) ** 2 > least).all():
        raise StateError(_without_mass(m, A))
    return L


def _without_mass(m: Mechanism, A: np.ndarray) -> str:
    """The speeds that together move no mass, and what to do about it."""
    stack = A.reshape(-1, m.n_u, m.n_u)
    own = np.diagonal(stack, axis1=1, axis2=2)
    size = np.sqrt(np.maximum(own, NOTHING * own.max(axis=1, keepdims=True)))
    moments, directions = np.linalg.eigh(stack / size[:, :, None] / size[:, None, :])
    worst = int(np.argmin(moments[:, 0]))
    part = np.abs(directions[worst, :, 0])
    names = [m.speeds[i] for i in np.flatnonzero(part > 0.1 * part.max())]
    bodies = [m.bodies[k].name for k, j in enumerate(m.joints) if {*j.columns} & {m.speeds.index(n) for n in names}]
    together = " together" if len(names) > 1 else ""
    return (
        f"{_quoted(names)}{together} can move without moving any mass. Loops or constraints may decide that motion, but the equations "
        f"of the tree divide by its inertia: give {_quoted(bodies)} mass and inertia in that direction, prescribe the freedom "
        "instead of constraining it, or build with cut=[…] another joint"
    )


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
