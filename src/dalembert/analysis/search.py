"""Finding equilibria: Newton's method on forces and gaps where it makes a small step, and settling where it does not.

Newton solves K η + Bᵀδλ = −r, B η = −g, and finds unstable equilibria as well as stable ones. Far away the mechanism settles as it
would in a viscous bath: among displacements that keep the loops closed, (|K| + μA) η = −r, where |K| has the eigenvalues of K in the
metric of A made positive, so that every step leads downhill, and μ keeps it short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh, lapack, lstsq, null_space

from dalembert.analysis.balance import Balance, Balancing
from dalembert.analysis.steady_speeds import SteadySpeeds
from dalembert.constraints.assembly import displaced, size_of
from dalembert.kinematics.initial import named_speeds
from dalembert.mechanism import Mechanism
from dalembert.system.names import unknown

REACH = 0.4
"""Longest step while settling: a turn by this, in rad, of what has the largest inertia, and of any joint."""
NEAR = 0.2
"""Longest step of Newton's method, in rad or sizes of the mechanism, that is tried."""
CONVERGED = 1e-11
"""Step after which none follows."""
ROUNDING = 1e-14
"""Part of the mechanism's forces, and of its size, that is not worth a further step."""
BALANCED = 1e-8
"""Part of the mechanism's forces that may be left over."""
MOST_STEPS = 200
RANK = 1e-13
REGULAR = 1e-12
"""Reciprocal condition number above which a matrix is solved with as it is."""


@dataclass(frozen=True, eq=False)
class Place:
    """A state on the way, with what is left over there."""

    q: np.ndarray
    u: np.ndarray
    lam: np.ndarray
    b: Balance


@dataclass(frozen=True, eq=False)
class Attempt:
    """Where one start led."""

    q: np.ndarray
    u: np.ndarray
    lam: np.ndarray
    left: np.ndarray
    """Force left over on each speed, nan on those that are driven."""
    tau: np.ndarray
    gap: float
    scale: float
    passing: np.ndarray
    """What is left over on each speed a second later, the constraints' forces having followed: zero in steady motion."""

    @property
    def worst(self) -> float:
        return float(np.nanmax(np.abs(self.left), initial=0.0))

    @property
    def balanced(self) -> bool:
        return self.worst <= BALANCED * self.scale and self.gap <= BALANCED


