"""What a joint allows and what it blocks, as directions of force and torque, from its contract alone.

The motion of C in P is S u, S = [turning; sliding], 6 × n: angular velocity in C's axes over velocity in P's axes. Blocked
directions X are 6 − n columns with XᵀS = 0: the constraint forces f and torques Qλ that do no work [B 44, 53; Remark 5].
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dalembert.formulations.symmetric_solve import solve_symmetric
from dalembert.parts.joints import Joint
from dalembert.trace import Expr, depends_on, directional, jacobian, substitute, symbols, tracing
from dalembert.vectors import skew

NO_COMPONENT = 1e-15
"""Component of a unit vector that is rounding."""
AS_LARGE = 1e-9
"""How much shorter the first of several candidates may be and still be taken."""


def motion(joint: Joint, q: Any) -> np.ndarray:
    """S: 6 × n."""
    return np.vstack([joint.turning(q), joint.sliding(q)])


@lru_cache(maxsize=256)
def slides(joint: Joint) -> bool:
    """Whether C's origin ever leaves its place in P."""
    with tracing():
        return any(type(x) is Expr or x != 0.0 for x in joint.sliding(symbols("#q", range(joint.n_q))).ravel())


def blocked(joint: Joint, q: Any, free: list[int]) -> np.ndarray:
    """X: 6 × (6 − number of free speeds), orthogonal to the columns of the free speeds; the prescribed ones count as blocked."""
    S = motion(joint, q)
    if not _varies(joint) and not any(type(x) is Expr for x in S.ravel()):
        return _complement(S[:, free])
    prescribed = [i for i in range(joint.n_u) if i not in free]
    own = joint.blocked(q)
    return np.hstack(
        [_closing(joint, q) if own is None else own, *(_across(S[:, [i]], S[:, free]) for i in prescribed)]
    )


def left_inverse(S: np.ndarray) -> np.ndarray:
    """S⁺ = (SᵀS)⁻¹Sᵀ, which reads the speeds off a motion; its transpose makes a force and torque of forces on the speeds."""
    if not S.shape[1]:
        return S.T
    if not any(type(x) is Expr for x in S.ravel()):
        return np.linalg.pinv(S.astype(float))
    return solve_symmetric(S.T @ S, S.T)


def _complement(S: np.ndarray) -> np.ndarray:
    """Orthonormal columns across those of S: unit vectors (forces first) made orthogonal, the one furthest from S first."""
    kept: list[np.ndarray] = list(np.linalg.qr(S.astype(float))[0].T) if S.shape[1] else []
    units = list(np.eye(6)[[3, 4, 5, 0, 1, 2]])
    out = []
    for _ in range(6 - S.shape[1]):
        left = [e - sum((e @ v) * v for v in kept) for e in units]
        sizes = [np.linalg.norm(x) for x in left]
        best = next(i for i, size in enumerate(sizes) if size > max(sizes) - AS_LARGE)
        x = left[best] / sizes[best]
        x = x - sum((x @ v) * v for v in kept)  # twice is enough
        x = np.where(np.abs(x) < NO_COMPONENT, 0.0, x / np.linalg.norm(x))
        kept.append(x)
        out.append(x)
        units.pop(best)
    return np.array(out).reshape(len(out), 6).T


def _across(x: np.ndarray, S: np.ndarray) -> np.ndarray:
    """The part of a column x across those of S: a force along x alone that does no work in S."""
    return x if not S.shape[1] else x - S @ (left_inverse(S) @ x)


@lru_cache(maxsize=256)
def _varies(joint: Joint) -> bool:
    """Whether the joint's columns change with its coordinates."""
    with tracing():
        q = symbols("#q", range(joint.n_q))
        return depends_on(motion(joint, q), q)


def _closing(joint: Joint, q: Any) -> np.ndarray:
    """The rates of the joint's closure per unit of motion: what it blocks where its columns change with q."""
    X, R, p = _closure_rates(joint)
    known = dict(zip(R.ravel(), joint.rotation(q).ravel())) | dict(zip(p, joint.translation(q)))
    rows = np.asarray(substitute(X, known))
    return (rows if any(type(x) is Expr for x in rows.ravel()) else rows.astype(float)).T


@lru_cache(maxsize=256)
def _closure_rates(joint: Joint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """∂(d/dt closure)/∂(ω, v) in symbols of R and p: dR = R ω̃, dp = v."""
    with tracing():
        R, p = symbols("#R", range(9)).reshape(3, 3), symbols("#p", range(3))
        w, v = symbols("#w", range(3)), symbols("#v", range(3))
        moved = dict(zip(R.ravel(), (R @ skew(w)).ravel())) | dict(zip(p, v))
        rates = directional(np.asarray(joint.closure(R, p), dtype=object), moved)
        return jacobian(rates, [*w, *v]), R, p
