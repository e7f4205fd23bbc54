"""Equations to first degree in what is small, to be computed with [C III.A.3]: `da.SmallDeformations`.

They are those of `m.equations(…, small=…)`. A is not symmetric there, and A₀ is definite; so accelerations are solved for in the trace,
by elimination in order, and what is handed on is 1 u̇ = A⁻¹f.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.formulations.linear_systems import solve_in_order
from dalembert.formulations.partial_linearisation import SmallCoordinates, Truncation, small_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.formulation_settings import SmallDeformations
from dalembert.trace import evaluate, symbol, symbols, tracing


class FirstDegreeState(State):
    """A traced state whose rates are of first degree; `exact` is the state itself, `own` are the formulation speeds."""

    def __init__(self, exact: State, own: np.ndarray, rates: np.ndarray):
        self.__dict__.update(exact.__dict__)
        self.exact, self.own, self._rates = exact, own, rates

    @property
    def rates(self) -> np.ndarray:
        return self._rates


@dataclass(frozen=True)
class PartlyLinear:
    """The formulation `form`, of first degree in what `said` names; it writes trees only."""

    form: Any
    said: SmallDeformations

    @property
    def title(self) -> str:
        return f"{self.form.title}, to first degree in {', '.join(self.said.small)}"

    def refusal(self, m: Mechanism) -> str | None:
        if m.constraint_rows:
            return "equations of first degree are marched without loops and constraints; m.equations(…, small=…) writes those with them"
        why: str | None = self.form.refusal(m)
        return why

    def speeds(self, m: Mechanism) -> tuple[str, ...]:
        return tuple(self.form.speeds(m))

    def first_order(self, m: Mechanism) -> int:
        return int(self.form.first_order(m))

    def formulation_speeds(self, s: State) -> np.ndarray:
        return np.asarray(self.form.formulation_speeds(s))

    def state(self, m: Mechanism, t: Any, q: Any, w: Any) -> State:
        exact: State = self.form.state(m, t, q, w)
        if not exact.traced:
            return exact
        own = np.asarray(w, dtype=object)
        return FirstDegreeState(exact, own, np.asarray(self._kept(m, exact, own).up_to(exact.rates, 1)))

    def udot(self, s: State, wdot: Any) -> np.ndarray:
        return np.asarray(self.form.udot(s.exact if isinstance(s, FirstDegreeState) else s, wdot))

    def equations(self, s: State) -> Equations:
        """1 ẇ = A⁻¹f; of numbers as of symbols, which are put in last."""
        m, n = s.mechanism, len(self.speeds(s.mechanism))
        if isinstance(s, FirstDegreeState):
            return Equations(np.eye(n), self._accelerations(m, s), np.zeros((0, n)), np.zeros(0))
        with tracing():
            q, w = symbols("q_", m.coordinates), symbols("#w.", range(n))
            traced = self.state(m, symbol("t"), q, w)
            assert isinstance(traced, FirstDegreeState)
            made = self._accelerations(m, traced)
        values = m.parameter_values | {symbol("t"): s.t} | dict(zip(q, s.coordinates))
        values |= dict(zip(w, self.form.formulation_speeds(s)))
        found = np.asarray(evaluate(list(made), values), dtype=float)
        return Equations(np.eye(n), found, np.zeros((0, n)), np.zeros(0))

    def _kept(self, m: Mechanism, s: State, own: np.ndarray) -> Truncation:
        small = SmallCoordinates.named(m, self.said.small)
        places = small_speeds(self.form, m, small)
        return Truncation({s.coordinates[at]: value for at, value in small.nominal} | {own[at]: 0.0 for at in places})

    def _accelerations(self, m: Mechanism, s: FirstDegreeState) -> np.ndarray:
        """A of degree 0 on small accelerations, of degree 1 on the others; f of degree 1."""
        e: Equations = self.form.equations(s.exact)
        keep = self._kept(m, s.exact, s.own)
        places = small_speeds(self.form, m, SmallCoordinates.named(m, self.said.small))
        A = np.array(keep.up_to(e.A, 1), dtype=object)
        A[:, places] = keep.up_to(np.asarray(e.A)[:, places], 0)
        return np.asarray(solve_in_order(A, np.array(keep.up_to(e.f, 1), dtype=object)))
