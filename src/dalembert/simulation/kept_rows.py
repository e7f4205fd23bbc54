"""How a run keeps its loops and constraints: which rows hold it, by what they are measured, and what is done against drift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.simulation.stabilise import Stabilisation

if TYPE_CHECKING:
    from dalembert.constraints.diagnosis.diagnose import Diagnosis


@dataclass(frozen=True, eq=False)
class Holding:
    rows: tuple[int, ...]
    norms: np.ndarray
    """Reference norms of all rows in the metric of the inverse mass matrix; 0 for those that are nothing."""
    sizes: np.ndarray
    """Scales of all rows: by them a gap is large or small."""
    stabilise: Stabilisation
    may_drift_apart: bool = False
    """Whether rows are left out that are not zero throughout."""
    driven: bool = False
    """Whether time is in some of them."""
    off: float = 0.0
    """By how much rows that say nothing new are left open, by their scales, where lengths have few digits."""

    @property
    def scales(self) -> np.ndarray:
        """What machine code measures by: norms and sizes of its rows, then those of the other rows."""
        groups = (list(self.rows), list(self.others))
        return np.concatenate([by[rows] for rows in groups for by in (self.norms, self.sizes)])

    @property
    def others(self) -> tuple[int, ...]:
        """Rows that depend on those that hold it, but are not zero throughout: a projection keeps them too."""
        if not self.stabilise.projects:
            return ()
        return tuple(k for k in np.flatnonzero(self.norms > 0.0).tolist() if k not in self.rows)


def holding(m: Mechanism, found: Diagnosis, stabilise: Stabilisation) -> Holding:
    """By the independent rows of a diagnosis."""
    return Holding(found.independent, found.norms, found.sizes, stabilise, left_out(found), found.driven, found.off)


def left_out(found: Diagnosis) -> bool:
    """Whether rows that are left out say something at some pose, or may do so with time."""
    others = np.delete(found.norms, list(found.independent))
    return bool(len(others)) and (found.driven or bool(others.max() > 0.0))
