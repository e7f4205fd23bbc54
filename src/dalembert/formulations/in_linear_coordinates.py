"""A formulation that writes a mechanism's equations in the joints' speeds but for those of floating roots, given sums and differences
of the joints' coordinates [C 262]: v = P u with constant P, so that Pᵀ A P u̇ = Pᵀ f. Coordinates that are dropped have no equations.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.variable_changes import LinearCoordinates


class InLinearCoordinates:
    """The formulation `form`, whose `replaced(m)` are the places of speeds that it has in place of the joints'."""

    def __init__(self, form: Any):
        self.form = form

    def __getattr__(self, name: str) -> Any:
        """What only some formulations offer, on the state or mechanism in the joints' variables."""
        if name.startswith("_") or name == "form":
            raise AttributeError(name)
        own = getattr(self.form, name)
        return (lambda *given: own(*(_known(x) for x in given))) if callable(own) else own

    @property
    def title(self) -> str:
        title: str = self.form.title
        return title

    def refusal(self, m: Mechanism) -> str | None:
        if m.variables is None:
            why: str | None = self.form.refusal(m)
            return why
        mixed = set(self.form.replaced(m.base)) - set(_variables(m).direct_speeds)
        if mixed:
            return (
                f'speed "{m.base.speeds[min(mixed)]}" of a body that floats is mixed with others by the coordinates that were chosen; '
                'leave it out of these, or choose "kane"'
            )
        why = self.form.refusal(m.base)
        return why

    def speeds(self, m: Mechanism) -> tuple[str, ...]:
        own: tuple[str, ...] = self.form.speeds(_known(m))
        if m.variables is None:
            return own
        return tuple(name if at is None else own[at] for name, at in zip(m.speeds, _variables(m).direct_speeds))

    def first_order(self, m: Mechanism) -> int:
        if m.variables is None:
            return int(self.form.first_order(m))
        return m.n_q + m.n_u + int(self.form.first_order(m.base)) - m.base.n_q - m.base.n_u

    def formulation_speeds(self, s: State) -> np.ndarray:
        own = self.form.formulation_speeds(_known(s))
        if s.mechanism.variables is None:
            return np.asarray(own)
        direct = _variables(s.mechanism).direct_speeds
        return np.array([u if at is None else own[at] for u, at in zip(s.speeds, direct)])

    def state(self, m: Mechanism, t: Any, q: Any, w: Any) -> State:
        if m.variables is None:
            return cast(State, self.form.state(m, t, q, w))
        before = self.form.state(m.base, t, m.variables.base_coordinates(q), _variables(m).per_speed @ np.asarray(w))
        direct = _variables(m).direct_speeds
        return State(m, t, q, [x if at is None else before.speeds[at] for x, at in zip(w, direct)])

    def equations(self, s: State) -> Equations:
        e: Equations = self.form.equations(_known(s))
        if s.mechanism.variables is None:
            return e
        P = _variables(s.mechanism).per_speed
        return Equations(P.T @ e.A @ P, P.T @ e.f, e.B @ P, e.gamma)

    def udot(self, s: State, wdot: Any) -> np.ndarray:
        if s.mechanism.variables is None:
            return np.asarray(self.form.udot(s, wdot))
        before = self.form.udot(s.base, _variables(s.mechanism).per_speed @ np.asarray(wdot))
        direct = _variables(s.mechanism).direct_speeds
        return np.array([x if at is None else before[at] for x, at in zip(wdot, direct)])


def _variables(m: Mechanism) -> LinearCoordinates:
    return cast(LinearCoordinates, m.variables)


def _known(x: Any) -> Any:
    """The mechanism or state in the joints' variables."""
    changed = (
        isinstance(x, (Mechanism, State)) and (x if isinstance(x, Mechanism) else x.mechanism).variables is not None
    )
    return x.base if changed else x
