"""How a run keeps its loops and constraints: which rows it keeps, by what they are measured, and what is done against drift."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.rhs.right_hand_side import RowsToKeep
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import Projection, Stabilisation

if TYPE_CHECKING:
    from dalembert.constraints.diagnosis.verdict import Diagnosis


@dataclass(frozen=True, eq=False)
class KeptRows:
    """An independent set of the mechanism's rows, with what all rows are measured by."""

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
    """Amount by which rows that say nothing new are left open, by their scales, where lengths have few digits."""
    law_norms: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Reference norms of the rows of laws, as `norms`."""
    law_sizes: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Scales of the rows of laws, as `sizes`."""

    @property
    def keep(self) -> RowsToKeep:
        """What the equations must know of it."""
        return RowsToKeep(self.rows, self.others, self.stabilise.gains, self.stabilise.projects)

    @cached_property
    def others(self) -> tuple[int, ...]:
        """Rows that depend on those it keeps, but are not zero throughout: a projection keeps them too."""
        if not self.stabilise.projects:
            return ()
        return tuple(k for k in np.flatnonzero(self.norms > 0.0).tolist() if k not in self.rows)


def law_rows_kept(m: Mechanism, kept: KeptRows, q: np.ndarray, t: float) -> KeptRows:
    """The same with what rows of laws are measured by, as the state at the start shows it."""
    from dalembert.kinematics.law_rows import law_row_scales, law_rows

    s = m.numeric.state(q, np.zeros(m.n_u), t)
    J, sizes = np.asarray(law_rows(s).B, dtype=float), np.asarray(law_row_scales(s), dtype=float)
    A = m.mass_matrix(q, t)
    norms = np.sqrt(np.maximum(np.einsum("ij,ji->i", J, np.linalg.solve(A, J.T)), 0.0))
    return replace(kept, law_norms=np.where(norms > 0.0, norms, sizes), law_sizes=sizes)


NO_ROWS_KEPT = KeptRows((), np.zeros(0), np.zeros(0), Projection())
"""Rows of a mechanism without loops and constraints."""


def rows_kept(found: Diagnosis, stabilise: Stabilisation) -> KeptRows:
    """Rows kept: the independent ones of a diagnosis."""
    return KeptRows(found.independent, found.norms, found.sizes, stabilise, left_out(found), found.driven, found.off)


def left_out(found: Diagnosis) -> bool:
    """Whether rows that are left out say something at some pose, or may do so with time."""
    others = np.delete(found.norms, list(found.independent))
    return bool(len(others)) and (found.driven or bool(others.max() > 0.0))
