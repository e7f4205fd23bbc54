"""A descent step: −(|K| + μD)⁻¹ r, for forces r with stiffness K and a drag D.

|K| is K where that is positive definite, and there μ = 0 is a step of Newton's method towards a minimum; elsewhere it has the
eigenvalues of K in the metric of D made positive, so that every step leads downward. μ keeps it short.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, eigh, lapack

from dalembert.mechanism import Mechanism

LEAST = 1e-12
"""Inertia of a speed, beside the greatest, that drag takes it to have at least."""
SOFT = 1e-9
"""Curvature, by the largest, above which it counts as none."""
FIRM = 1e-9
"""Part by which the drag's diagonal is raised, so that its matrix is definite."""


@dataclass(frozen=True, eq=False)
class Drag:
    """Against the turning of bodies, each in proportion to the inertia it carries, and against sliding and deforming.

    The mass matrix itself would not do: a long chain falls freely but for its first links, which turn the faster the shorter they are,
    while under this drag all of its links turn alike.
    """

    matrix: np.ndarray
    paths: np.ndarray
    axes: np.ndarray
    sliding: np.ndarray
    """The size of a step by which each speed that turns nothing is measured; infinite for the others."""

    @property
    def unit(self) -> float:
        """What a turn by 1 rad, or a slide by the mechanism's size, makes against the greatest drag."""
        sizes = np.where(np.isinf(self.sliding), 1.0, self.sliding)
        return float(np.sqrt((np.diag(self.matrix) * sizes**2).max(initial=0.0)))

    def size(self, eta: np.ndarray) -> float:
        """The greatest turn of a body, in rad, or the greatest slide, in sizes of the mechanism."""
        turns = self.paths @ (self.axes * eta).T
        slides = np.abs(eta) / self.sliding
        return float(max(np.linalg.norm(turns, axis=1).max(initial=0.0), slides.max(initial=0.0)))


class MovedBodies:
    """Which bodies each speed moves."""

    def __init__(self, m: Mechanism):
        self.m = m
        self.paths = np.zeros((m.n_bodies, m.n_u))
        for k, columns in enumerate(m.path_columns[1 : m.n_bodies + 1]):
            self.paths[k, list(columns)] = 1.0
        own = m.variables is None  # speeds that were chosen belong to no joint, and count as slides
        self.joint_of = np.array([k for k, j in enumerate(m.joints) for _ in j.columns] if own else [0] * m.n_u, int)
        self.sizes = m.scales.sizes[m.n_q :]

    def drag(self, axes: np.ndarray, inertia: np.ndarray) -> Drag:
        """Drag from the world axes of the speeds and the diagonal of A, which need not be positive where an elastic body is bent too
        far."""
        inertia = np.maximum(np.abs(inertia), LEAST * np.abs(inertia).max(initial=0.0))
        turning = np.any(axes != 0.0, axis=0)
        carried = np.zeros(self.m.n_bodies)
        np.maximum.at(carried, self.joint_of, np.where(turning, inertia, 0.0))
        D = (self.paths.T @ (carried[:, None] * self.paths)) * (axes.T @ axes)
        D[~turning, ~turning] = inertia[~turning]
        D[np.diag_indices_from(D)] *= 1.0 + FIRM
        return Drag(D, self.paths, axes, np.where(turning, np.inf, self.sizes))


class Descent:
    def __init__(self, K: np.ndarray, D: np.ndarray, r: np.ndarray):
        self.K, self.D, self.r = 0.5 * (K + K.T), D, r
        self.definite = lapack.dpotrf(self.K - SOFT * np.abs(self.K).max(initial=0.0) * np.eye(len(r)), lower=1)[1] == 0
        if not self.definite:
            self._curvature, self._modes = eigh(self.K, D)

    def step(self, mu: float) -> np.ndarray:
        if self.definite:
            factor = lapack.dpotrf(self.K + mu * self.D, lower=1)[0]
            return np.asarray(-cho_solve((factor, True), self.r))
        along = self._modes.T @ self.r
        return np.asarray(-self._modes @ (along / (np.abs(self._curvature) + mu)))

    @property
    def away(self) -> np.ndarray | None:
        """Off a saddle or summit: what gives way most; None where nothing does."""
        if self.definite or not self._curvature[0] < -SOFT * np.abs(self._curvature).max():
            return None
        return np.asarray(self._modes[:, 0])

    @property
    def first(self) -> float:
        """√(rᵀD⁻¹r): over the length of a step, the μ at which drag alone makes it so long."""
        return float(np.linalg.norm(lapack.dtrtrs(lapack.dpotrf(self.D, lower=1)[0], self.r, lower=1)[0]))
