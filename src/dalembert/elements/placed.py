"""An element in a mechanism: its name, its states as symbols, and what its inputs are connected to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.elements.element import Element
from dalembert.elements.signals import ElementAt, scalar
from dalembert.parts.forces.force import Force, Load

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class PlacedElement(Force):
    """An element as a mechanism has it. As a force it exerts what the element exerts in the state of the mechanism."""

    name: str
    element: Element
    z: Mapping[str, Any]
    """States of the element: symbols, or numbers where the mechanism has numbers for them."""
    sources: Mapping[str, Any]
    """For every input a number, the name of a signal, or a function of the state."""

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.element.bodies

    @property
    def joints(self) -> tuple[str, ...]:
        return self.element.joints

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of its states in the mechanism."""
        return tuple(f"{self.name}.{state}" for state in self.z)

    def loads(self, s: State) -> Iterable[Load]:
        return self.element.loads(ElementAt(self, s))

    def rates(self, s: State) -> list[Any]:
        """ż in the order of its states; of a sampled element, zeros."""
        found = {} if self.element.period is not None else self.element.rates(ElementAt(self, s))
        return [scalar(s, found.get(state, 0.0)) for state in self.z]

    def update(self, s: State) -> list[Any]:
        """States after a sample; of an element in continuous time, as they are."""
        found = {} if self.element.period is None else self.element.update(ElementAt(self, s))
        return [scalar(s, found.get(state, value)) for state, value in self.z.items()]
