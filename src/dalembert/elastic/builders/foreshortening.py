"""The second-order displacement of a beam: what bending takes from its length."""

from __future__ import annotations

import numpy as np

from dalembert.elastic.builders.beam_elements import GAUSS, BeamElements


class Foreshortening:
    """G_ij(x) = −e_x ∫ (v_i' v_j' + w_i' w_j') ds from a station of the beam that keeps its place, for nodal mode shapes F (N, n)."""

    def __init__(self, beam: BeamElements, F: np.ndarray, fixed: int = 0):
        self.beam, self.F = beam, F
        whole = np.array([self._within(e, 1.0) for e in range(beam.count)]).reshape(beam.count, F.shape[1], F.shape[1])
        total = np.concatenate([np.zeros((1, *whole.shape[1:])), np.cumsum(whole, axis=0)])
        self._total = total - total[fixed]

    def at(self, x: float) -> np.ndarray:
        """G (n, n, 3) at the place x."""
        stations = self.beam.x
        e = min(max(int(np.searchsorted(stations, x, side="right")) - 1, 0), self.beam.count - 1)
        lost = self._total[e] + self._within(e, (x - stations[e]) / self.beam.length(e))
        out = np.zeros((*lost.shape, 3))
        out[..., 0] = -lost
        return out

    def _within(self, e: int, to: float) -> np.ndarray:
        """∫ (v'v' + w'w') from the beginning of element e to its part `to`."""
        shapes = self.F[6 * e : 6 * e + 12]
        total = np.zeros((self.F.shape[1], self.F.shape[1]))
        for xi, w in GAUSS:
            slope = self.beam.shapes(e, xi * to)[2] @ shapes
            total += w * to * self.beam.length(e) * slope.T @ slope
        return total
