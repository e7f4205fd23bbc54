"""Beam finite elements along x with consistent mass: Euler–Bernoulli, or Timoshenko's with their exact static shapes.

Mass, stiffness and all moments come from the same four Gauss points per element, exact for the cubic shapes and linearly
tapering sections. A node has six freedoms: u, v, w and the turns about x, y, z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dalembert.cached import cached_property
from dalembert.vectors import skew

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(4)
GAUSS = [(0.5 * (x + 1.0), 0.5 * w) for x, w in zip(_POINTS, _WEIGHTS)]
"""Places and weights on [0, 1]."""

_Y, _Z = [1, 5, 7, 11], [2, 4, 8, 10]
_SIGN = np.array([1.0, -1.0, 1.0, -1.0])  # w' = −θ_y


@dataclass(frozen=True, eq=False)
class Section:
    """At one place: area A, second moments Iy = ∫z²dA and Iz = ∫y²dA, torsion constant J."""

    A: float
    Iy: float
    Iz: float
    J: float


@dataclass(frozen=True, eq=False)
class Material:
    """Young's modulus E, shear modulus G, density rho; `shear` is the section's shear factor, None for Euler–Bernoulli's beam."""

    E: float
    G: float
    rho: float
    shear: float | None = None
    rotary: bool = True
    """Whether the sections' own rotary inertia is kept."""


@dataclass(frozen=True, eq=False)
class NodalBody:
    """A rigid body on a node of the beam: mass, mass centre from the node, second moments D = ∫d dᵀdm about its mass centre."""

    node: int
    m: float
    offset: np.ndarray
    D: np.ndarray


@dataclass(frozen=True, eq=False)
class Points:
    """Mass points with their displacements U and turns T (K, 3, N) in nodal freedoms, and the element each lies in."""

    m: np.ndarray
    r: np.ndarray
    U: np.ndarray
    T: np.ndarray
    D: np.ndarray


def bending(xi: np.ndarray, L: np.ndarray, p: np.ndarray) -> list[np.ndarray]:
    """Shapes (…, 4) in (v1, θ1, v2, θ2): deflection, turn of the section, slope and curvature; p = 12EI/(kGA L²), 0 without shear."""
    d = 1.0 + p
    square, cube = xi * xi, xi * xi * xi
    N = [
        1 - 3 * square + 2 * cube + p * (1 - xi), L * (xi - 2 * square + cube + p / 2 * (xi - square)),
        3 * square - 2 * cube + p * xi, L * (-square + cube + p / 2 * (square - xi)),
    ]  # fmt: skip
    T = [
        6 / L * (square - xi),
        1 - 4 * xi + 3 * square + p * (1 - xi),
        6 / L * (xi - square),
        -2 * xi + 3 * square + p * xi,
    ]
    slope = [
        (-6 * xi + 6 * square - p) / L, 1 - 4 * xi + 3 * square + p / 2 * (1 - 2 * xi),
        (6 * xi - 6 * square + p) / L, -2 * xi + 3 * square + p / 2 * (2 * xi - 1),
    ]  # fmt: skip
    bend = [6 / L * (2 * xi - 1), -4 + 6 * xi - p, 6 / L * (1 - 2 * xi), -2 + 6 * xi + p]
    by = (d, d, d, d * L)
    return [np.stack(x, axis=-1) / size[..., None] for x, size in zip((N, T, slope, bend), by)]


