"""Finding equilibria: Newton's method on forces and gaps where it makes a small step, and settling where it does not.

Newton solves K η + Bᵀδλ = −r, B η = −g, and finds unstable equilibria as well as stable ones. Far away the mechanism settles as it
would in a viscous bath: among displacements that keep the loops closed, (|K| + μA) η = −r, where |K| has the eigenvalues of K in the
metric of A made positive, so that every step leads downhill, and μ keeps it short.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import eigh, lapack, lstsq, null_space

from dalembert.analysis.balance import Balance, Balancing
from dalembert.analysis.equilibrium import Equilibrium
from dalembert.constraints.assembly import assemble, displaced, places, size_of
from dalembert.errors import DalembertError, EquilibriumError
from dalembert.kinematics.initial import initial_state, named_speeds
from dalembert.mechanism import Mechanism
from dalembert.trace import free_symbols, symbol

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
        held = named_speeds(m, dict.fromkeys(hold, 0.0))
        self.free = [i for i in range(m.n_u) if i not in {*held, *self.moving}]
        self.rows = [i for i in range(m.n_u) if i not in self.moving]
        self.held = sorted({*held, *self.moving})

    def with_values(self, values: Mapping[str, float]) -> Search:
        """The same search at other values of parameters."""
        if not values:
            return self
        other = copy(self)
        other.balancing = self.balancing.with_values(values)
        other.m = other.balancing.m
        return other

    def first(self, starts: Iterable[tuple[np.ndarray, np.ndarray]]) -> Equilibrium:
        """What the first start leads to that leads anywhere."""
        attempts = []
        for q, u in starts:
            attempts.append(self.run(q, u))
            if attempts[-1].balanced:
                return self.found(attempts[-1])
        raise self.not_found(min(attempts, key=lambda a: a.worst), len(attempts))

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
        u = self._consistent(q, u)
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
        q, u = displaced(self.m, at.q, eta, self.t), self._consistent(at.q, at.u + du)
        u = self._consistent(q, u)
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
        K = b.R_q + b.R_u @ self._following(q, u, b) if np.any(u) else b.R_q
        n, k, h = len(free), len(find), len(B_h)
        J = np.zeros((len(rows) + h, n + k + len(b.B)))
        J[: len(rows), :n] = K[np.ix_(rows, free)]
        J[: len(rows), n : n + k] = (b.R_u @ self._led(b))[np.ix_(rows, find)] if k else 0.0
        J[: len(rows), n + k :] = b.B[:, rows].T
        J[len(rows) :, :n] = B_h[:, free]
        x = _solve(J, -np.concatenate([b.r[rows], g]))
        eta, du = np.zeros(m.n_u), np.zeros(m.n_u)
        eta[free], du[find] = x[:n], x[n : n + k]
        return eta, du, x[n + k :]

    def _dependent(self) -> list[int]:
        """Speeds that follow from the constraints: all that are not given."""
        return [i for i in range(self.m.n_u) if i not in self.moving]

    @cached_property
    def _at_rest(self) -> bool:
        """Whether nothing moves: no speed is given, nothing is prescribed by time."""
        laws = [x for each in (self.m.joints, self.m.cuts) for j in each for x in j.law.q]
        timed = any(symbol("t") in free_symbols([*d.g, *d.phi]) for d in self.m.constraint_rows.values())
        return not self.moving and not timed and all(x is None for x in laws)

    def _following(self, q: np.ndarray, u: np.ndarray, b: Balance) -> np.ndarray:
        """∂u/∂η: speeds that are not given follow the constraints, B δu = −∂φ/∂η η."""
        out, rest = np.zeros((self.m.n_u, self.m.n_u)), self._dependent()
        if len(b.B):
            out[rest] = -np.linalg.lstsq(b.B[:, rest], self.balancing.slip_along(q, u), rcond=1e-9)[0]
        return out

    def _led(self, b: Balance) -> np.ndarray:
        """∂u/∂u of what is looked for, with the speeds that follow."""
        out, rest = np.eye(self.m.n_u), self._dependent()
        if len(b.B):
            out[np.ix_(rest, self.find)] = -np.linalg.lstsq(b.B[:, rest], b.B[:, self.find], rcond=1e-9)[0]
        return out

    def _consistent(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Speeds that are not given: as small as the constraints allow."""
        rest = self._dependent()
        out = np.array(u)
        out[rest] = 0.0
        if len(self.balancing.multipliers) and not self._at_rest:
            slip = self.balancing.slip(q, out)
            if np.any(slip):
                B = self.balancing.at(q, out, np.zeros(len(slip))).B
                out[rest] -= np.linalg.lstsq(B[:, rest], slip, rcond=1e-9)[0]
        return out

    def _scale(self, at: Place) -> float:
        """The size of the forces that balance."""
        forces = [np.abs(at.b.R_q), np.abs(at.b.B.T @ at.lam), 1e-6 * np.abs(at.b.A)]
        return max(1e-300, *(float(x.max(initial=0.0)) for x in forces))

    def _attempt(self, at: Place) -> Attempt:
        left, tau = np.array(at.b.r), np.zeros(self.m.n_u)
        left[self.moving], tau[self.moving] = np.nan, at.b.r[self.moving]
        gap = float(np.abs(at.b.g).max(initial=0.0)) / size_of(self.m)
        return Attempt(at.q, at.u, at.lam, left, tau, gap, self._scale(at))

    def found(self, a: Attempt) -> Equilibrium:
        names = tuple(self.m.speeds[i] for i in self.moving)
        return Equilibrium(self.m, self.t, a.q, a.u, a.tau, a.lam, names, a.scale)

    def not_found(self, best: Attempt, starts: int) -> EquilibriumError:
        m = self.m
        k = int(np.nanargmax(np.abs(best.left)))
        held = f" with {', '.join(m.speeds[i] for i in self.held)} held" if self.held else ""
        gap = f" Its loops are open by {best.gap:.3g} of its size." if best.gap > BALANCED else ""
        return EquilibriumError(
            f'mechanism "{m.name}" finds no balance{held} from {starts} starts: at best {best.left[k]:.4g} is left over on '
            f'"{m.speeds[k]}".{gap} Hold or drive that joint, give it a spring, or start elsewhere with initial=.'
        )


