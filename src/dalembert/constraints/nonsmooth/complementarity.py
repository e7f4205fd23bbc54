"""Complementarity with friction cones: a = W p + c, of which forces p and accelerations (or speeds) a are sought at once.

- a bilateral row: a = 0;
- a contact: 0 ≤ p_n ⊥ a_n ≥ 0, and −p_T in the disc of radius r(p) along a_T, or p_T = −r(p) d where it slides along d;
- friction without a gap: the same without the first.

Semismooth Newton on Alart and Curnier's function, steps by least squares, so that dependent rows do no harm; where it is trapped, other
step parameters, sweeps of projected Gauss–Seidel, sets of closed contacts, at last convex problems (`convex_steps`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.nonsmooth.compiled_newton import DESCENDS, LARGEST, SHORTEST, STEPS, Packed
from dalembert.constraints.nonsmooth.compiled_newton import newton as newton_compiled
from dalembert.pivoting import least_squares

TOLERANCE = 1e-12
"""Residual, by the size of the forces, at which a problem counts as solved."""
CONVEX = 8
"""Rounds of convex problems before a problem is given up."""
MOST_SETS = 6
"""Contacts up to which all sets of closed ones are tried."""
STIFFER = (1e2, 1e4)
"""Factors of the step of the projection, where the search begins again."""
BEGINS = 10.0
"""Force from which a search begins, by what would stop the fastest."""


@dataclass(frozen=True, eq=False)
class Radius:
    """Radius of a friction disc: r = own + per_load · max(p of a row, 0) + Σ arm |z|, with z = still + maps p."""

    own: float
    per_load: float = 0.0
    pressed: int | None = None
    """Row whose force presses."""
    arms: Sequence[float] = ()
    still: Sequence[np.ndarray] = ()
    """What a joint transmits without forces of the problem."""
    maps: Sequence[np.ndarray] = ()

    def __call__(self, p: np.ndarray) -> tuple[float, np.ndarray]:
        """The radius under these forces, and its gradient."""
        total, slope = self.own, np.zeros(len(p))
        if self.pressed is not None and p[self.pressed] > 0.0:
            slope[self.pressed] = self.per_load
            total += self.per_load * float(p[self.pressed])
        for arm, still, maps in zip(self.arms, self.still, self.maps):
            z = still + maps @ p
            size = float(np.linalg.norm(z))
            total += arm * size
            slope += arm * (z / size) @ maps if size > 0.0 else 0.0
        return total, slope


@dataclass(frozen=True, eq=False)
class Cone:
    """A contact, or friction without a gap, of the problem: rows of the normal force (None: no gap) and of friction."""

    normal: int | None
    tangents: list[int]
    radius: Radius
    direction: np.ndarray | None = None
    """Which way it slides; None where that is open."""


@dataclass(frozen=True, eq=False)
class Problem:
    """See the module's text."""

    W: np.ndarray
    c: np.ndarray
    bilateral: list[int]
    cones: list[Cone]
    steps: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", self._step_lengths())

    def _step_lengths(self) -> np.ndarray:
        """ρ: 1 / the mean of W's diagonal over the rows that belong together."""
        diagonal = self.W.diagonal().tolist()
        rho = [1.0 / max(x, 1e-300) for x in diagonal]
        for x in self.cones:
            if len(x.tangents) > 1:
                mean = sum(diagonal[k] for k in x.tangents) / len(x.tangents)
                for k in x.tangents:
                    rho[k] = 1.0 / max(mean, 1e-300)
        return np.array(rho)

    @cached_property
    def packed(self) -> Packed:
        """The problem as compiled code reads it."""
        return Packed(self)

    def residual(self, p: np.ndarray, scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """F(p) = 0, in units of p, and a generalized Jacobian."""
        n, rho, W = len(self.c), scale * self.steps, self.W
        a, unit = W @ p + self.c, np.eye(n)
        F, J = np.zeros(n), np.zeros((n, n))
        rows = self.bilateral
        F[rows], J[rows] = rho[rows] * a[rows], rho[rows, None] * W[rows]
        for x in self.cones:
            k, T = x.normal, x.tangents
            if k is not None and p[k] - rho[k] * a[k] > 0.0:
                F[k], J[k] = rho[k] * a[k], rho[k] * W[k]
            elif k is not None:
                F[k], J[k] = p[k], unit[k]
            if not T:
                continue
            r, dr = x.radius(p)
            if x.direction is not None:
                F[T], J[T] = p[T] + r * x.direction, unit[T] + np.outer(x.direction, dr)
                continue
            z = p[T] - rho[T] * a[T]
            size = float(np.linalg.norm(z))
            if size <= r:
                F[T], J[T] = rho[T] * a[T], rho[T][:, None] * W[T]
            else:
                e = z / size
                turned = (np.eye(len(T)) - np.outer(e, e)) @ (unit[T] - rho[T][:, None] * W[T])
                F[T], J[T] = p[T] - r * e, unit[T] - np.outer(e, dr) - r / size * turned
        return F, J

    def solved(self, F: np.ndarray, p: np.ndarray) -> bool:
        """Whether so small a residual is rounding."""
        size = max(np.abs(self.steps * self.c).max(initial=0.0), np.abs(p).max(initial=0.0), 1e-300)
        return bool(np.abs(F).max(initial=0.0) <= TOLERANCE * size)


def newton(x: Problem, start: np.ndarray, most: int = 50, scale: float = 1.0) -> tuple[np.ndarray, bool]:
    """(p, whether it solves the problem)."""
    if len(x.c) <= LARGEST:
        return newton_compiled(x.packed, start, most, scale, TOLERANCE)
    return newton_on_numbers(x, start, most, scale)


def newton_on_numbers(x: Problem, start: np.ndarray, most: int = 50, scale: float = 1.0) -> tuple[np.ndarray, bool]:
    """The same by NumPy, for problems of any size."""
    p = start.copy()
    F, J = x.residual(p, scale)
    for _ in range(most):
        if x.solved(F / scale, p):
            return p, True
        step = least_squares(J, -F, SHORTEST)
        best = None
        for part in STEPS:
            trial = p + part * step
            G, H = x.residual(trial, scale)
            if best is None or np.linalg.norm(G) < np.linalg.norm(best[1]):
                best = (trial, G, H)
            if np.linalg.norm(G) < (1.0 - DESCENDS * part) * np.linalg.norm(F):
                break
        assert best is not None
        p, F, J = best
    return p, x.solved(F / scale, p)


def sweeps(x: Problem, start: np.ndarray, most: int) -> np.ndarray:
    """Projected Gauss–Seidel by contacts; bilateral rows are solved for in every sweep."""
    p, W, c, rho, B = start.copy(), x.W, x.c, x.steps, x.bilateral
    inverse = np.linalg.pinv(W[np.ix_(B, B)], rcond=SHORTEST) if B else np.zeros((0, 0))
    for _ in range(most):
        p[B] -= inverse @ (W[B] @ p + c[B])
        for cone in x.cones:
            k, T = cone.normal, cone.tangents
            if k is not None:
                p[k] = max(0.0, p[k] - rho[k] * (W[k] @ p + c[k]))
            if not T:
                continue
            r = cone.radius(p)[0]
            if cone.direction is not None:
                p[T] = -r * cone.direction
                continue
            z = p[T] - rho[T] * (W[T] @ p + c[T])
            size = float(np.linalg.norm(z))
            p[T] = z if size <= r else r / size * z
    return p


def solve(x: Problem, last: np.ndarray | None = None) -> np.ndarray | None:
    """Forces that solve the problem, from the last ones if given; None where none were found."""
    nothing = np.zeros(len(x.c))
    if not len(x.c):
        return nothing
    starts: list[tuple[Callable[[], np.ndarray], float, int]] = [] if last is None else [(lambda: last, 1.0, 50)]
    starts += [(lambda: nothing, 1.0, 50), (lambda: least_squares(x.W, -x.c, SHORTEST), 1.0, 25)]
    for start, scale, most in [*starts, *((lambda: nothing, scale, 25) for scale in STIFFER)]:
        p, good = newton(x, start(), most, scale)
        if good:
            return p
    p = nothing
    for count in (30, 300):
        p = sweeps(x, p, count)
        found, good = newton(x, p)
        if good:
            return found
    by_sets = _by_sets(x)
    return _by_convex_steps(x, p) if by_sets is None else by_sets


def _by_convex_steps(x: Problem, p: np.ndarray) -> np.ndarray | None:
    """Newton's method from where convex problems lead."""
    from dalembert.constraints.nonsmooth.convex_steps import convex_steps

    p = np.where(np.isfinite(p), p, 0.0)
    for _ in range(CONVEX):
        p = convex_steps(x, p)
        found, good = newton(x, p)
        if good:
            return found
    return None


def _by_sets(x: Problem) -> np.ndarray | None:
    """Forces found from some set of contacts taken as closed."""
    normals = [cone.normal for cone in x.cones if cone.normal is not None]
    if len(normals) > MOST_SETS:
        return None
    for closed in itertools.product((0.0, 1.0), repeat=len(normals)):
        start = np.zeros(len(x.c))
        for k, on in zip(normals, closed):
            start[k] = on * BEGINS * np.abs(x.c).max() / max(x.W[k, k], 1e-300)
        p, good = newton(x, start)
        if good:
            return p
    return None
