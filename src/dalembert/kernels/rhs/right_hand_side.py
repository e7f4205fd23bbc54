"""The right-hand side of the equations of motion, ẏ = f(t, y) with y = (q, w): the contract that integrators are written on.

An unconstrained mechanism has no rows to keep, and its projection only brings Euler parameters back to unit length. Which right-hand
side serves a formulation, a constraint method and a set of rows is decided here, by `right_hand_side`, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dalembert.errors import FormulationError
from dalembert.formulations import FORMULATIONS, Formulation
from dalembert.formulations.tree.independent_speeds import InIndependentSpeeds
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.runtime.admissible import emit_admissible
from dalembert.kernels.runtime.straight import block, known_symbols
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr, tracing
from dalembert.trace.native import Module, Output, Signature


@dataclass(frozen=True)
class RowsToKeep:
    """Rows of loops and constraints that the equations obey, and what is done against drift."""

    rows: tuple[int, ...] = ()
    """An independent set."""
    others: tuple[int, ...] = ()
    """Rows that depend on these, which a projection keeps too."""
    gains: tuple[float, float] | None = None
    """Baumgarte's α and β."""
    projects: bool = True
    """Whether states are brought back onto the constraints."""


NO_ROWS = RowsToKeep()
"""Rows of a tree: none."""


class JacobianCode(NamedTuple):
    """`run(t, q, u, x, P, J, work)` on plain arrays of one state; its doubles of working memory; the length of a row of J.

    J has a row for each acceleration: along the displacement that each speed makes, then along each speed; from the column `states` on,
    along each state of an element.
    """

    run: Signature
    work: int
    width: int
    states: int


