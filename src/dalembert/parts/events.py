"""Events: a function of the state that is watched for zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from dalembert.errors import ModelError
from dalembert.parts.actions import Action, as_actions
from dalembert.parts.conform import Described
from dalembert.parts.fields import Function


@dataclass(frozen=True)
class Event(Described):
    """`when(s)` crossing zero: upward (direction 1), downward (−1) or either way (0). A terminal event ends the run.

    `when` is a function of the state like any user's function: `lambda s: s.position("ball")[2]`. `action` is what then happens:
    `da.Switch`, `da.SetParameter`, `da.Impulse`, `da.JointImpulse`, or several of them in their order.
    """

    when: Annotated[Callable[[Any], Any], Function(("s",), constant=False)]
    """Function of the state whose zeros are sought."""
    direction: int = 0
    """1 for upward crossings, -1 for downward ones, 0 for both."""
    terminal: bool = False
    """Whether the event ends the run."""
    name: str = ""
    """Name in `motion.events`."""
    action: Action | Sequence[Action] | None = None
    """What happens at the event: one action, or several in their order."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """What happens, in its order."""
        return as_actions(self.action, "Event: action")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "action", as_actions(self.action, "Event: action"))
        if self.direction not in (-1, 0, 1):
            raise ModelError(f"Event: direction={self.direction!r} must be -1, 0 or 1")


def as_event(given: Any, name: str) -> Event:
    """An Event from an Event or a function of the state."""
    if isinstance(given, Event):
        return replace(given, name=name)
    if not callable(given):
        raise ModelError(
            f'event "{name}": {given!r} is not a function of the state; give for example lambda s: s.q["A"], or an Event'
        )
    return Event(given, name=name)
