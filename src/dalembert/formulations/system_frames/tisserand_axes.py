"""Tisserand's frame of the whole [C 44–46]: the tree has no angular momentum relative to it, so that H = I ω_T.

ω_T = ω + J⁻¹h with h the angular momentum relative to the root. Then J ω̇_T = M − J̇ ω_T − ω × J ω_T, and ω_T and the internal speeds
have nothing to do with each other in A.
"""

from __future__ import annotations

import numpy as np

from dalembert.elastic.central import inverse
from dalembert.formulations.system_frames.floating_tree import (
    FloatingTree,
    TreeMotion,
    mass_on_a_line,
)
from dalembert.formulations.system_frames.kane_in_frame import KaneInFrame, Slip
from dalembert.kinematics.loads import Loads
from dalembert.mechanism import Mechanism
from dalembert.vectors import cross


class TisserandAxes(KaneInFrame):
    title = "Kane, mass centre of the whole, Tisserand's frame of the whole"

    def unsuitable(self, m: Mechanism, tree: FloatingTree) -> str | None:
        return mass_on_a_line(m, tree, "Tisserand's")

    def slip(self, x: TreeMotion) -> Slip:
        J = inverse(x.inertia)
        turning = J @ x.relative_momentum
        return Slip(J @ _columns(x), turning, J @ (x.relative_demand - x.inertia_rate @ turning))

    def in_frame(self, x: TreeMotion, applied: Loads, A: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """diag(J, A_uu − CᵀJ⁻¹C), with the coupling left out because it is none."""
        J = x.inertia
        own = inverse(J) @ A[:3, 3:]
        turning = x.w + inverse(J) @ x.relative_momentum
        M = x.R.T @ x.moment(applied) if any(applied.loaded(k) for k in x.tree.members) else 0.0
        changed = np.array(A)
        changed[:3, :3], changed[:3, 3:], changed[3:, :3] = J, 0.0, 0.0
        inner = A[3:, 3:] - A[:3, 3:].T @ own
        upper = np.triu_indices(len(inner), 1)
        inner[upper] = inner.T[upper]
        changed[3:, 3:] = inner
        rotation = M - x.inertia_rate @ turning - cross(x.w, J @ turning)
        return changed, np.concatenate([rotation, f[3:] - own.T @ f[:3]])


def _columns(x: TreeMotion) -> np.ndarray:
    """C, 3 × n: angular momentum relative to the root per unit of each internal speed."""
    out = np.zeros((3, len(x.tree.internal)), dtype=x.dtype)
    for k in x.tree.members:
        body, at, P = x.mechanism.bodies[k - 1], x.relative.instants[k - 1], x.relative.partials[k]
        d = x.places[k] + at.arm - x.centre
        n = len(body.modes)
        W = P.W[:, 6:]
        V = P.V[:, 6:] + cross(W, at.arm)
        own = at.R @ body.central_inertia(at.q)[:3, :3] @ at.R.T @ W
        if n:
            lead = np.zeros((3, W.shape[1] - n))
            V = V + np.hstack([lead, body.arm_columns(at.R, at.q)])
            own = own + np.hstack([lead, at.R @ body.central_inertia(at.q)[:3, 3:]])
        out[:, x.columns(k)] = out[:, x.columns(k)] + own + body.mass * cross(d, V)
    return out