class RightHandSide:
    """Code for (q̇, ẇ) of one mechanism. It is written when asked for; until then a right-hand side costs nothing.

    Its functions are `name(t, q, w, x, P, y, work)`: x are further generalized forces; behind the parameters P lie the row scales.
    """

    keep: RowsToKeep = NO_ROWS

    def __init__(self, m: Mechanism):
        self.m = m

    @property
    def n_speeds(self) -> int:
        """How many speeds w are integrated."""
        return self.m.n_u

    @property
    def uses_mechanism_speeds(self) -> bool:
        """Whether w is u."""
        return True

    @property
    def parts_of_speeds(self) -> list[int]:
        """The connected part of the mechanism that each of w belongs to."""
        found: list[int] = self.m.scales.part[self.m.n_q :].tolist()
        return found

    @property
    def projection_work(self) -> int:
        """Elements of working memory that a projection needs."""
        return 0

    @property
    def rates_at(self) -> int:
        """Where in it a projection may put q̇."""
        return 0

    @property
    def pivot_at(self) -> int | None:
        """Where in its working memory the slope leaves the smallest pivot of the constraints; None where it watches none."""
        return None

    @property
    def watched(self) -> bool:
        """Whether rows are kept by projection and watched for singular poses. Nothing is traced to answer it."""
        return False

    @property
    def projects_in_lanes(self) -> bool:
        """Whether a projection can take several states, one in each lane."""
        return False

    @property
    def assembles(self) -> bool:
        """Whether it has code for `emit_assembly`."""
        return False

    def emit_assembly(self, module: Module) -> None:
        """`close_all`, `consistent_all` and `rows_beside`, which bring starts onto the constraints: see `loop_closing.py`."""

    def emit_slope(self, module: Module, lanes: int) -> tuple[Signature, int]:
        """`run`, with y = (q̇, ẇ); and the elements of working memory it needs."""
        raise NotImplementedError

    def emit_state_rates(self, module: Module, lanes: int) -> Signature | None:
        """`state_rates`, with y = ż of the elements; None where they have no states."""
        if not self.m.n_z:
            return None
        with tracing():
            s, known = self.symbolic_unknowns()
            outputs = [Output(x, "y", i) for i, x in enumerate(self.m.state_rates(s))]
            return module.block(block("state_rates", known, outputs), lanes)

    def symbolic_unknowns(self) -> tuple[State, dict[Expr, tuple[str, int]]]:
        """The state as a function of (q, w), in symbols, and where these are found."""
        return self.m.symbolic_state(), known_symbols(self.m)

    def speed_rates(self, s: State, wdot: np.ndarray) -> np.ndarray:
        """u̇, from ẇ."""
        return wdot

    def emit_multipliers(self, module: Module, lanes: int) -> Signature:
        """`multipliers`, called right after `run` with its working memory: y = λ of all rows, those of rows that are not kept 0."""
        raise NotImplementedError

    def emit_projection(self, module: Module, lanes: int) -> Signature | None:
        """`project`: q and w brought back in place to what they must obey, y being scratch for q̇; None where they obey nothing."""
        return emit_admissible(module, self.m, lanes)

    def emit_jacobian(self, module: Module) -> JacobianCode:
        """How accelerations change with the state, for implicit integrators."""
        raise self._only_for_kane("The Jacobian")

    def emit_sensitivity(self, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
        """`sensitivity` and the doubles of scratch memory it needs: (q̇, ẇ) along directions (see `sensitivity_equations.py`)."""
        raise self._only_for_kane("Sensitivities")

    def emit_sensitivity_projection(self, module: Module, lanes: int, groups: int) -> Signature | None:
        """`project_sensitivity`, which takes what `sensitivity` takes: directions brought back to what a consistent motion obeys, the
        state being there already; None where nothing must be obeyed."""
        raise self._only_for_kane("Sensitivities")

    def _only_for_kane(self, what: str) -> FormulationError:
        return FormulationError(
            f'{what} of mechanism "{self.m.name}" can be computed for formulation="kane" with constraints="range_space" only'
        )

    def row_scales(self, norms: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """What the code finds behind the parameters, from the reference norms and the sizes of all of the mechanism's rows."""
        return np.zeros(0)

    def row_scales_fit(self, scales: np.ndarray) -> bool:
        """Whether numbers from elsewhere, such as a checkpoint, can stand there."""
        return True

    def speed_pivots(self) -> list[Any]:
        """What is divided by where speeds are solved for that were not chosen, as expressions of the symbolic state."""
        return []

    def make_known(self) -> None:
        """Make known to LLVM what the code calls outside it."""


def is_range_space(m: Mechanism, form: Formulation, constraints: str) -> bool:
    """Whether these are Kane's equations along the branches of the tree, with rows solved for by range space."""
    return form is FORMULATIONS["kane"] and (constraints == "range_space" or not m.constraint_rows)


def right_hand_side(c: Catalogue, form: Formulation, constraints: str, keep: RowsToKeep) -> RightHandSide:
    """The right-hand side of a formulation with a constraint method; what a mechanism does not need is not imported."""
    m = c.mechanism
    if m.laws:
        from dalembert.kernels.masked.law_rhs import LawRightHandSide

        return LawRightHandSide(m, keep)
    if is_range_space(m, form, constraints):
        if not m.constraint_rows:
            from dalembert.kernels.rhs.tree_rhs import TreeRightHandSide

            return TreeRightHandSide(c)
        from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide

        return RangeSpaceRightHandSide(m, keep)
    if constraints == "partition" and form is FORMULATIONS["kane"] and keep.projects:
        from dalembert.kernels.rhs.partition_rhs import PartitionRightHandSide

        return PartitionRightHandSide(m, form, constraints, keep)
    from dalembert.kernels.rhs.formulation_rhs import FormulationRightHandSide

    return FormulationRightHandSide(m, form, constraints, keep)


def settled_choice(form: Formulation, m: Mechanism) -> tuple[Any, ...]:
    """What code depends on of a formulation: itself, or its kind, the choice of speeds that is settled and the decay of gaps; and
    parameters' values.

    By these some formulations look for bodies without inertia; Kane's equations never do.
    """
    values = () if form is FORMULATIONS["kane"] else tuple(m.parameters.values())
    if not isinstance(form, InIndependentSpeeds):
        return form, None, values
    return type(form), form.choice, form.decay, values
