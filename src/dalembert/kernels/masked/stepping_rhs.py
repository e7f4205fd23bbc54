"""What a time step by impulses needs of a mechanism, as compiled code: inertia, rows of loops and laws, forces, friction.

Rows of loops, and of latches that are on, are solved for together by range space; everything else that laws can touch is left to the
cone problem of the step (`cone_sweeps`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.masked.ball_contacts import BallContacts, balls_of
from dalembert.kernels.masked.cone_sweeps import ConeSweeps
from dalembert.kernels.masked.law_blocks import COEFFICIENTS, UNBREAKABLE, load_values, masked
from dalembert.kernels.masked.law_rhs import LawRightHandSide
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import NO_ROWS, RightHandSide, RowsToKeep
from dalembert.kernels.rhs.row_solver import Pattern
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.kinematics.constraint_rows import Rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import sqrt
from dalembert.trace.native import Module, Output, Signature


class SteppingRightHandSide(LawRightHandSide):
    """Kane's equations at the level of speeds: A(u⁺ − u) = h f + Jᵀ P under the rows of loops and latches.

    Behind the scales of these rows lie the sizes of all rows of laws, then the mode's numbers.
    """

    def __init__(self, m: Mechanism, keep: RowsToKeep = NO_ROWS, by: str = "active", others: tuple[int, ...] = ()):
        super().__init__(m, keep, by, others)
        self.holds = tuple(r for e in self.table.elements for r in e.holds)
        self.rows = (*keep.rows, *(self.n_loops + k for k in self.holds), *others)

    @cached_property
    def balls(self) -> list[BallContacts]:
        """Contacts of many balls, which have no rows here."""
        return balls_of(self) if self.by != "enforced" else []

    @property
    def n_masked(self) -> int:
        return len(self.holds)

    @cached_property
    def closing(self) -> RangeSpaceRightHandSide:
        return SteppingRightHandSide(self.m, RowsToKeep(self.keep.rows), "enforced", self.keep.others)

    @property
    def sizes_at(self) -> int:
        """Where the sizes of the laws' rows begin behind the parameters."""
        return len(self.m.parameters) + 2 * (len(self.keep.rows) + len(self.holds) + len(self.keep.others))

    @property
    def mode_at(self) -> int:
        return self.sizes_at + len(self.table)

    @property
    def _run_mode_at(self) -> int:
        if self.by != "enforced":
            return self.mode_at
        return len(self.m.parameters) + 2 * len(self.rows) + len(self.table)

    def row_scales(self, norms: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        rows = RangeSpaceRightHandSide.row_scales(self, norms, sizes)
        return np.concatenate([rows, sizes[self.n_loops :], np.zeros(self.mode.size)])

    @property
    def watched(self) -> bool:
        return False

    @property
    def pivot_at(self) -> int | None:  # type: ignore[override]
        return None

    # -- traced --------------------------------------------------------------------------------------------------------
    def _parts(
        self, s: State, A: np.ndarray, forces: tuple[np.ndarray, np.ndarray], rows: Rows, p: Pattern
    ) -> dict[str, list[Output]]:
        made = RangeSpaceRightHandSide._parts(self, s, A, forces, masked(rows, self.n_loops, self.mode, self.by), p)
        if self.by == "enforced":
            return made
        at, first, kept = self._places(p), self.n_loops, list(p.rows)

        def to_work(name: str, numbers: Any) -> list[Output]:
            return [Output(x, "work", at[name] + i) for i, x in enumerate(numbers)]

        own = Rows(*(getattr(rows, name)[first:] for name in ("g", "B", "b", "gamma")))
        enforced = masked(rows, first, self.mode, self.by)
        loads = load_values(s, forces[1], len(rows.g))
        pose = made["pose"] + to_work("J", own.B.ravel()) + to_work("b", own.b) + to_work("gap", own.g)
        pose += (
            to_work("turning", own.gamma) + to_work("Zu", loads.Zu.ravel()) + to_work("Zx", loads.Zx[:, kept].ravel())
        )
        pose += to_work("Zp", -loads.Zx[:, first:].ravel()) + to_work("arm", loads.arms)
        pushing = to_work("f", forces[0] + forces[1]) + to_work("z0", loads.z0)
        pushing += to_work("gamma", [enforced.gamma[k] for k in kept]) + to_work("turning", own.gamma)
        for name, numbers in _friction(s, own).items():
            pushing += to_work(name, numbers)
        rates = [Output(x, "y", i) for i, x in enumerate(s.rates)]
        slips = own.B @ s.speeds - own.b if len(own.b) else own.b
        seen = made["pose"] + to_work("J", own.B.ravel()) + to_work("gap", own.g) + to_work("v_before", slips)
        made |= {"step_pose": pose, "step_forces": pushing, "rates": rates, "gaps": seen}
        made |= {b.place("poses"): b.poses(s, at) for b in self.balls}
        return made | {"only_gaps": to_work("gap", own.g), "displacement": made["moving"]}

    def _places(self, p: Pattern) -> dict[str, int]:
        found = RangeSpaceRightHandSide._places(self, p)
        if self.by == "enforced":
            return found
        n, rows, e, z = self.m.n_u, len(self.table), len(self.table.elements), self.table.n_components
        sizes = {"J": rows * n, "Yl": rows * n, "b": rows, "turning": rows, "gap": rows, "v_before": rows}
        sizes |= {"W": rows, "inverse": rows, "trial": rows, "rho": e, **dict.fromkeys(COEFFICIENTS, e)}
        sizes |= {"lift": e, "touches": e, "rebound": e, "own": e, "per_load": e, "load": e, "slides": e}
        sizes |= {"z0": z, "Zu": z * n, "Zx": z * self.n_rows, "Zp": z * rows, "zf": z, "z": z}
        sizes |= {"arm": len(self.table.load_terms), "L": self.n_rows}
        for b in self.balls:
            sizes |= b.sizes
        sizes |= {"end": 0}
        starts = found.pop("end") + np.cumsum([0, *list(sizes.values())[:-1]])
        return found | dict(zip(sizes, starts.tolist()))

    # -- compiled ------------------------------------------------------------------------------------------------------
    def emit_slope(self, module: Module, lanes: int) -> tuple[Signature, int]:
        """`run`: between impulses coordinates move and speeds stay."""
        code = module.block(self.blocks["rates"], lanes)
        with module.function("run", lanes=lanes, **KERNEL) as f:
            f.call(code, *(getattr(f, name) for name in NAMES))
        return f.signature, self.projection_work

    def emit_projection(self, module: Module, lanes: int) -> Signature | None:
        if self.closing.n_rows:
            return super().emit_projection(module, lanes)
        return RightHandSide.emit_projection(self, module, lanes)

    def sweeps(self, module: Module, lanes: int) -> ConeSweeps:
        """The step's own functions, in the module."""
        return ConeSweeps(self, module, lanes)


def _friction(s: State, rows: Rows) -> dict[str, list[Any]]:
    """Friction of every element at its slip, its restitution and its strength."""
    m = s.mechanism
    found: dict[str, list[Any]] = {name: [] for name in COEFFICIENTS}
    v = rows.B @ s.speeds - rows.b if len(rows.b) else rows.b
    for e in m.law_table.elements:
        law = m.laws[e.law]
        slip = sqrt(sum(v[k] * v[k] for k in e.tangents)) if len(e.tangents) > 1 else sum(abs(v[k]) for k in e.tangents)
        sliding, at_rest, viscous = m.law_table.friction(s, e, slip)
        rubbing = (*sliding, *at_rest, viscous) if e.tangents else (0.0,) * 5
        strength = UNBREAKABLE if law.strength is None else law.strength
        for name, x in zip(COEFFICIENTS, (*rubbing, law.restitution, strength)):
            found[name].append(x)
    return found
