"""The speeds of an equilibrium: those given or looked for are constant, the others zero or what the constraints make of them."""

from __future__ import annotations

import numpy as np

from dalembert.analysis.equilibrium.static_residual import StaticEquations, StaticResidual
from dalembert.pivoting import RANK_TOLERANCE, least_squares


class SteadySpeeds:
    """`moving` and, among them, `find` are places in u."""

    def __init__(self, statics: StaticEquations, moving: list[int], find: list[int]):
        self.statics, self.m, self.moving, self.find = statics, statics.m, moving, find
        self.rest = [i for i in range(self.m.n_u) if i not in moving]

    def consistent(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The others as small as the constraints allow."""
        out = np.array(u)
        out[self.rest] = 0.0
        if self.statics.multipliers and not self.statics.at_rest:
            slip = self.statics.slip(q, out)
            if np.any(slip):
                B = self.statics.at(q, out, np.zeros(len(slip))).B
                out[self.rest] -= least_squares(B[:, self.rest], slip, RANK_TOLERANCE)
        return out

    def along_displacements(self, q: np.ndarray, u: np.ndarray, b: StaticResidual) -> np.ndarray:
        """∂u/∂η: B δu = −∂φ/∂η η."""
        out = np.zeros((self.m.n_u, self.m.n_u))
        if len(b.B):
            out[self.rest] = -least_squares(b.B[:, self.rest], self.statics.slip_along(q, u), RANK_TOLERANCE)
        return out

    def along_speeds(self, b: StaticResidual) -> np.ndarray:
        """∂u for a unit of each speed looked for."""
        out = np.eye(self.m.n_u)[:, self.find]
        if len(b.B):
            out[self.rest] = -least_squares(b.B[:, self.rest], b.B[:, self.find], RANK_TOLERANCE)
        return out
