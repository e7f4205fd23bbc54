"""Equations as they are printed, where that is shorter than what is solved with.

Momenta with constraints are solved for from M⁻¹ṗ + M⁻¹Bᵀλ = M⁻¹f, which is symmetric. Sources print ṗ + Bᵀλ = f with the constraints
on the rates, B q̇ = b [C 163–164]: nothing is inverted there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import Formulation
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import shortest
from dalembert.mechanism import Mechanism
from dalembert.trace import tracing

if TYPE_CHECKING:
    from dalembert.formulations.printing.written_equations import WrittenEquations


class RowsOnRates:
    """A formulation whose `equations` are those that it prints: rows on q̇ in place of rows on its own speeds' rates."""

    def __init__(self, form: Any):
        self.form, self.title = form, form.title

    def state(self, m: Mechanism, t: Any, q: Any, w: Any) -> State:
        made: State = self.form.state(m, t, q, w)
        return made

    def equations(self, s: State) -> Equations:
        made: Equations = self.form.equations_in_rates(s)
        return made


def in_print(eq: WrittenEquations) -> WrittenEquations:
    """Equations as printed; as they are, where the formulation has no other form."""
    if not len(eq.gamma) or eq.small is not None or not hasattr(eq.method, "equations_in_rates"):
        return eq
    form: Any = RowsOnRates(eq.method)

    def written() -> list[np.ndarray]:
        e = form.equations(form.state(eq.mechanism, eq.t, eq.q, eq.u))
        return [np.asarray(x) for x in (e.A, e.f, e.B, e.gamma)]

    with tracing():
        A, f, B, b = shortest(written, list)
    return replace(eq, method=form, A=A, f=f, B=B, gamma=b)


def rows_on_rates(method: Formulation) -> bool:
    """Whether constraints are printed as B q̇ = b."""
    return isinstance(method, RowsOnRates)
