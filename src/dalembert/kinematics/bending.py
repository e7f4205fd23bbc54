"""Elastic bodies bent so far that the mass matrix is no longer positive: accelerations would then mean nothing, and methods differ.

The second order of a body's displacements is kept where it counts while it bends slightly. Far beyond, it takes more inertia away than
there is.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.elastic.deflection import Deflection, deflection
from dalembert.errors import BendingWarning, StateError
from dalembert.mechanism import Mechanism

SLIGHT = 0.005
"""Sum over a body's modes of their amplitudes by `modal_scales`, up to which no mass matrix ceases to be positive."""
SPENT = 1e-9
"""Eigenvalue of the mass matrix with a unit diagonal by which it may be negative from rounding."""


def check_positive(
    m: Mechanism, q: Any, t: Any = 0.0, parameters: Mapping[str, Any] | None = None, where: str = ""
) -> None:
    """Refuse a state, or a batch with a state, in which the mass matrix is not positive."""
    if not m.elastic:
        return
    q = np.asarray(q, dtype=float)
    if q.ndim not in (1, 2) or q.shape[-1] != m.n_q:
        return  # said by whoever takes it
    m, q = m.in_joint_variables, m.joint_coordinates(q)
    bad = first_not_positive(m, np.atleast_2d(q), t, parameters)
    if bad is not None:
        state = f"state {bad}: " if q.ndim == 2 else ""
        raise StateError(f"{where}: {state}{bent_too_far(m, np.atleast_2d(q)[bad])}")


def first_not_positive(m: Mechanism, q: np.ndarray, t: Any, parameters: Mapping[str, Any] | None) -> int | None:
    """The first of some states in which the mass matrix is not positive."""
    places, weights = m.modal_weights
    far = np.flatnonzero(~((np.abs(q[:, places]) @ weights).max(axis=1) <= SLIGHT) & np.isfinite(q).all(axis=1))
    if not len(far):
        return None
    if m.kernels.least_pivot is not None:  # quicker than the matrix, and mostly enough
        far = far[~(_at(m.kernels.least_pivot, q, t, parameters, far)[:, 0] > 0.0)]
    wrong = (
        [k for k, A in zip(far, _at(m.kernels.mass_matrix, q, t, parameters, far)) if not positive(A)]
        if len(far)
        else []
    )
    return int(wrong[0]) if wrong else None


def _at(kernel: Any, q: np.ndarray, t: Any, parameters: Mapping[str, Any] | None, states: np.ndarray) -> np.ndarray:
    """A kernel's values in some of the states."""
    values = {k: v if np.ndim(v) == 0 else np.asarray(v)[states] for k, v in (parameters or {}).items()}
    return np.asarray(kernel(q[states], None, None, t if np.ndim(t) == 0 else np.asarray(t)[states], values or None))


def positive(M: np.ndarray) -> bool:
    """Whether a symmetric matrix is, in whatever units its rows are."""
    diagonal = np.diag(M)
    size = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    return bool((diagonal >= 0.0).all() and np.linalg.eigvalsh(M / np.outer(size, size))[0] >= -SPENT)


def bent_too_far(m: Mechanism, q: np.ndarray) -> str:
    """Which body, how far, and what to do."""
    name, how = most_bent(m, q)
    return (
        f'elastic body "{name}" is {how}: so far that the mass matrix of its model is not positive, and accelerations mean nothing. '
        "Modes are made for a tenth of the length: cut the body into several, welded node to node, or build it with stiffening=False"
    )


def warn_of_bending(m: Mechanism, q: np.ndarray, where: str) -> None:
    """Say so where a body is bent further than its modes hold."""
    m, q = m.in_joint_variables, m.joint_coordinates(q)
    name, how = most_bent(m, q)
    if not how.slight:
        warnings.warn(
            f'{where}: elastic body "{name}" is {how}. Its modes are linear and made for a tenth of the length: cut it into several, '
            "welded node to node, or make it stiffer",
            BendingWarning,
            stacklevel=5,
        )


def most_bent(m: Mechanism, q: np.ndarray) -> tuple[str, Deflection]:
    """The elastic body whose own inertia is spent, or else that which is bent most, and how far."""
    found = []
    for k, body in enumerate(m.bodies):
        if body.modes:
            own = q[m.modal_places(k)]
            how = deflection(body.data, own)
            found.append((body.sound(own), -max(how.moved, how.turned), body.name, how))
    _, _, name, how = min(found, key=lambda x: x[:2])
    return name, how
