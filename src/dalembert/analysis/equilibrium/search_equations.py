"""Equations of an equilibrium that is searched for: what is left over in a state, by what it is measured, and Newton's step.

Displacements are measured by large steps, forces by their work along these, rows of constraints by their own scales.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.linalg import lapack, lstsq, qr

from dalembert.analysis.equilibrium.descent import Descent, Drag, MovedBodies
from dalembert.analysis.equilibrium.static_residual import StaticEquations, StaticResidual
from dalembert.analysis.equilibrium.steady_speeds import SteadySpeeds
from dalembert.analysis.linear.can_rest import stands
from dalembert.cached import cached_property
from dalembert.constraints.assembly.assemble import DEPENDENT, close, displaced
from dalembert.constraints.rest import STILL, own_rates
from dalembert.kinematics.constraint_rows import row_scales
from dalembert.kinematics.initial import named_speeds
from dalembert.mechanism import Mechanism
from dalembert.pivoting import RANK_TOLERANCE, least_squares

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


BALANCED = 1e-8
"""Part of the mechanism's forces that may be left over."""
RANK = 1e-13
"""Part of the largest column, or singular value, below which one is none where equilibria are solved for."""
REGULAR = 1e-12
"""Reciprocal condition number above which a matrix is solved with as it is."""
CLOSED = 1e-9
"""Gap, by its row's scale, at which loops are closed enough between two steps."""


@dataclass(frozen=True, eq=False)
class SearchStart:
    """Where a search begins; `open` if its loops are not closed."""

    q: np.ndarray
    u: np.ndarray
    open: bool = False


@dataclass(frozen=True, eq=False)
class SearchState:
    """A state on the way, with what is left over there."""

    q: np.ndarray
    u: np.ndarray
    lam: np.ndarray
    b: StaticResidual


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Where one start led."""

    q: np.ndarray
    u: np.ndarray
    lam: np.ndarray
    left: np.ndarray
    """Force left over on each speed, zero on those that are driven; nan where it is no number."""
    tau: np.ndarray
    gap: float
    scale: float
    passing: np.ndarray
    """What is left over on each speed a second later, the constraints' forces having followed: zero in steady motion."""
    steps: np.ndarray
    """Steps of the speeds, by which forces can be compared with each other and with the scale."""
    closed: float
    """Gap at which the loops count as closed."""
    took: int = 0
    """Steps that led there."""

    @property
    def worst(self) -> float:
        """The largest force left over; infinite where one is no number."""
        left = np.abs(self.left) * self.steps
        return float(left.max(initial=0.0)) if np.isfinite(left).all() else np.inf

    @property
    def balanced(self) -> bool:
        return np.isfinite(self.worst) and self.worst <= BALANCED * self.scale and self.gap <= self.closed


