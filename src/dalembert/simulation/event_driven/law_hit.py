"""An impact as a run notes it."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, eq=False)
class Hit:
    """An impact as it is noted: impulses and speeds of all rows of laws, speeds of the mechanism before and after."""

    t: float
    q: np.ndarray
    u_before: np.ndarray
    u_after: np.ndarray
    impulses: np.ndarray
    before: np.ndarray
    after: np.ndarray
    losses: np.ndarray

    @property
    def row(self) -> np.ndarray:
        """All of its numbers."""
        return np.concatenate([[self.t], *(getattr(self, f.name) for f in fields(self)[1:])])

    @staticmethod
    def of(row: np.ndarray, sizes: list[int]) -> Hit:
        """The impact whose numbers these are."""
        t, *parts = np.split(row, np.cumsum(sizes)[:-1])
        return Hit(float(t[0]), *parts)
