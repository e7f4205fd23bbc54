"""Beam finite elements along x with consistent mass: Euler–Bernoulli, or Timoshenko's with their exact static shapes.

Mass, stiffness and all moments come from the same four Gauss points per element, exact for the cubic shapes and linearly
tapering sections. A node has six freedoms: u, v, w and the turns about x, y, z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

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


def bending(xi: float, L: float, p: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Shapes in (v1, θ1, v2, θ2): deflection, turn of the section, slope and curvature; p = 12EI/(kGA L²), 0 without shear."""
    d = 1.0 + p
    N = [
        1 - 3 * xi**2 + 2 * xi**3 + p * (1 - xi), L * (xi - 2 * xi**2 + xi**3 + p / 2 * (xi - xi**2)),
        3 * xi**2 - 2 * xi**3 + p * xi, L * (-(xi**2) + xi**3 + p / 2 * (xi**2 - xi)),
    ]  # fmt: skip
    T = [
        6 / L * (xi**2 - xi),
        1 - 4 * xi + 3 * xi**2 + p * (1 - xi),
        6 / L * (xi - xi**2),
        -2 * xi + 3 * xi**2 + p * xi,
    ]
    slope = [
        (-6 * xi + 6 * xi**2 - p) / L, 1 - 4 * xi + 3 * xi**2 + p / 2 * (1 - 2 * xi),
        (6 * xi - 6 * xi**2 + p) / L, -2 * xi + 3 * xi**2 + p / 2 * (2 * xi - 1),
    ]  # fmt: skip
    bend = [6 / L * (2 * xi - 1), -4 + 6 * xi - p, 6 / L * (1 - 2 * xi), -2 + 6 * xi + p]
    return np.array(N) / d, np.array(T) / d, np.array(slope) / d, np.array(bend) / (d * L)


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

    def length(self, e: int) -> float:
        return float(self.x[e + 1] - self.x[e])

    def _shear(self, e: int) -> tuple[float, float]:
        """p in the planes of y and z, from the section in the middle."""
        mat = self.material
        if mat.shear is None:
            return 0.0, 0.0
        first, last = self.sections[e][1], self.sections[e][2]
        A, Iy, Iz = (0.5 * (getattr(first, k) + getattr(last, k)) for k in ("A", "Iy", "Iz"))
        per = 12.0 * mat.E / (mat.shear * mat.G * A * self.length(e) ** 2)
        return per * Iz, per * Iy

    def shapes(self, e: int, xi: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """At xi of element e, in its 12 freedoms: displacement (3), turn (3), slopes v', w' (2), curvature and twist (3), stretch."""
        L = self.length(e)
        U, T, slope, bend, stretch = (np.zeros((k, 12)) for k in (3, 3, 2, 3, 1))
        U[0, [0, 6]] = T[0, [3, 9]] = 1 - xi, xi
        stretch[0, [0, 6]] = bend[0, [3, 9]] = -1 / L, 1 / L
        py, pz = self._shear(e)
        N, R, dN, B = bending(xi, L, py)
        U[1, _Y], T[2, _Y], slope[0, _Y], bend[2, _Y] = N, R, dN, B
        N, R, dN, B = bending(xi, L, pz)
        U[2, _Z], T[1, _Z], slope[1, _Z], bend[1, _Z] = N * _SIGN, -R * _SIGN, dN * _SIGN, -B * _SIGN
        return U, T, slope, bend, stretch

    @cached_property
    def stiffness(self) -> np.ndarray:
        """K: ∫ EA u'² + GJ θ'² + EI κ² + kGA γ² dx."""
        mat, K = self.material, np.zeros((self.freedoms, self.freedoms))
        for e in range(self.count):
            s = slice(6 * e, 6 * e + 12)
            for (xi, w), at in zip(GAUSS, self.sections[e]):
                _, T, slope, bend, stretch = self.shapes(e, xi)
                k = mat.E * at.A * stretch.T @ stretch
                k = k + bend.T @ np.diag([mat.G * at.J, mat.E * at.Iy, mat.E * at.Iz]) @ bend
                if mat.shear is not None:
                    gamma = slope - np.array([T[2], -T[1]])
                    k = k + mat.shear * mat.G * at.A * gamma.T @ gamma
                K[s, s] += w * self.length(e) * k
        return K

    @cached_property
    def points(self) -> Points:
        """The Gauss points and the nodal bodies as small rigid bodies."""
        m: list[float] = []
        r, U, T, D = [], [], [], []
        for e in range(self.count):
            for (xi, w), at in zip(GAUSS, self.sections[e]):
                rho = self.material.rho * w * self.length(e)
                u, t = (self._placed(x, e) for x in self.shapes(e, xi)[:2])
                m.append(float(rho * at.A))
                r.append(np.array([self.x[e] + xi * self.length(e), 0.0, 0.0]))
                U.append(u)
                T.append(t)
                D.append(rho * np.diag([0.0, at.Iz, at.Iy]) * self.material.rotary)
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
