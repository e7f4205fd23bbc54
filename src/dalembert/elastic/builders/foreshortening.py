"""The second-order displacement of a beam: what bending takes from its length."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dalembert.elastic.builders.beam_elements import GAUSS, BeamElements


class Foreshortening:
    """G_ij(x) = −e_x ∫ (v_i' v_j' + w_i' w_j') ds from a station of the beam that keeps its place, for nodal mode shapes F (N, n)."""

    def __init__(self, beam: BeamElements, F: np.ndarray, fixed: int = 0):
        self.beam, self.F = beam, F
        whole = self._within(np.arange(beam.count), np.ones(beam.count))
        total = np.concatenate([np.zeros((1, *whole.shape[1:])), np.cumsum(whole, axis=0)])
        self._total = total - total[fixed]

    def at(self, x: ArrayLike) -> np.ndarray:
        """G (…, n, n, 3) at the place x, or at many."""
        e, part = self.beam.element(x)
        lost = self._total[e] + self._within(e, part)
        out = np.zeros((*lost.shape, 3))
        out[..., 0] = -lost
        return out

    def _within(self, e: np.ndarray, to: np.ndarray) -> np.ndarray:
        """∫ (v'v' + w'w') from the beginning of each element e to its part `to`."""
        xi, w = (np.array(x) for x in zip(*GAUSS))
        slopes = self.beam.shapes(e[..., None], xi * to[..., None])[2]
        modes = self.F[6 * e[..., None] + np.arange(12)]
        slope = np.einsum("...gai,...in->...gan", slopes, modes)
        by = w * (to * self.beam.lengths[e])[..., None]
        return np.asarray(np.einsum("...g,...gan,...gam->...nm", by, slope, slope))
