"""A formulation that does not know of a mechanism's own variables: it writes the same mechanism in those that it knows.

One that goes by joints or bodies has the mechanism in the joints' variables, one in coordinates and their rates or momenta has it
without the speeds that were chosen. Its own speeds do not know of the choice; only what leads to and from the mechanism's is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import Formulation
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.variable_changes import GeneralizedSpeeds


class InOtherVariables:
    """The formulation that `found()` gives; in the variables of the joints, or only without speeds that were chosen."""

    def __init__(self, found: Callable[[], Formulation], of_joints: bool):
        self._found, self._of_joints = found, of_joints

    @cached_property
    def form(self) -> Formulation:
        """As it is, in its own variables."""
        return self._found()

    def __reduce__(self) -> tuple[Any, ...]:
        return InOtherVariables, (self._found, self._of_joints)

    def __getattr__(self, name: str) -> Any:
        """What only some formulations offer, on the state or mechanism in the variables that it knows."""
        if name.startswith("_") or name == "form":
            raise AttributeError(name)
        own = getattr(self.form, name)
        return (lambda *given: own(*(self._known(x) for x in given))) if callable(own) else own

    # -- the same in the variables that it knows --------------------------------------------------------------------------
    def _changed(self, m: Mechanism) -> bool:
        return m.variables is not None and (self._of_joints or isinstance(m.variables, GeneralizedSpeeds))

    def _mechanism(self, m: Mechanism) -> Mechanism:
        return self._mechanism(m.base) if self._changed(m) else m

    def _state(self, s: State) -> State:
        return self._state(s.base) if self._changed(s.mechanism) else s

    def _known(self, x: Any) -> Any:
        if isinstance(x, State):
            return self._state(x)
        return self._mechanism(x) if isinstance(x, Mechanism) else x

    def _coordinates(self, m: Mechanism, q: Any) -> Any:
        return self._coordinates(m.base, m.variables.base_coordinates(q)) if m.variables and self._changed(m) else q

    def _back(self, m: Mechanism, q: Any, known: State) -> State:
        """The state of a mechanism that is this one in the variables that are known."""
        if not self._changed(m) or m.variables is None:
            return known
        made = State(m, known.t, q, ())
        made.__dict__["base"] = self._back(m.base, m.variables.base_coordinates(q), known)
        made.speeds = made.speed_map.after(made.base.speeds)
        return made

    def _rates_back(self, s: State, rates: Any) -> np.ndarray:
        if not self._changed(s.mechanism):
            return np.asarray(rates)
        return s.speed_map.rates_after(self._rates_back(s.base, rates))

    # -- the contract -------------------------------------------------------------------------------------------------------
    @property
    def title(self) -> str:
        title: str = self.form.title
        return title

    def refusal(self, m: Mechanism) -> str | None:
        if m.dropped and self._of_joints:
            return (
                f'coordinate "{m.dropped[0]}" is dropped, of which bodies and joints by themselves know nothing; choose "kane", '
                '"lagrange" or another method in the mechanism\'s own coordinates and speeds'
            )
        why: str | None = self.form.refusal(self._mechanism(m))
        return why

    def speeds(self, m: Mechanism) -> tuple[str, ...]:
        return tuple(self.form.speeds(self._mechanism(m)))

    def first_order(self, m: Mechanism) -> int:
        return int(self.form.first_order(self._mechanism(m)))

    def formulation_speeds(self, s: State) -> np.ndarray:
        return np.asarray(self.form.formulation_speeds(self._state(s)))

    def state(self, m: Mechanism, t: Any, q: Any, w: Any) -> State:
        return self._back(m, q, self.form.state(self._mechanism(m), t, self._coordinates(m, q), w))

    def equations(self, s: State) -> Equations:
        made: Equations = self.form.equations(self._state(s))
        return made

    def udot(self, s: State, wdot: Any) -> np.ndarray:
        return self._rates_back(s, self.form.udot(self._state(s), wdot))