@dataclass(frozen=True, eq=False)
class BeamElements:
    """Elements between the stations x (ne + 1), each with a section at each of its Gauss points."""

    x: np.ndarray
    material: Material
    sections: Sequence[Sequence[Section]]
    bodies: Sequence[NodalBody] = ()

    @property
    def count(self) -> int:
        return len(self.x) - 1

    @property
    def freedoms(self) -> int:
        return 6 * len(self.x)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Lengths of the elements."""
        return np.diff(self.x)

    def element(self, x: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """The element in which a place, or each of many, lies, and which part of it is before that place."""
        e = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, self.count - 1)
        return e, (np.asarray(x) - self.x[e]) / self.lengths[e]

    @cached_property
    def _shears(self) -> np.ndarray:
        """p in the planes of y and z (2, ne), from the section in the middle."""
        mat = self.material
        if mat.shear is None:
            return np.zeros((2, self.count))
        A, Iy, Iz = (
            np.array([0.5 * (getattr(at[1], k) + getattr(at[2], k)) for at in self.sections]) for k in ("A", "Iy", "Iz")
        )
        per = 12.0 * mat.E / (mat.shear * mat.G * A * self.lengths**2)
        return np.array([per * Iz, per * Iy])

    def shapes(self, e: ArrayLike, xi: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """At xi of element e, or at many, in its 12 freedoms: displacement (…, 3, 12), turn (3), slopes v', w' (2), curvature and
        twist (3), stretch (1)."""
        at, part = np.broadcast_arrays(np.asarray(e), np.asarray(xi, dtype=float))
        L, (py, pz) = self.lengths[at], self._shears[:, at]
        U, T, slope, bend, stretch = (np.zeros((*at.shape, k, 12)) for k in (3, 3, 2, 3, 1))
        U[..., 0, 0] = T[..., 0, 3] = 1 - part
        U[..., 0, 6] = T[..., 0, 9] = part
        stretch[..., 0, 0] = bend[..., 0, 3] = -1 / L
        stretch[..., 0, 6] = bend[..., 0, 9] = 1 / L
        N, R, dN, B = bending(part, L, py)
        U[..., 1, _Y], T[..., 2, _Y], slope[..., 0, _Y], bend[..., 2, _Y] = N, R, dN, B
        N, R, dN, B = (x * _SIGN for x in bending(part, L, pz))
        U[..., 2, _Z], T[..., 1, _Z], slope[..., 1, _Z], bend[..., 1, _Z] = N, -R, dN, -B
        return U, T, slope, bend, stretch

    @cached_property
    def _at_gauss(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Shapes at the Gauss points of all elements (ne, 4, …)."""
        return self.shapes(np.arange(self.count)[:, None], [xi for xi, _ in GAUSS])

    def _of_sections(self, name: str) -> np.ndarray:
        """A property at the Gauss points of all elements (ne, 4)."""
        return np.array([[getattr(at, name) for at in own] for own in self.sections])

    @cached_property
    def stiffness(self) -> np.ndarray:
        """K: ∫ EA u'² + GJ θ'² + EI κ² + kGA γ² dx."""
        mat, K = self.material, np.zeros((self.freedoms, self.freedoms))
        _, T, slope, bend, stretch = self._at_gauss
        A, J, Iy, Iz = (self._of_sections(name) for name in ("A", "J", "Iy", "Iz"))
        weights = self.lengths[:, None] * [w for _, w in GAUSS]
        stiff = np.stack([mat.G * J, mat.E * Iy, mat.E * Iz], axis=-1)
        k = _gram(stretch, (weights * mat.E * A)[..., None]) + _gram(bend, weights[..., None] * stiff)
        if mat.shear is not None:
            gamma = slope - np.stack([T[..., 2, :], -T[..., 1, :]], axis=-2)
            k = k + _gram(gamma, np.repeat((weights * mat.shear * mat.G * A)[..., None], 2, axis=-1))
        for e in range(self.count):
            K[6 * e : 6 * e + 12, 6 * e : 6 * e + 12] += k[e]
        return K

    @cached_property
    def points(self) -> Points:
        """The Gauss points and the nodal bodies as small rigid bodies."""
        weights, places = np.array([w for _, w in GAUSS]), np.array([xi for xi, _ in GAUSS])
        rho = self.material.rho * self.lengths[:, None] * weights
        A, Iy, Iz = (self._of_sections(name) for name in ("A", "Iy", "Iz"))
        along = self.x[:-1, None] + self.lengths[:, None] * places
        m = (rho * A).ravel().tolist()
        r = [np.array([x, 0.0, 0.0]) for x in along.ravel()]
        U, T = (
            [self._placed(x, e) for e in range(self.count) for x in of_element[e]] for of_element in self._at_gauss[:2]
        )
        turning = rho * self.material.rotary
        D = [np.diag([0.0, z, y]) for z, y in zip((turning * Iz).ravel(), (turning * Iy).ravel())]
        for b in self.bodies:
            at_node = np.zeros((6, self.freedoms))
            at_node[:, 6 * b.node : 6 * b.node + 6] = np.eye(6)
            m.append(b.m)
            r.append(np.array([self.x[b.node], 0.0, 0.0]) + b.offset)
            U.append(at_node[:3] - skew(b.offset) @ at_node[3:])
            T.append(at_node[3:])
            D.append(b.D)
        return Points(*(np.array(x) for x in (m, r, U, T, D)))

    def _placed(self, shape: np.ndarray, e: int) -> np.ndarray:
        out = np.zeros((len(shape), self.freedoms))
        out[:, 6 * e : 6 * e + 12] = shape
        return out

    @cached_property
    def mass(self) -> np.ndarray:
        """M: ∫ ρA u·u + ρ θ·Jθ dx, and the nodal bodies."""
        p = self.points
        J = np.einsum("kaa->k", p.D)[:, None, None] * np.eye(3) - p.D
        M = np.einsum("k,kai,kaj->ij", p.m, p.U, p.U, optimize=True)
        return M + np.einsum("kai,kab,kbj->ij", p.T, J, p.T, optimize=True)


def _gram(X: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Σ w xᵀx over the Gauss points and components of every element: (ne, 12, 12) from (ne, 4, k, 12) and (ne, 4, k)."""
    rows = X.reshape(len(X), -1, 12)
    return np.asarray(np.swapaxes(rows, 1, 2) @ (weights.reshape(len(X), -1, 1) * rows))
