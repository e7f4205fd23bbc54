"""Newton–Euler, translations and hinge forces eliminated [B 16, 51]: a system in the angular accelerations.

(I + L̃ (CᵀM⁻¹C)⁻¹ L̃ᵀ) ω̇ = u₂ − L̃ (CᵀM⁻¹C)⁻¹ (CᵀM⁻¹u₁ + u₃), where CᵀM⁻¹C, one scalar for every two hinges, is inverted
as it stands; the barycentric form knows its inverse. A floating group's mass centre moves as its forces alone say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.formulations.absolute.attachment import Lever
from dalembert.formulations.absolute.connection import JointConnection
from dalembert.formulations.absolute.graph_matrices import barycentric_matrices, graph_matrices
from dalembert.formulations.absolute.hinged import Hinged, first_order, groups, speeds
from dalembert.formulations.absolute.newton_euler import state as state_of_bodies
from dalembert.formulations.absolute.newton_euler import udot as udot_of_bodies
from dalembert.formulations.absolute.separate_bodies import Bodies
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.symmetric_solve import solve_symmetric
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

__all__ = ["equations", "explain", "first_order", "formulation_speeds", "refusal", "speeds", "state", "title", "udot"]

title = "Newton–Euler, solved for rotations"


def refusal(m: Mechanism) -> str | None:
    for body in (m.numeric.bodies[k - 1] for k in m.free_bodies):
        if body.mass == 0.0:
            return (
                f'body "{body.name}" has no mass, and this elimination divides by it; choose "newton_euler" or "kane"'
            )
    return None


def formulation_speeds(s: State) -> np.ndarray:
    return hinged(s).gathered(s.view(Bodies).velocities)


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    at_rest = State(m, t, q, np.zeros(m.n_u))
    return state_of_bodies(m, t, q, hinged(at_rest).velocities(w))


def udot(s: State, wdot: Any) -> np.ndarray:
    x = hinged(s)
    return udot_of_bodies(s, x.spread @ np.asarray(wdot) + x.bias)


def equations(s: State) -> Equations:
    b, x = s.view(Bodies), hinged(s)
    return x.equations(*_rotations(b, x))


def _hinges(b: Bodies) -> list[JointConnection]:
    """The joints that turn about a point."""
    return [c for c in b.connections if c.pointed]


def incidence(b: Bodies) -> np.ndarray:
    """C over bodies × hinges: here +1 on the child, −1 on its parent, external bodies left out [B 1, Remark 3]."""
    hinges = _hinges(b)
    C = np.zeros((b.n, len(hinges)))
    for j, c in enumerate(hinges):
        C[b.place_of[c.child], j] = 1.0
        if c.parent:
            C[b.place_of[c.parent], j] = -1.0
    return C


def compliance(b: Bodies) -> tuple[np.ndarray, np.ndarray]:
    """(CᵀM⁻¹C)⁻¹, and G = M⁻¹C (CᵀM⁻¹C)⁻¹, which gives the places from the gaps at the hinges."""
    C = incidence(b)
    MC = C / np.array([b.masses[k - 1] for k in b.numbers])[:, None]
    inverse = solve_symmetric(C.T @ MC, np.eye(C.shape[1]))
    return inverse, MC @ inverse


def hinged(s: State) -> Hinged:
    """d_ik = Σ_j G_kj (ℓ_ij of the hinges body i carries − ℓ_ij of its own)."""
    return s.view(_hinged)


def _hinged(s: State) -> Hinged:
    b = s.view(Bodies)
    _, G = compliance(b)
    hinges, root = _hinges(b), groups(b.mechanism).root
    d: dict[tuple[int, int], Lever] = {}
    for j, c in enumerate(hinges):
        for i, lever in ((c.child, -c.child_lever), (c.parent, c.parent_lever)):
            for k in b.numbers if i else ():
                weight = G[b.place_of[k], j]
                if root[k] == root[c.child] and not (isinstance(weight, float) and weight == 0.0):
                    d[i, k] = d[i, k] + weight * lever if (i, k) in d else weight * lever
    return Hinged(b, d)


def _rotations(b: Bodies, x: Hinged) -> tuple[np.ndarray, np.ndarray]:
    """A = diag(m_group, I + ΛᵀN⁻¹Λ), with Λ the rate of the gaps at the hinges per rotation [B 16]."""
    inverse, G = compliance(b)
    hinges, first = _hinges(b), x.n_places
    gaps, drift = b.zeros(3 * len(hinges), b.size - 3 * b.n), b.zeros(3 * len(hinges))
    for j, c in enumerate(hinges):
        rows = slice(3 * j, 3 * j + 3)
        drift[rows] = c.point_drift
        for i, motion in ((c.child, -c.child_lever.motion), (c.parent, c.parent_lever.motion)):
            if i:
                gaps[rows, b.own_at(i)] = motion
    A, f = b.zeros(x.size, x.size), b.zeros(x.size)
    for root in x.groups.floating:
        at, members = x.centre_at(root), x.groups.members(root)
        A[at, at] = sum(b.masses[k - 1] for k in members) * np.eye(3)
        f[at] = sum(b.forces[k - 1] for k in members)
    thrice = np.kron(inverse, np.eye(3)) if inverse.dtype != object else _thrice(inverse)
    pulled = (G.T @ np.array([b.forces[k - 1] for k in b.numbers])).ravel() if hinges else np.zeros(0)
    A[first:, first:] = b.inertia[3 * b.n :, 3 * b.n :] + gaps.T @ (thrice @ gaps)
    f[first:] = b.right[3 * b.n :] + gaps.T @ (pulled - thrice @ drift)
    return A, f


def _thrice(inverse: np.ndarray) -> np.ndarray:
    """Each scalar as 3 × 3."""
    out = np.zeros((3 * len(inverse), 3 * len(inverse)), dtype=object)
    for axis in range(3):
        out[axis::3, axis::3] = inverse
    return out


def explain(s: State) -> list[Quantity]:
    """C, S and T of the graph, and (CᵀM⁻¹C)⁻¹ of the hinges."""
    b = Bodies(s)
    hinges = [c.joint.name for c in b.connections if c.pointed]
    inverse, _ = compliance(b)
    return [
        *graph_matrices(s.mechanism),
        quantity("CTMC", "(CᵀM⁻¹C)⁻¹ of the hinges [B 16]", inverse, hinges, hinges),
        *barycentric_matrices(s),
    ]
