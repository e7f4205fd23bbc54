"""The first variation of everything that laws say of a state, exact: along many directions of (t, q, u, p) at once.

Its formulas are written with accelerations (or a jump of speeds) w, forces (or impulses) λ of all rows, speeds after a jump and loads
that stand still meanwhile; whoever asks adds what their own changes do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.sensitivity.constraint_variation import along, compiled
from dalembert.cached import cached_property
from dalembert.kernels.masked.law_blocks import COEFFICIENTS, every_row, law_values, load_values
from dalembert.kernels.masked.law_rhs import LawRightHandSide
from dalembert.kernels.masked.law_sensitivity import sliding_forces
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kinematics.constraint_rows import Rows
from dalembert.kinematics.law_mode import DIRECTIONS
from dalembert.kinematics.state import State
from dalembert.recursive.algorithms import Tree, newton_euler
from dalembert.trace import directional, symbol


@dataclass(frozen=True, eq=False)
class Frozen:
    """What stands still while a state varies."""

    w: np.ndarray
    """Accelerations, or the jump of the speeds."""
    lam: np.ndarray
    """λ of the rows of loops and laws, −λ being what presses."""
    after: np.ndarray
    """Speeds after a jump."""
    loads: np.ndarray
    """Load of every element that slides."""
    directions: np.ndarray
    """Directions of slip of every element."""


class _GivenDirections:
    """The part of a mode that friction along a row asks for."""

    def __init__(self, directions: Any):
        self.directions = directions

    def symbol(self, _: str, i: int) -> Any:
        return self.directions[i]


class LawVariation:
    """Changes of a mechanism's laws, by name, of rows kept as a right-hand side keeps them."""

    def __init__(self, rhs: LawRightHandSide):
        self.rhs, self.m = rhs, rhs.m
        self.kept = list(rhs.pattern.rows)
        m, table = rhs.m, rhs.table
        rows, laws, e = len(self.kept), len(table), len(table.elements)
        self.sizes = {
            "inertia": m.n_u,  # δA w
            "applied": m.n_u,  # δf
            "exerted": m.n_u,  # δRᵀλ
            "rate": rows,  # δR w
            "given": rows,  # δγ
            "speed": rows,  # δ(R u − b), with δu
            "speed_after": rows,  # the same of the speeds after a jump, which stand still
            "gap": laws,
            "friction": laws,  # of what slides, with its load frozen
            **dict.fromkeys(COEFFICIENTS, e),
            "arm": len(table.load_terms),
            "pressed": table.n_components,  # δ of z₀ + Z_u w + Z_x λ
            "struck": table.n_components,  # δ of Z_u w + Z_x λ
        }
        self.inputs = {
            "dt": 1, "dq": m.n_q, "du": m.n_u, "dp": len(m.parameters), "w": m.n_u, "lam": rows, "after": m.n_u, "loads": e,
            "directions": DIRECTIONS * e,
        }  # fmt: skip

    @cached_property
    def _kernel(self) -> Kernel:
        return compiled(self.m, sum(self.inputs.values()), self._formula)

    def _formula(self, s: State, extra: Any) -> Any:
        m, kept, first = self.m, self.kept, self.rhs.n_loops
        x = dict(
            zip(self.inputs, np.split(np.asarray(extra, dtype=object), np.cumsum(list(self.inputs.values()))[:-1]))
        )
        every = every_row(s)
        own = Rows(*(getattr(every, name)[first:] for name in ("g", "B", "b", "gamma")))
        mode: Any = _GivenDirections(x["directions"])
        rubbing = sliding_forces(s, own, mode, x["loads"], everything=True)
        z = load_values(s, [0.0] * m.n_u, len(every.g))
        R, b = every.B[kept], every.b[kept]
        still = newton_euler(Tree(s), np.zeros(m.n_u))
        moved = z.Zu @ x["w"] + z.Zx[:, kept] @ x["lam"]
        values = {
            "inertia": newton_euler(Tree(s), x["w"]) - still,
            "applied": -still,
            "exerted": R.T @ x["lam"] if len(kept) else [0.0] * m.n_u,
            "rate": R @ x["w"],
            "given": every.gamma[kept],
            "speed": R @ s.speeds - b,
            "speed_after": R @ x["after"] - b,
            "gap": own.g,
            "friction": [rubbing.get(k, 0.0) for k in range(len(own.g))],
            **law_values(s, own, mode).coefficients,
            "arm": z.arms,
            "pressed": z.z0 + moved,
            "struck": moved,
        }
        flat = [v for name in self.sizes for v in values[name]]
        moving = along(s, [*x["dq"], *x["du"], *x["dp"]]) | {symbol("t"): x["dt"][0]}
        return directional(flat, moving)

    def along(
        self, t: float, q: np.ndarray, u: np.ndarray, p: Mapping[str, float], D: np.ndarray, frozen: Frozen
    ) -> dict[str, np.ndarray]:
        """Changes along the columns of D = (δt, δq, δu, δp), by name: a column for each."""
        fixed = np.concatenate([frozen.w, frozen.lam, frozen.after, frozen.loads, frozen.directions])
        extra = np.hstack([D.T, np.tile(fixed, (D.shape[1], 1))])
        both = np.asarray(self._kernel(q, u, np.ascontiguousarray(extra), t, p)).reshape(D.shape[1], -1).T
        return dict(zip(self.sizes, np.split(both, np.cumsum(list(self.sizes.values()))[:-1])))