def equilibrium(
    m: Mechanism, initial: Any, speeds: Any, find: Any, hold: Sequence[str], t: float, starts: int, seed: int
) -> Equilibrium:
    """See `Mechanism.equilibrium`."""
    search = Search(m, speeds, find, hold, t)
    return search.first(starts_of(search, initial, speeds, find, starts, seed))


def equilibria(
    m: Mechanism, initial: Any, speeds: Any, find: Any, hold: Sequence[str], t: float, starts: int, seed: int
) -> list[Equilibrium]:
    """See `Mechanism.equilibria`."""
    search = Search(m, speeds, find, hold, t)
    found: list[tuple[np.ndarray, Attempt]] = []
    failed = []
    for q, u in starts_of(search, initial, speeds, find, starts, seed):
        attempt = search.run(q, u)
        if not attempt.balanced:
            failed.append(attempt)
            continue
        where = np.concatenate([places(m, attempt.q, t), attempt.u])
        if not any(np.allclose(where, other, atol=1e-6 * max(1.0, size_of(m))) for other, _ in found):
            found.append((where, attempt))
    if not found:
        raise search.not_found(min(failed, key=lambda a: a.worst), starts)
    return [search.found(attempt) for _, attempt in found]


def starts_of(search: Search, initial: Any, speeds: Any, find: Any, count: int, seed: int) -> Iterator[tuple[Any, Any]]:
    """The given start, then random ones; every loop closed, with what is held kept."""
    m, rng = search.m, np.random.default_rng(seed)
    q, u = initial_state(m, initial, {**(speeds or {}), **(find or {})}, search.t)
    for i in range(count):
        start = q
        if i:
            step = rng.uniform(-1.0, 1.0, m.n_u) * (0.5 if i < count // 3 else np.pi)
            step[search.held] = 0.0
            start = displaced(m, q, step, search.t)
        if not m.constraint_rows:
            yield start, u
            continue
        try:
            yield assemble(m, start, search.held, search.t), u
        except DalembertError:
            if not i:
                raise


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
