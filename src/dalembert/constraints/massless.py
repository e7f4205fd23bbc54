"""The mass matrix factorised; where a freedom moves no mass, that freedom is named."""

from __future__ import annotations

import numpy as np

from dalembert.errors import StateError
from dalembert.mechanism import Mechanism
from dalembert.mechanism.connected import largest_in

NO_MASS = 1e-13
"""What elimination leaves of a freedom's own inertia below which it is rounding."""
NOTHING = 1e-22
"""Part of the largest inertia of its part of the mechanism below which another is rounding: lengths within a part differ by less."""
NAMED = 0.1
"""Part of the largest share in a freedom without mass from which on a speed is named."""


def mass_factor(A: np.ndarray, m: Mechanism | None = None) -> np.ndarray:
    """L of A = L Lᵀ, of one mass matrix or of many. Where A is that of a mechanism in its own speeds, `m`, the freedom without mass is
    named, and one whose inertia is mere rounding counts as such."""
    if not np.isfinite(A).all():
        raise StateError(_ENDLESS)
    try:
        L: np.ndarray = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise StateError(_ANY if m is None else _without_mass(m, A)) from None
    if m is not None and not (np.diagonal(L, axis1=-2, axis2=-1) ** 2 > _least(m, A, NO_MASS)).all():
        raise StateError(_without_mass(m, A))
    return L


_ENDLESS = (
    "the inertia of the mechanism is beyond what can be computed with: its masses or lengths are too large, or too far apart; check "
    "their units"
)
_ANY = (
    "a freedom of the mechanism, cut open at its loops, moves no mass here: give the links at the cut a little mass and inertia, or "
    "build with cut=[…] another joint"
)


def _least(m: Mechanism, A: np.ndarray, part: float) -> np.ndarray:
    """Inertia of each speed that counts as none: a `part` of its own, or what is nothing beside the largest of its part."""
    own = np.diagonal(A, axis1=-2, axis2=-1)
    return np.maximum(part * own, NOTHING * largest_in(m.scales.part[m.n_q :], own))


def _without_mass(m: Mechanism, A: np.ndarray) -> str:
    """The speeds that together move no mass, and what to do about it."""
    stack = A.reshape(-1, m.n_u, m.n_u)
    size = np.sqrt(_least(m, stack, 1.0))
    with np.errstate(all="ignore"):
        relative = stack / size[:, :, None] / size[:, None, :]
    if not np.isfinite(relative).all():
        return _ENDLESS
    moments, directions = np.linalg.eigh(relative)
    worst = int(np.argmin(moments[:, 0]))
    part = np.abs(directions[worst, :, 0])
    names = [m.speeds[i] for i in np.flatnonzero(part > NAMED * part.max())]
    bodies = [m.bodies[k].name for k, j in enumerate(m.joints) if {*j.columns} & {m.speeds.index(n) for n in names}]
    together = " together" if len(names) > 1 else ""
    return (
        f"{_quoted(names)}{together} can move without moving any mass. Loops or constraints may decide that motion, but the equations "
        f"of the tree divide by its inertia: give {_quoted(bodies)} mass and inertia in that direction, prescribe the freedom "
        "instead of constraining it, or build with cut=[…] another joint"
    )


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