class Search:
    """What is looked for: given speeds stay, speeds to be found and all coordinates that are not held may change."""

    def __init__(self, m: Mechanism, speeds: Any, find: Any, hold: Sequence[str], t: float):
        self.m, self.t = m, t
        self.balancing = Balancing(m, t)
        self.find = named_speeds(m, find or {})
        self.moving = sorted({*named_speeds(m, speeds or {}), *self.find})
        for name in hold:
            if not named_speeds(m, {name: 0.0}):
                raise unknown(name, "joint or coordinate", [*m.joint_number, *m.speeds], "hold")
        held = named_speeds(m, dict.fromkeys(hold, 0.0))
        self.free = [i for i in range(m.n_u) if i not in {*held, *self.moving}]
        self.rows = [i for i in range(m.n_u) if i not in self.moving]
        self.held = sorted({*held, *self.moving})
        self.steady = SteadySpeeds(self.balancing, self.moving, self.find)

    def with_values(self, values: Mapping[str, float]) -> Search:
        """The same search at other values of parameters."""
        if not values:
            return self
        other = copy(self)
        other.balancing = self.balancing.with_values(values)
        other.m = other.balancing.m
        other.steady = SteadySpeeds(other.balancing, other.moving, other.find)
        return other

    def run(self, q: np.ndarray, u: np.ndarray) -> Attempt:
        """From one start."""
        here = self._at(q, u)
        mu = 0.0
        for _ in range(MOST_STEPS):
            if self._exact(
                here
            ):  # where the matrix is singular, as at a limit of stability, rounding would be enlarged
                break
            moved = self._newton(here)
            if moved is not None:
                here, step = moved
                if step <= CONVERGED:
                    break
                continue
            settled = self._settle(here, mu)
            if settled is None:
                break
            here, mu = settled
        return self._attempt(here)

    def _at(self, q: np.ndarray, u: np.ndarray) -> Place:
        """A pose with the speeds that follow from it and the multipliers that balance it best, in least squares.

        Those of a motion from rest would do too, but a slack cable falls almost freely, and its stiffness is in its tension.
        """
        u = self.steady.consistent(q, u)
        b = self.balancing.at(q, u, np.zeros(len(self.balancing.multipliers)))
        if not len(b.B):
            return Place(q, u, np.zeros(0), b)
        lam = _solve(b.B[:, self.rows].T, -b.r[self.rows])
        return Place(q, u, lam, self.balancing.at(q, u, lam))

    def _exact(self, at: Place) -> bool:
        """Balanced to rounding."""
        left, gap = np.abs(at.b.r[self.rows]).max(initial=0.0), np.abs(at.b.g).max(initial=0.0)
        return bool(left <= ROUNDING * self._scale(at) and gap <= ROUNDING * size_of(self.m))

    def _newton(self, at: Place) -> tuple[Place, float] | None:
        """A step of Newton's method and its size; None where it is too long or does not help."""
        eta, du, dlam = self._step(at.q, at.u, at.b)
        step = self._size(eta)
        if step > NEAR:
            return None
        q = displaced(self.m, at.q, eta, self.t)
        u = self.steady.consistent(q, at.u + du)
        new = Place(q, u, at.lam + dlam, self.balancing.at(q, u, at.lam + dlam))
        before, after = (self._left(x.b) for x in (at, new))
        if not np.isfinite(after) or (after > 0.7 * before and step > CONVERGED and after > 1e-10 * self._scale(at)):
            return None
        sped = float(np.abs(du).max(initial=0.0)) / max(1.0, float(np.abs(u).max(initial=0.0)))
        return new, max(step, sped)

    def _settle(self, at: Place, mu: float) -> tuple[Place, float] | None:
        """A step downhill that keeps the loops closed, and its μ; None where there is none left to make."""
        b, free = at.b, self.free
        B = b.B[self.balancing.holonomic][:, free]
        Z = null_space(B) if len(B) else np.eye(len(free))
        if not Z.shape[1]:
            return None
        K, A, r = Z.T @ b.R_q[np.ix_(free, free)] @ Z, Z.T @ b.A[np.ix_(free, free)] @ Z, Z.T @ b.r[free]
        largest = REACH * np.sqrt(np.diag(b.A).max(initial=0.0))
        if not np.linalg.norm(r) > 1e-13 * self._scale(at):
            return None
        curvature, V = eigh(0.5 * (K + K.T), A)
        along = V.T @ r
        mu = max(0.1 * mu, 1e-3 * np.linalg.norm(along) / largest)
        for _ in range(40):
            x = -along / (np.abs(curvature) + mu)
            eta = np.zeros(self.m.n_u)
            eta[free] = Z @ (V @ x)
            if np.linalg.norm(x) <= largest and self._size(eta) <= REACH:
                q = self._closed(displaced(self.m, at.q, eta, self.t))
                new = self._at(q, at.u) if q is not None else None
                if new is not None and eta @ new.b.r <= 0.5 * abs(eta @ b.r):
                    return new, mu
            mu *= 4.0
        return None

    def _closed(self, q: np.ndarray) -> np.ndarray | None:
        """The loops closed again after a step, by what is free."""
        none = np.zeros(len(self.balancing.multipliers))
        for _ in range(10 if len(none) else 0):
            b = self.balancing.at(q, np.zeros(self.m.n_u), none)
            if np.abs(b.g).max() <= 1e-9 * size_of(self.m):
                return q
            eta = np.zeros(self.m.n_u)
            eta[self.free] = -np.linalg.lstsq(b.B[:, self.free], b.g, rcond=1e-9)[0]
            if self._size(eta) > 1.0:
                return None
            q = displaced(self.m, q, eta, self.t)
        return None if len(none) else q

    def _size(self, eta: np.ndarray) -> float:
        return float(np.abs(eta).max(initial=0.0)) / max(1.0, size_of(self.m))

    def _left(self, b: Balance) -> float:
        """The acceleration that sets in where nothing but the given speeds is held, √(aᵀAa), and the gaps."""
        A, B = b.A[np.ix_(self.rows, self.rows)], b.B[:, self.rows]
        kkt = np.block([[A, B.T], [B, np.zeros((len(B), len(B)))]])
        a = _solve(kkt, np.concatenate([-b.r[self.rows], np.zeros(len(B))]))[: len(A)]
        return float(np.sqrt(max(a @ A @ a, 0.0)) + np.abs(b.g).max(initial=0.0))

    def _step(self, q: np.ndarray, u: np.ndarray, b: Balance) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(η, δu of the speeds looked for, δλ)."""
        m, free, rows, find = self.m, self.free, self.rows, self.find
        B_h, g = b.B[self.balancing.holonomic], b.g[self.balancing.holonomic]
        K = b.R_q + b.R_u @ self.steady.along_displacements(q, u, b) if np.any(u) else b.R_q
        n, k, h = len(free), len(find), len(B_h)
        J = np.zeros((len(rows) + h, n + k + len(b.B)))
        J[: len(rows), :n] = K[np.ix_(rows, free)]
        J[: len(rows), n : n + k] = (b.R_u @ self.steady.along_speeds(b))[rows]
        J[: len(rows), n + k :] = b.B[:, rows].T
        J[len(rows) :, :n] = B_h[:, free]
        x = _solve(J, -np.concatenate([b.r[rows], g]))
        eta, du = np.zeros(m.n_u), np.zeros(m.n_u)
        eta[free], du[find] = x[:n], x[n : n + k]
        return eta, du, x[n + k :]

    def _scale(self, at: Place) -> float:
        """The size of the forces that balance."""
        forces = [np.abs(at.b.R_q), np.abs(at.b.B.T @ at.lam), 1e-6 * np.abs(at.b.A)]
        return max(1e-300, *(float(x.max(initial=0.0)) for x in forces))

    def _attempt(self, at: Place) -> Attempt:
        left, tau = np.array(at.b.r), np.zeros(self.m.n_u)
        left[self.moving], tau[self.moving] = np.nan, at.b.r[self.moving]
        gap = float(np.abs(at.b.g).max(initial=0.0)) / size_of(self.m)
        change = at.b.R_q @ at.u
        passing = change - at.b.B.T @ _solve(at.b.B.T, change) if len(at.b.B) else change
        return Attempt(at.q, at.u, at.lam, left, tau, gap, self._scale(at), passing)


def _solve(J: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The solution in columns of equal size; where it is not unique the shortest, so that cyclic coordinates stay put."""
    size = np.linalg.norm(J, axis=0)
    size = np.where(size > RANK * size.max(initial=1e-300), size, 1.0)
    scaled = J / size
    if len(J) == J.shape[1]:
        lu, pivots, info = lapack.dgetrf(scaled)
        if info == 0 and lapack.dgecon(lu, np.abs(scaled).sum(axis=0).max(initial=0.0))[0] > REGULAR:
            return np.asarray(lapack.dgetrs(lu, pivots, right)[0] / size)
    return np.asarray(lstsq(scaled, right, cond=RANK, lapack_driver="gelsy")[0] / size)