class SearchEquations:
    """Equations of the states that a search comes to: given speeds stay, speeds to be found and all coordinates that are not fixed may
    change."""

    redundant = False
    """Whether rows depend on each other where the search began."""

    def __init__(self, m: Mechanism, speeds: JointValues | None, find: Any, hold: Sequence[str], t: float):
        self.m, self.t = m, t
        self.find = named_speeds(m, find or {})
        self.moving = sorted({*named_speeds(m, speeds or {}), *self.find})
        self.statics = StaticEquations(m, t, at_rest=not self.moving and stands(m))
        fixed = named_speeds(m, dict.fromkeys(hold, 0.0))
        self.free = [i for i in range(m.n_u) if i not in {*fixed, *self.moving}]
        self.rows = [i for i in range(m.n_u) if i not in self.moving]
        self.fixed = sorted({*fixed, *self.moving})
        self.steady = SteadySpeeds(self.statics, self.moving, self.find)
        self.steps = m.scales.speeds

    def with_values(self, values: Mapping[str, float]) -> Self:
        """The same search at other values of parameters."""
        if not values:
            return self
        other = copy(self)
        other.statics = self.statics.with_values(values)
        other.m = other.statics.m
        other.steady = SteadySpeeds(other.statics, other.moving, other.find)
        return other

    def at(self, q: np.ndarray, u: np.ndarray) -> SearchState:
        """A pose with the speeds that follow from it and the multipliers that leave least force over.

        Those of a motion from rest would do too, but a slack cable falls almost freely, and its stiffness is in its tension.
        """
        u = self.steady.consistent(q, u)
        b = self.residual(q, u, np.zeros(len(self.statics.multipliers)))
        if not len(b.B):
            return SearchState(q, u, np.zeros(0), b)
        lam = solved(b.B[:, self.rows].T, -b.r[self.rows])
        return SearchState(q, u, lam, self.residual(q, u, lam))

    def residual(self, q: np.ndarray, u: np.ndarray, lam: np.ndarray) -> StaticResidual:
        """What is left over; of rows that depend on each other only those that say most take part, their loops closed as far as can be.

        In a pose not quite closed such rows differ a little, and forces without bound along the difference could cancel any force.
        """
        b = self.statics.at(q, u, lam)
        if not self.redundant:
            return b
        spare = self.spare(b, q)
        return replace(b, B=np.where(spare[:, None], 0.0, b.B), g=np.zeros(len(b.g)))

    def spare(self, b: StaticResidual, q: np.ndarray) -> np.ndarray:
        """Rows that say nothing beside the others, as far as can be seen with the loops as open as they are."""
        B = b.B * self.steps
        norms = np.linalg.norm(B, axis=1)
        alive = norms > RANK_TOLERANCE * self.row_scales(q)
        R, order = qr((B / np.where(alive, norms, np.inf)[:, None]).T, mode="r", pivoting=True)
        size = np.abs(np.diag(R))
        rank = int(np.sum(size > max(RANK_TOLERANCE, DEPENDENT * self.off(b, q)) * size.max(initial=0.0)))
        out = alive.copy()
        out[order[:rank]] = False
        return out

    def off(self, b: StaticResidual, q: np.ndarray) -> float:
        return float(np.abs(b.g / self.row_scales(q)).max(initial=0.0)) if len(b.g) else 0.0

    def row_scales(self, q: np.ndarray) -> np.ndarray:
        return row_scales(self.m.state(q, np.zeros(self.m.n_u), self.t))

    @cached_property
    def _bodies(self) -> MovedBodies:
        return MovedBodies(self.m)

    def drag(self, at: SearchState) -> Drag:
        return self._bodies.drag(self.statics.axes(at.q), np.diag(at.b.A))

    def displaced(self, q: np.ndarray, eta: np.ndarray) -> np.ndarray:
        if self.m.kernels.straight:
            return displaced(self.m, q, eta, self.t)
        rates = self.m.kernels.rates(np.vstack([q, q]), np.vstack([eta, 0.0 * eta]), None, self.t)
        return self.m.admissible(q + rates[0] - rates[1])

    def closed(self, q: np.ndarray) -> np.ndarray | None:
        """The loops closed again after a step, by what is free; to rounding where rows depend on each other."""
        if self.redundant:
            attempt = close(self.m, q, self.fixed, self.t)
            return attempt.q if attempt.closed else None
        none = np.zeros(len(self.statics.multipliers))
        for _ in range(10 if len(none) else 0):
            size = self.row_scales(q)
            if np.abs(self.statics.gaps(q) / size).max() <= CLOSED:
                return q
            b = self.statics.at(q, np.zeros(self.m.n_u), none)
            if not (np.isfinite(b.g).all() and np.isfinite(b.B).all()):
                return None
            B = b.B * self.steps / size[:, None]
            eta = np.zeros(self.m.n_u)
            eta[self.free] = -self.steps[self.free] * least_squares(B[:, self.free], b.g / size, RANK_TOLERANCE)
            if self.size(eta) > 1.0:
                return None
            q = self.displaced(q, eta)
        return None if len(none) else q

    def defined(self, q: np.ndarray) -> bool:
        """Whether every function in the constraints is inside its domain."""
        return bool(np.isfinite(self.statics.gaps(q)).all())

    def size(self, eta: np.ndarray) -> float:
        return self.m.scales.of_step(eta)

    def left(self, at: SearchState) -> float:
        """The acceleration that sets in where nothing but the given speeds is fixed, √(aᵀAa), by that of the forces; and the gaps."""
        b = at.b
        A, B = b.A[np.ix_(self.rows, self.rows)], b.B[:, self.rows]
        inertia = float((np.diag(b.A) * self.steps**2).max(initial=1e-300))
        steps, B = self.steps[self.rows], B * self.steps[self.rows] / self.row_scales(at.q)[:, None]
        kkt = np.block([[A * np.outer(steps, steps) / inertia, B.T], [B, np.zeros((len(B), len(B)))]])
        a = steps * solved(kkt, np.concatenate([-b.r[self.rows] * steps / inertia, np.zeros(len(B))]))[: len(A)]
        return float(np.sqrt(max(a @ A @ a, 0.0) * inertia) / self.scale(at) + self.off(b, at.q))

    def newton_step(self, q: np.ndarray, u: np.ndarray, b: StaticResidual) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(η, δu of the speeds looked for, δλ).

        Displacements are taken by large steps, rows of forces by the largest work along these, and rows of constraints by their own
        scales: so that no unit makes some of them small beside others.
        """
        m, free, rows, find = self.m, self.free, self.rows, self.find
        B_h, g = b.B[self.statics.holonomic], b.g[self.statics.holonomic]
        K = b.R_q + b.R_u @ self.steady.along_displacements(q, u, b) if np.any(u) else b.R_q
        n, k, h = len(free), len(find), len(B_h)
        steps, sizes = self.steps, self.row_scales(q) if len(b.B) else np.zeros(0)
        work = float((np.abs(K) * np.outer(steps, steps)).max(initial=0.0)) or 1.0
        J = np.zeros((len(rows) + h, n + k + len(b.B)))
        J[: len(rows), :n] = K[np.ix_(rows, free)]
        J[: len(rows), n : n + k] = (b.R_u @ self.steady.along_speeds(b))[rows]
        J[: len(rows), n + k :] = b.B[:, rows].T
        J[len(rows) :, :n] = B_h[:, free]
        by_row = np.concatenate([steps[rows] / work, 1.0 / sizes[self.statics.holonomic]])
        by_column = np.concatenate([steps[free], np.ones(k), work / sizes])
        x = by_column * solved(by_row[:, None] * J * by_column, -by_row * np.concatenate([b.r[rows], g]))
        eta, du = np.zeros(m.n_u), np.zeros(m.n_u)
        eta[free], du[find] = x[:n], x[n : n + k]
        return eta, du, x[n + k :]

    @cached_property
    def _own_rate(self) -> float:
        """Rate of the mechanism, as its forces set it in motion, in 1/s."""
        return float(own_rates(self.m).max(initial=0.0))

    def scale(self, at: SearchState) -> float:
        """The size of the forces that cancel, by the work they do along a large step."""
        steps = self.steps
        constraint_forces = (
            np.abs(self.statics.at(at.q, at.u, at.lam).B.T @ at.lam) if self.redundant else np.abs(at.b.B.T @ at.lam)
        )
        forces = [
            np.abs(at.b.R_q) * np.outer(steps, steps),
            constraint_forces * steps,
            STILL * self._own_rate**2 * np.abs(at.b.A) * np.outer(steps, steps),
        ]
        return max(1e-300, *(float(x.max(initial=0.0)) for x in forces))

    def closing(self, b: StaticResidual) -> np.ndarray:
        """Z: free displacements that keep the loops closed."""
        steps = self.steps[self.free]
        B = b.B[self.statics.holonomic][:, self.free] * steps
        if not len(B):
            return np.diag(steps)
        norms = np.linalg.norm(B, axis=1)
        Q, R, _ = qr((B / np.where(norms > 0.0, norms, 1.0)[:, None]).T, pivoting=True)
        size = np.abs(np.diag(R))
        return np.asarray(steps[:, None] * Q[:, int(np.sum(size > RANK_TOLERANCE * size.max(initial=0.0))) :])

    def descent(self, at: SearchState, Z: np.ndarray, drag: Drag) -> Descent:
        b, free = at.b, np.ix_(self.free, self.free)
        return Descent(Z.T @ b.R_q[free] @ Z, Z.T @ drag.matrix[free] @ Z, Z.T @ b.r[self.free])


def solved(J: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution in columns of equal size; where it is not unique the shortest, so that cyclic coordinates stay put."""
    size = np.linalg.norm(J, axis=0)
    size = np.where(size > RANK * size.max(initial=1e-300), size, 1.0)
    scaled = J / size
    if len(J) == J.shape[1]:
        lu, pivots, info = lapack.dgetrf(scaled)
        if info == 0 and lapack.dgecon(lu, np.abs(scaled).sum(axis=0).max(initial=0.0))[0] > REGULAR:
            return np.asarray(lapack.dgetrs(lu, pivots, right)[0] / size)
    return np.asarray(lstsq(scaled, right, cond=RANK, lapack_driver="gelsy")[0] / size)
