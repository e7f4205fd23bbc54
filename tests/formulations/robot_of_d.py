"""The equations of motion of source D's four-link robot, [5.90–5.94], keyed in with the scalar products [5.89].

Absolute angles φ; r_i at γ_i and x_i at ε_i from their carrier's axis, â, b̂ and û being the unit vectors r̂, x̂ and ĉ turned by a right
angle. M_1 = m₁ + m₂ + m₃ + m₄, M_2 = m₂ + m₃ + m₄, M_3 = m₃, M_4 = m₄. The terms that come from c_σ ε_σᵀ û m Pᵀ(…) follow D's general
equation [5.87], row σ of m Pᵀ; in the printed example those of φ₁ and φ₂ have factors of other rows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


class Directions:
    """Unit vectors of D's Fig. 5.41 as angles in the plane, and their scalar products."""

    def __init__(self, phi: np.ndarray, p: Mapping[str, float]):
        carrier = {1: 0.0, 2: phi[0], 3: phi[1], 4: phi[1]}
        gamma = {2: 0.0, 3: p["gamma3"], 4: p["gamma4"]}
        self.r = {i: carrier[i] + gamma[i] for i in (2, 3, 4)}
        self.c = {i: phi[i - 1] for i in (1, 2, 3, 4)}
        self.x = {1: np.pi / 2}  # ε₁, measured in the ground

    def __call__(self, one: str, two: str) -> float:
        """The scalar product of two directions, "a3" and "u4" say."""
        return float(np.cos(self._angle(one) - self._angle(two)))

    def _angle(self, name: str) -> float:
        kind, i = name[0], int(name[1])
        turned = {"a": self.r, "b": self.x, "u": self.c}
        return turned[kind][i] + np.pi / 2 if kind in turned else {"r": self.r, "x": self.x, "c": self.c}[kind][i]

    def along(self, g: np.ndarray, name: str) -> float:
        """g · direction."""
        angle = self._angle(name)
        return float(g[0] * np.cos(angle) + g[1] * np.sin(angle))


def accelerations(x1: float, phi: np.ndarray, rates: np.ndarray, p: Mapping[str, float], g: np.ndarray) -> np.ndarray:
    """(ẍ₁, φ̈₁ … φ̈₄) from the five equations; `rates` are φ̇."""
    A, right = equations(phi, rates, p, g)
    return np.linalg.solve(A, right)


def equations(phi: np.ndarray, w: np.ndarray, p: Mapping[str, float], g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of (ẍ₁, φ̈₁ … φ̈₄) in [5.94], [5.90], [5.91], [5.92], [5.93], and what is left, on the right-hand side."""
    d = Directions(phi, p)
    m = {i: p[f"m{i}"] for i in (1, 2, 3, 4)}
    J, c, r = ({i: p[f"{k}{i}"] for i in (1, 2, 3, 4) if f"{k}{i}" in p} for k in "Jcr")
    M = {1: m[1] + m[2] + m[3] + m[4], 2: m[2] + m[3] + m[4], 3: m[3], 4: m[4]}
    w1, w2, w3, w4 = np.asarray(w) ** 2
    return np.array([_x1(d, m, c, r, M), _phi1(d, m, J, c, r, M), _phi2(d, m, J, c, r, M), *_fingers(d, m, J, c, r)]), np.array([
        # [5.94]
        M[1] * d.along(g, "x1") + (M[2] * r[2] * d("x1", "r2") + m[1] * c[1] * d("x1", "c1")) * w1
        + (M[3] * r[3] * d("x1", "r3") + M[4] * r[4] * d("x1", "r4") + m[2] * c[2] * d("x1", "c2")) * w2
        + m[3] * c[3] * d("x1", "c3") * w3 + m[4] * c[4] * d("x1", "c4") * w4,
        # [5.90]
        M[2] * r[2] * d.along(g, "a2") + m[1] * c[1] * d.along(g, "u1")
        + (M[3] * r[3] * d("a2", "r3") + M[4] * r[4] * d("a2", "r4") + m[2] * c[2] * d("a2", "c2")) * r[2] * w2
        + m[3] * r[2] * c[3] * d("a2", "c3") * w3 + m[4] * r[2] * c[4] * d("a2", "c4") * w4,
        # [5.91]
        M[3] * r[3] * d.along(g, "a3") + M[4] * r[4] * d.along(g, "a4") + m[2] * c[2] * d.along(g, "u2")
        + (M[3] * r[3] * d("a3", "r2") + M[4] * r[4] * d("a4", "r2") + m[2] * c[2] * d("u2", "r2")) * r[2] * w1
        + m[3] * r[3] * c[3] * d("a3", "c3") * w3 + m[4] * r[4] * c[4] * d("a4", "c4") * w4,
        # [5.92], [5.93]
        *(m[i] * c[i] * (d.along(g, f"u{i}") + r[2] * d(f"u{i}", "r2") * w1 + r[i] * d(f"u{i}", f"r{i}") * w2) for i in (3, 4)),
    ])  # fmt: skip


def _x1(d, m, c, r, M) -> list[float]:
    on_phi1 = M[2] * r[2] * d("a2", "x1") + m[1] * c[1] * d("u1", "x1")
    on_phi2 = M[3] * r[3] * d("a3", "x1") + M[4] * r[4] * d("a4", "x1") + m[2] * c[2] * d("u2", "x1")
    return [M[1], on_phi1, on_phi2, m[3] * c[3] * d("x1", "u3"), m[4] * c[4] * d("x1", "u4")]


def _phi1(d, m, J, c, r, M) -> list[float]:
    on_x1 = M[2] * r[2] * d("a2", "x1") + m[1] * c[1] * d("u1", "x1")
    on_phi2 = (M[3] * r[3] * d("r2", "r3") + M[4] * r[4] * d("r2", "r4") + m[2] * c[2] * d("r2", "c2")) * r[2]
    ends = [m[i] * r[2] * c[i] * d("r2", f"c{i}") for i in (3, 4)]
    return [on_x1, J[1] + M[2] * r[2] ** 2, on_phi2, *ends]


def _phi2(d, m, J, c, r, M) -> list[float]:
    on_x1 = M[3] * r[3] * d("a3", "x1") + M[4] * r[4] * d("a4", "x1") + m[2] * c[2] * d("u2", "x1")
    on_phi1 = (M[3] * r[3] * d("r3", "r2") + M[4] * r[4] * d("r4", "r2") + m[2] * c[2] * d("u2", "a2")) * r[2]
    ends = [m[i] * r[i] * c[i] * d(f"r{i}", f"c{i}") for i in (3, 4)]
    return [on_x1, on_phi1, J[2] + M[3] * r[3] ** 2 + M[4] * r[4] ** 2, *ends]


def _fingers(d, m, J, c, r) -> list[list[float]]:
    rows = []
    for i in (3, 4):
        row = [
            m[i] * c[i] * d(f"u{i}", "x1"),
            m[i] * c[i] * r[2] * d(f"u{i}", "a2"),
            m[i] * c[i] * r[i] * d(f"u{i}", f"a{i}"),
            0.0,
            0.0,
        ]
        row[i] = J[i]
        rows.append(row)
    return rows
