"""Accelerations with laws by any formulation and constraint method.

What laws exert in a mode is found with Kane's equations by range space, as in `law_rhs`: forces are what they are, whoever asks. Under
these forces the formulation's equations are solved by the constraint method, in the formulation's own speeds; u̇ follows from them.
"""

from __future__ import annotations

from typing import Any

from dalembert.errors import FormulationError
from dalembert.formulations import Formulation
from dalembert.formulations.formulation import ChoosesSpeeds
from dalembert.kernels.compiled_solution import solution_kernel
from dalembert.kernels.masked.law_rhs import LawRightHandSide
from dalembert.kernels.masked.sliding_laws import SlidingLaws
from dalembert.kernels.rhs.right_hand_side import RowsToKeep
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.mechanism import Mechanism
from dalembert.trace.native import Module, Signature
from dalembert.trace.native.driver.lapack import make_known
from dalembert.trace.native.module import Prefixed


def check_serves_laws(form: Formulation, title: Any) -> None:
    """Refuse a formulation whose speeds are chosen anew in the course of a motion."""
    if isinstance(form, ChoosesSpeeds) and form.choice is not None and form.choice.rows:
        raise FormulationError(
            f"formulation={title!r} chooses independent speeds of the loops, and would choose anew at every event of a law; "
            'a mechanism with loops and laws is marched by another one, such as "kane"'
        )


class LawFormulationRightHandSide(LawRightHandSide):
    """As `LawRightHandSide`, with u̇ by a formulation and a constraint method."""

    def __init__(self, m: Mechanism, keep: RowsToKeep, form: Formulation, constraints: str):
        super().__init__(m, keep)
        self.form, self.constraints = form, constraints

    def emit_slope(self, module: Module, lanes: int) -> tuple[Signature, int]:
        m, n = self.m, self.m.n_u
        decide, size = super().emit_slope(module, lanes)
        kernel = solution_kernel(m, self.form, self.constraints, self.keep.rows)
        solve, more = kernel.emit(Prefixed(module, "formulation_"), 1)
        laws = SlidingLaws(self, module)
        with module.function("run_by_pair", lanes=lanes, **KERNEL) as f:
            f.call(decide, *(getattr(f, name) for name in NAMES))
            x, found, work = f.work + size, f.work + (size + n), f.work + (size + n + kernel.n_output)
            lam, J = f.work + self.places["lam"], f.work + self.places["J"]
            with f.loop(n) as i:
                x[i] = f.x[i]
            with f.loop(laws.rows) as k, f.loop(laws.starts[k], laws.starts[k + 1]) as i:
                x[laws.columns[i]] = x[laws.columns[i]] - lam[k] * J[i]
            f.call(solve, f.t, f.q, f.u, x, f.P, found, work)
            with f.loop(n) as i:
                f.y[m.n_q + i] = found[i]
        return f.signature, size + n + kernel.n_output + more

    def make_known(self) -> None:
        make_known()
