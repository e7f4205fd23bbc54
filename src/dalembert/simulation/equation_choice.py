"""Choice by which formulation a run's equations are written, and by which method constraints are solved with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints import check_constraint_method
from dalembert.errors import SimulationError
from dalembert.formulations import FORMULATIONS, Formulation, formulation_named
from dalembert.formulations.formulation import ChoosesSpeeds, SolvesRows, states_in_speeds, uses_mechanism_speeds
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.rhs.right_hand_side import is_range_space, settled_choice
from dalembert.mechanism import Mechanism
from dalembert.mechanism.formulation_settings import FormulationSettings
from dalembert.pivoting import PivotChoice
from dalembert.simulation.error_sizes import SMALL
from dalembert.simulation.run_options import Options
from dalembert.trace import tracing

BETTER = 2.0
"""Factor by which the pivot ratio of other speeds must be larger to be worth the change."""


@dataclass(frozen=True, eq=False)
class EquationChoice:
    """The formulation and the constraint method of a run.

    The formulation's speeds w take the place of u in the integrated state; outside, everything is in u.
    """

    mechanism: Mechanism
    formulation: str | FormulationSettings
    constraints: str
    form: Formulation
    """The formulation, with its choice of speeds, if it has one, settled."""

    @cached_property
    def usual(self) -> bool:
        """Kane's equations along the branches of the tree, for which there is code of its own."""
        return is_range_space(self.mechanism, self.form, self.constraints)

    @cached_property
    def uses_mechanism_speeds(self) -> bool:
        """Whether w is u."""
        return self.formulation == "kane" or uses_mechanism_speeds(self.mechanism, self.form)

    @cached_property
    def speed_names(self) -> tuple[str, ...]:
        """Names of w."""
        return self.mechanism.speeds if self.uses_mechanism_speeds else self.form.speeds(self.mechanism)

    @property
    def n_speeds(self) -> int:
        return len(self.speed_names)

    @cached_property
    def code_depends_on(self) -> tuple[Any, ...]:
        """What tells the code of these equations from that of others of the mechanism."""
        return self.formulation, settled_choice(self.form, self.mechanism), self.constraints

    # -- the choice of speeds ------------------------------------------------------------------------------------------
    @property
    def n_dependent(self) -> int:
        """How many speeds are solved for."""
        return 0 if self.choice is None else len(self.choice.rows)

    def row_lengths(self, m: Mechanism, t: float, q: np.ndarray) -> np.ndarray:
        """Lengths of the rows they are solved from, in a pose."""
        return (
            self.form.lengths(m.state(q, np.zeros(m.n_u), t)) if isinstance(self.form, ChoosesSpeeds) else np.zeros(0)
        )

    def choosing_anew(self, m: Mechanism, t: float, q: np.ndarray, lengths: np.ndarray) -> EquationChoice | None:
        """The choice with other speeds, if in this pose they stand far more firmly than those chosen."""
        assert isinstance(self.form, ChoosesSpeeds)
        other = replace(self, form=self.form.anew(m.state(q, np.zeros(m.n_u), t), lengths))
        if other.n_dependent != self.n_dependent:  # a singular pose: what is chosen there serves nowhere else
            return None
        return other if other.pivot_ratio(m, t, q, lengths) > BETTER * self.pivot_ratio(m, t, q, lengths) else None

    def pivot_ratio(self, m: Mechanism, t: float, q: np.ndarray, lengths: np.ndarray) -> float:
        """How firmly the chosen speeds stand in a pose."""
        form = self.form
        return form.pivot_ratio(m.state(q, np.zeros(m.n_u), t), lengths) if isinstance(form, ChoosesSpeeds) else 1.0

    @property
    def choice(self) -> PivotChoice | None:
        return self.form.choice if isinstance(self.form, ChoosesSpeeds) else None

    def chosen_so(self, choice: PivotChoice) -> EquationChoice:
        assert isinstance(self.form, ChoosesSpeeds)
        return replace(self, form=self.form.chosen_so(choice))

    # -- between u and w ----------------------------------------------------------------------------------------------
    def formulation_speeds(self, m: Mechanism, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """w of a state."""
        return (
            u if self.uses_mechanism_speeds else np.asarray(self.form.formulation_speeds(m.state(q, u, t)), dtype=float)
        )

    def speeds(self, m: Mechanism, t: float, q: np.ndarray, w: np.ndarray) -> np.ndarray:
        """u of a state."""
        return w if self.uses_mechanism_speeds else np.asarray(self.form.state(m.numeric, t, q, w).speeds, dtype=float)

    def in_speeds(self, t: np.ndarray, rows: np.ndarray, parameters: dict[str, float]) -> np.ndarray:
        """Rows of (q, w) as rows of (q, u)."""
        m, n_q = self.mechanism, self.mechanism.n_q
        if self.uses_mechanism_speeds:
            return rows
        end = n_q + self.n_speeds
        if not len(rows):
            return np.zeros((0, n_q + m.n_u + m.n_z))
        from dalembert.kernels.rhs.formulation_kernel import speeds_kernel

        q, w = np.ascontiguousarray(rows[:, :n_q]), np.ascontiguousarray(rows[:, n_q:end])
        values = {**parameters, **dict(zip(m.states, rows[:, end:].T))}
        u = speeds_kernel(self.mechanism, self.form)(q, w, None, np.asarray(t, dtype=float), values)
        return np.hstack([q, u, rows[:, end:]])

    def tolerances(self, m: Mechanism, o: Options, q: np.ndarray) -> np.ndarray:
        """Absolute ones for (q, w): of w, what a change of u by its own tolerance's scale makes of it at this pose."""
        if self.uses_mechanism_speeds:
            return o.atol
        still = self.formulation_speeds(m, o.start, q, np.zeros(m.n_u))
        changes = [np.abs(self.formulation_speeds(m, o.start, q, x) - still) for x in np.diag(o.sizes[m.n_q :])]
        typical = np.max([np.zeros_like(still), *changes], axis=0)
        typical = np.where(typical > 0.0, typical, typical.max(initial=0.0) or 1.0)
        return np.concatenate([o.atol[: m.n_q], o.rtol * SMALL * typical])


def kane_by(c: Catalogue, constraints: str) -> EquationChoice:
    """Kane's equations, with rows solved for by this method; made once for a mechanism."""
    kane = FORMULATIONS["kane"]

    def make() -> EquationChoice:
        check_constraint_method(constraints)
        return EquationChoice(c.mechanism, "kane", constraints, kane)

    return c.once(("kane", kane, constraints), make)


def equation_choice(
    c: Catalogue, formulation: str | FormulationSettings, constraints: str, o: Options, q: np.ndarray
) -> EquationChoice:
    """Choice from the arguments of `simulate`; speeds that are chosen are chosen at the start."""
    made = kane_by(c, constraints) if formulation == "kane" else _choice(c.mechanism, formulation, constraints, o, q)
    if not made.usual and not o.method.any_formulation:
        raise SimulationError(
            f'method "{o.method.name}" is written for Kane\'s equations by range space; with formulation={formulation!r} and '
            f'constraints={constraints!r} choose "dop853" or "rk4"'
        )
    _check_speeds_last(made)
    return made


def _check_speeds_last(by: EquationChoice) -> None:
    """Refuse speeds that jump with states of sampled elements, as momenta do with a mass that is sampled."""
    m = by.mechanism
    if not m.n_z or by.uses_mechanism_speeds:
        return
    with tracing():
        read = states_in_speeds(m, by.form)
    sampled = {name for p in m.elements.values() if p.element.period is not None for name in p.state_names}
    jumping = [name for name in read if name in sampled]
    if jumping:
        raise SimulationError(
            f'formulation="{by.formulation}" is marched in speeds of its own, which belong to masses and mass centres, and these '
            f'jump with the state "{jumping[0]}" of a sampled element; choose "kane", "lagrange" or another in the speeds of the joints'
        )


def _choice(
    m: Mechanism, formulation: str | FormulationSettings, constraints: str, o: Options, q: np.ndarray
) -> EquationChoice:
    check_constraint_method(constraints)
    form = formulation_named(m, formulation, [(q, o.start)])
    if isinstance(form, SolvesRows) and o.stabilise.gains is not None and m.constraint_rows:
        form = form.with_gains(*o.stabilise.gains)
    return EquationChoice(m, formulation, constraints, form)
