"""States of elements in a mechanism: they stand behind its parameters, whose values they have but for changing in time.

Whatever the equations read of z they read where they read parameters, so that every formulation, method and kernel knows them; a march
carries z behind the speeds and puts it there (`simulation.march.marched_equations`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalembert.cached import cached_property
from dalembert.elements.placed import PlacedElement
from dalembert.errors import StateError
from dalembert.trace import Expr, symbol

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


class ElementStates:
    """What a mechanism says about the states of its elements."""

    elements: Mapping[str, PlacedElement]
    parameters: Mapping[str, float]

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Names of z: the element's name and the state's."""
        return tuple(name for p in self.elements.values() for name in p.state_names)

    @property
    def n_z(self) -> int:
        """How many states elements have: the length of z."""
        return len(self.states)

    @cached_property
    def states_at(self) -> int:
        """The place of the first state among the parameters; the others follow it."""
        return list(self.parameters).index(self.states[0]) if self.states else len(self.parameters)

    @property
    def state_symbols(self) -> list[Expr]:
        """Symbols that stand for z."""
        return [symbol(name) for name in self.states]

    @cached_property
    def state_units(self) -> tuple[str, ...]:
        """Units of z, where they are said."""
        return tuple(p.element.unit_of(state) for p in self.elements.values() for state in p.z)

    def state_rates(self, s: State) -> list[Any]:
        """ż in a state of the mechanism."""
        rates = [rate for p in s.mechanism.elements.values() for rate in p.rates(s)]
        for name, rate in zip(s.mechanism.states, rates, strict=True):
            if rate != rate:  # not a number
                raise StateError(
                    f'the rate of state "{name}" is not a number in this state: its element has no finite inputs there'
                )
        return rates

    def without_states(self, given: object) -> tuple[Any, dict[str, Any]]:
        """Values by name without those of states, and these."""
        if not self.states or not isinstance(given, Mapping):
            return given, {}
        own = {name: x for name, x in given.items() if name in self.states}
        return {name: x for name, x in given.items() if name not in own}, own
