"""Complementarity with friction cones by convex problems, where Newton's method is trapped.

With De Saxcé's change of variables, a contact is 0 ≤ p ⊥ a + μ|a_T| n in Coulomb's cone and its dual. With μ|a_T| and the radii of
friction without a gap fixed, that is the minimum of ½ pᵀW p + cᵀp over convex sets, found by projected gradients with Nesterov's
momentum; then they are taken anew.
"""

from __future__ import annotations

import numpy as np

from dalembert.constraints.nonsmooth.complementarity import Cone, Problem

OUTER, INNER = 60, 80
"""Times that slips and radii are taken anew, and gradient steps between them."""


def convex_steps(x: Problem, p: np.ndarray, rounds: int = OUTER) -> np.ndarray:
    """Forces nearer to a solution."""
    D = _scale(x)
    W = D[:, None] * x.W * D
    length = 1.0 / max(float(np.linalg.eigvalsh(W)[-1]), 1e-300)
    y = p / D
    for _ in range(rounds):
        a, forces = W @ y / D + x.c, D * y
        c, radii = D * x.c, []
        for cone in x.cones:
            radii.append(cone.radius(forces)[0])
            if cone.normal is not None and cone.tangents and cone.direction is None:
                c[cone.normal] += D[cone.normal] * _coefficient(x, cone) * np.linalg.norm(a[cone.tangents])
        y = _descend(x, W, c, D, radii, y, length)
    return np.asarray(D * y)


def _scale(x: Problem) -> np.ndarray:
    """Units in which rows are alike; one for all rows of a cone, which keeps its shape."""
    D = 1.0 / np.sqrt(np.maximum(np.diag(x.W), 1e-300))
    for cone in x.cones:
        rows = [*([] if cone.normal is None else [cone.normal]), *cone.tangents]
        D[rows] = 1.0 / np.sqrt(max(float(np.mean(np.diag(x.W)[rows])), 1e-300))
    return np.asarray(D)


def _coefficient(x: Problem, cone: Cone) -> float:
    """μ of a contact."""
    p = np.zeros(len(x.c))
    nothing = cone.radius(p)[0]
    assert cone.normal is not None
    p[cone.normal] = 1.0
    return float(cone.radius(p)[0] - nothing)


@np.errstate(over="ignore", invalid="ignore")  # forces grow without bound where none exist
def _descend(
    x: Problem, W: np.ndarray, c: np.ndarray, D: np.ndarray, radii: list[float], y: np.ndarray, length: float
) -> np.ndarray:
    """Projected gradients with momentum, begun anew where it leads uphill."""
    z, t = y, 1.0
    for _ in range(INNER):
        slope = W @ z + c
        new = _projected(x, z - length * slope, D, radii)
        if slope @ (new - y) > 0.0:
            z, t = y, 1.0
            new = _projected(x, y - length * (W @ y + c), D, radii)
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        z, t, y = new + (t - 1.0) / following * (new - y), following, new
    return y


def _projected(x: Problem, y: np.ndarray, D: np.ndarray, radii: list[float]) -> np.ndarray:
    """The nearest point at which every contact is in its cone, and all other friction in its disc."""
    out = y.copy()
    for cone, radius in zip(x.cones, radii):
        k, T = cone.normal, cone.tangents
        if k is None:
            r = radius / D[T[0]]
            size = float(np.linalg.norm(y[T]))
            out[T] = -r * cone.direction if cone.direction is not None else y[T] * min(1.0, r / max(size, 1e-300))
        elif not T:
            out[k] = max(0.0, y[k])
        else:
            mu = _coefficient(x, cone)
            out[k], out[T] = _in_cone(float(y[k]), y[T], mu, cone.direction)
    return out


def _in_cone(n: float, t: np.ndarray, mu: float, direction: np.ndarray | None) -> tuple[float, np.ndarray]:
    """The nearest point of Coulomb's cone, or of the ray on which it slides."""
    if direction is not None:
        along = max(0.0, (n - mu * float(direction @ t)) / (1.0 + mu * mu))
        return along, -mu * along * direction
    size = float(np.linalg.norm(t))
    if size <= mu * n:
        return n, t
    if mu * size <= -n:
        return 0.0, np.zeros_like(t)
    normal = (n + mu * size) / (1.0 + mu * mu)
    return normal, mu * normal / size * t
