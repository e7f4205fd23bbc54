"""By which formulation a run's equations are written, and by which method constraints are solved with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.constraints import method
from dalembert.errors import SimulationError
from dalembert.formulations import Formulation
from dalembert.formulations.formulation import ChoosesSpeeds
from dalembert.kernels.rhs.formulation_speeds import formulation_named, speeds_are_own
from dalembert.mechanism import Mechanism
from dalembert.pivoting import Choice
from dalembert.simulation.kept_rows import Holding
from dalembert.simulation.options import Options
from dalembert.simulation.scales import SMALL

if TYPE_CHECKING:
    from dalembert.kernels.rhs.formulation import Formulated
    from dalembert.kernels.rhs.range_space import Constrained

    Held = Constrained | Formulated

BETTER = 2.0
"""How much more firmly other speeds must stand to be worth the change."""


@dataclass(frozen=True, eq=False)
class Balance:
    """A formulation's own speeds w take the place of u in the integrated state; outside, everything is in u."""

    mechanism: Mechanism
    formulation: str
    constraints: str
    form: Formulation
    """With its choice of speeds, if it has one, settled."""

    @property
    def usual(self) -> bool:
        """Kane's equations along the branches of the tree, for which there is code of its own."""
        return self.formulation == "kane" and (self.constraints == "range_space" or not self.mechanism.constraint_rows)

    @cached_property
    def own(self) -> bool:
        """Whether w is u."""
        return self.formulation == "kane" or speeds_are_own(self.mechanism, self.form)

    @property
    def n_speeds(self) -> int:
        return len(self.form.speeds(self.mechanism))

    def code(self, m: Mechanism, h: Holding | None) -> Held | None:
        """What computes the slope and keeps the constraints; None for a tree's own kernels."""
        if self.usual and h is None:
            return None
        from dalembert.kernels.rhs.formulation import Formulated
        from dalembert.kernels.rhs.partition import Partitioned
        from dalembert.kernels.rhs.range_space import Constrained

        gains = None if h is None else h.stabilise.gains
        if self.usual:
            assert h is not None
            return Constrained(m, h.rows, gains, h.others)
        if self._partitions(h):
            assert h is not None
            return Partitioned(m, self.form, self.constraints, h.rows)
        return Formulated(
            m, self.form, self.constraints, () if h is None else h.rows, gains, () if h is None else h.others
        )

    def scales(self, h: Holding | None) -> np.ndarray:
        """What the code measures rows by; a partition keeps its choice behind them."""
        if h is None:
            return np.zeros(0)
        kept = h.scales[: 2 * len(h.rows)]
        return np.append(kept, np.zeros(self.mechanism.n_u + 1)) if self._partitions(h) else h.scales

    def partition_fits(self, h: Holding | None, scales: np.ndarray) -> bool:
        """Whether a choice that lies behind the scales is one: as many dependent speeds as rows, or none chosen yet."""
        if h is None or not self._partitions(h):
            return True
        chosen = scales[2 * len(h.rows) :][: self.mechanism.n_u]
        return bool(np.isin(chosen, (0.0, 1.0)).all()) and int(chosen.sum()) in (0, len(h.rows))

    def _partitions(self, h: Holding | None) -> bool:
        return h is not None and self.constraints == "partition" and self.formulation == "kane" and h.stabilise.projects

    # -- the choice of speeds ------------------------------------------------------------------------------------------
    @property
    def n_dependent(self) -> int:
        """How many speeds are solved for."""
        return 0 if self.choice is None else len(self.choice.rows)

    def row_lengths(self, m: Mechanism, t: float, q: np.ndarray) -> np.ndarray:
        """Of the rows they are solved from, in a pose."""
        return (
            self.form.lengths(m.state(q, np.zeros(m.n_u), t)) if isinstance(self.form, ChoosesSpeeds) else np.zeros(0)
        )

    def choosing_anew(self, m: Mechanism, t: float, q: np.ndarray, lengths: np.ndarray) -> Balance | None:
        """With other speeds, if in this pose they stand far more firmly than those chosen."""
        assert isinstance(self.form, ChoosesSpeeds)
        other = replace(self, form=self.form.anew(m.state(q, np.zeros(m.n_u), t), lengths))
        if other.n_dependent != self.n_dependent:  # a singular pose: what is chosen there serves nowhere else
            return None
        return other if other.firmness(m, t, q, lengths) > BETTER * self.firmness(m, t, q, lengths) else None

    def firmness(self, m: Mechanism, t: float, q: np.ndarray, lengths: np.ndarray) -> float:
        """How firmly the chosen speeds stand in a pose."""
        form = self.form
        return form.firmness(m.state(q, np.zeros(m.n_u), t), lengths) if isinstance(form, ChoosesSpeeds) else 1.0

    @property
    def choice(self) -> Choice | None:
        return self.form.choice if isinstance(self.form, ChoosesSpeeds) else None

    def chosen_so(self, choice: Choice) -> Balance:
        assert isinstance(self.form, ChoosesSpeeds)
        return replace(self, form=self.form.chosen_so(choice))

    # -- between u and w ----------------------------------------------------------------------------------------------
    def own_speeds(self, m: Mechanism, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """w of a state."""
        return u if self.own else np.asarray(self.form.own_speeds(m.state(q, u, t)), dtype=float)

    def speeds(self, m: Mechanism, t: float, q: np.ndarray, w: np.ndarray) -> np.ndarray:
        """u of a state."""
        return w if self.own else np.asarray(self.form.state(m.numeric, t, q, w).speeds, dtype=float)

    def in_speeds(self, t: np.ndarray, rows: np.ndarray, parameters: dict[str, float]) -> np.ndarray:
        """Rows of (q, w) as rows of (q, u)."""
        m, n_q = self.mechanism, self.mechanism.n_q
        if self.own:
            return rows
        if not len(rows):
            return np.zeros((0, n_q + m.n_u))
        from dalembert.kernels.rhs.formulation_kernel import speeds_kernel

        q, w = np.ascontiguousarray(rows[:, :n_q]), np.ascontiguousarray(rows[:, n_q:])
        u = speeds_kernel(self.mechanism, self.form)(q, w, None, np.asarray(t, dtype=float), parameters)
        return np.hstack([q, u])

    def tolerances(self, m: Mechanism, o: Options, q: np.ndarray) -> np.ndarray:
        """Absolute ones for (q, w): of w, what a change of u by its own tolerance's scale makes of it at this pose."""
        if self.own:
            return o.atol
        still = self.own_speeds(m, o.start, q, np.zeros(m.n_u))
        changes = [np.abs(self.own_speeds(m, o.start, q, x) - still) for x in np.diag(o.sizes[m.n_q :])]
        typical = np.max([np.zeros_like(still), *changes], axis=0)
        typical = np.where(typical > 0.0, typical, typical.max(initial=0.0) or 1.0)
        return np.concatenate([o.atol[: m.n_q], o.rtol * SMALL * typical])


def balance(m: Mechanism, formulation: str, constraints: str, o: Options, q: np.ndarray) -> Balance:
    """From the arguments of `simulate`; speeds that are chosen are chosen at the start."""
    method(constraints)
    made = Balance(m, formulation, constraints, formulation_named(m, formulation, [(q, o.start)]))
    if not made.usual and not o.method.any_formulation:
        raise SimulationError(
            f'method "{o.method.name}" is written for Kane\'s equations by range space; with formulation={formulation!r} and '
            f'constraints={constraints!r} choose "dop853" or "rk4"'
        )
    return made
