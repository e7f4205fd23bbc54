"""The principal axes of the whole [C 50]: the frame in which ∫(ρ_j + u_j)(ρ_k + u_k) dm = 0 for j ≠ k, second degree included.

They turn at x relative to the root, where J̇ − [x̃, J] commutes with J. The vector of the skew [J, J̇] is then −N x with
N = (tr J 1 − J)² − 4 adj J, whose eigenvalues are the squares of the differences of principal moments: no eigenvector is needed.
Where two moments are equal, the axes across the third could turn at any rate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.elastic.central import adjugate, inverse
from dalembert.elastic.tensors import axial
from dalembert.formulations.system_frames.floating_tree import FloatingTree, TreeMotion, with_roots_at_rest
from dalembert.formulations.system_frames.traced_axes import TracedAxes
from dalembert.mechanism import Mechanism
from dalembert.trace import directional
from dalembert.vectors import IDENTITY, Vector

EQUAL = 1e-6
"""Part of the largest principal moment by which two must differ for their axes to be known."""


class PrincipalAxes(TracedAxes):
    title = "Kane, mass centre of the whole, principal axes of the whole"

    def unsuitable(self, m: Mechanism, tree: FloatingTree) -> str | None:
        """Three different moments are needed."""
        s = m.numeric.state(m.reference)
        moments = np.linalg.eigvalsh(TreeMotion(s, with_roots_at_rest(s), tree).inertia)
        if np.diff(moments).min() > EQUAL * moments[-1]:
            return None
        return (
            f'principal moments of "{m.bodies[tree.root - 1].name}" and what it carries are equal '
            f"({', '.join(f'{x:.4g}' for x in moments)} kg m²), so that some of its principal axes could turn at any rate; "
            'choose "system_tisserand" or "system_root"'
        )

    def turning(self, x: TreeMotion, along: dict[Any, Any]) -> Vector:
        J = x.inertia
        rate = np.asarray(directional(J, along))
        other = np.trace(J) * IDENTITY - J
        N = other @ other - 4.0 * adjugate(J)
        return np.asarray(
            inverse(N) @ (0.5 * axial(J @ rate - rate @ J))
        )  # of a skew matrix, ε:T is −2 times its vector
