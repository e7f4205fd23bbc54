"""The mass matrix factorised. A freedom that moves no mass is carried by the rows that decide it, or else named."""

from __future__ import annotations

import numpy as np

from dalembert.errors import StateError
from dalembert.formulations.tree import kane
from dalembert.kinematics.constraint_rows import closure, row_scales
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.connected import largest_in

NO_MASS = 1e-13
"""What elimination leaves of a freedom's own inertia below which it is rounding."""
NOTHING = 1e-22
"""Part of the largest inertia of its part of the mechanism below which another is rounding: lengths within a part differ by less."""
APART = 1e-8
"""Part of the largest inertia below which another may be lost beside it where rows are ranked."""
NAMED = 0.1
"""Part of the largest share in a freedom without mass from which on a speed is named."""
POSES, FAR = 3, 0.5
"""How many poses are examined for freedoms without mass, and how far these are from the reference, in large steps."""


def mass_factor(A: np.ndarray, m: Mechanism | None = None) -> np.ndarray:
    """L of A = L Lᵀ, of one mass matrix or of many. Where A is that of a mechanism in its own speeds, `m`, the freedom without mass is
    named, and one whose inertia is mere rounding counts as such."""
    if not np.isfinite(A).all():
        raise StateError(_ENDLESS)
    try:
        L: np.ndarray = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        raise StateError(_ANY if m is None else _without_mass(m, A)) from None
    left = np.diagonal(L, axis1=-2, axis2=-1) ** 2
    if m is None and not (left > NO_MASS * np.diagonal(A, axis1=-2, axis2=-1)).all():
        raise StateError(_ANY)
    if m is not None and not (left > _least(m, A, NO_MASS)).all():
        raise StateError(_without_mass(m, A))
    return L


def row_inertias(m: Mechanism) -> np.ndarray | None:
    """W, an inertia for every row, where a freedom moves no mass but rows decide it; None where all freedoms move mass, or where rows
    do not decide those that do not.

    A + BᵀWB is then definite, and the same motion with the same multipliers obeys (A + BᵀWB) u̇ + Bᵀλ = f + BᵀWγ, for B u̇ = γ.
    Each is the largest inertia of its part, by the row's scale.
    """
    here = m.numeric
    if not here.constraint_rows or here.laws:
        return None
    rng = np.random.default_rng(0)
    poses = [np.array(here.reference), *(here.somewhere(rng, FAR) for _ in range(POSES - 1))]
    states = [here.state(q, np.zeros(here.n_u)) for q in poses]
    found = [kane.mass_matrix(s) for s in states]
    if all(_definite(here, A) for A in found):
        return None
    steps, parts = here.scales.speeds, here.scales.part[here.n_q :]
    largest = np.max([largest_in(parts, np.diagonal(A) * steps**2) for A in found], axis=0, initial=0.0)
    of_part = np.zeros(len(here.parts))
    of_part[parts] = largest
    W = of_part[here.row_parts] / row_scales(states[0]) ** 2
    if not np.all(W > 0.0) or not all(_definite(here, _with(W, s)) for s in states):
        return None
    W.flags.writeable = False
    return W


def carried(
    m: Mechanism, A: np.ndarray, f: np.ndarray, B: np.ndarray, gamma: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A + BᵀWB and f + BᵀWγ, of one state or of many, on numbers or traced; A and f themselves where W is None."""
    W = m.row_inertias
    if W is None:
        return A, f
    weighed = np.swapaxes(W[:, None] * B, -1, -2)
    return A + weighed @ B, f + (weighed @ gamma[..., None])[..., 0]


def check_inertias(s: State) -> None:
    """Refuse inertias so far apart that rows lose their rank in the metric of the mass matrix."""
    m, steps = s.mechanism, s.mechanism.scales.speeds
    own, directions = np.linalg.eigh(metric(s) * np.outer(steps, steps))
    if own[0] > APART * own[-1]:
        return
    light, heavy = (m.speeds[int(np.abs(directions[:, k]).argmax())] for k in (0, -1))
    raise StateError(
        f'the inertias that "{heavy}" and "{light}" move differ so much ({own[-1]:.1e} and {own[0]:.1e} kg m²) that rounding decides '
        "what the loops resist: bring masses and inertias nearer to each other, or fix what is so heavy"
    )


def metric(s: State) -> np.ndarray:
    """The mass matrix by which displacements and rows are measured: Kane's, with what rows carry."""
    return _with(s.mechanism.row_inertias, s)


def _with(W: np.ndarray | None, s: State) -> np.ndarray:
    """A + BᵀWB in a state, on numbers."""
    A = kane.mass_matrix(s)
    if W is None:
        return A
    B = closure(s)[1]
    return np.asarray(A + B.T @ (W[:, None] * B))


def _definite(m: Mechanism, A: np.ndarray) -> bool:
    try:
        mass_factor(A, m)
    except StateError:
        return False
    return True


_ENDLESS = (
    "the inertia of the mechanism is beyond what can be computed with: its masses or lengths are too large, or too far apart; check "
    "their units"
)
_ANY = (
    "a freedom of the mechanism, cut open at its loops, moves no mass here: give the links at the cut a little mass and inertia, or "
    "build with cut=[…] another joint. Where nothing is without mass, inertias lie so far apart that rounding decides: choose another "
    "formulation"
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
    moved, (joints, modes) = {m.speeds.index(n) for n in names}, m.speed_owners
    bodies = [
        b.name for j, b in zip(m.joints, m.bodies) if moved & {*joints.get(j.name, ()), *modes.get(b.name, ())}
    ] or [b.name for b in m.bodies]
    together = " together" if len(names) > 1 else ""
    return (
        f"{_quoted(names)}{together} can move without moving any mass. Loops or constraints may decide that motion, but the equations "
        f"of the tree divide by its inertia: give {_quoted(bodies)} mass and inertia in that direction, prescribe the freedom "
        "instead of constraining it, or build with cut=[…] another joint"
    )


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
