"""Actions: what an event does to the motion it happens in. To add one: write its class and add it to `ACTIONS`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.errors import ModelError
from dalembert.parts.conform import Described
from dalembert.parts.fields import JointName, OfState, PointLike, VectorOfState
from dalembert.parts.names import text
from dalembert.portable import Portable
from dalembert.vectors import ZERO


class Action(Described, Portable):
    """What every action is made from: `da.Switch`, `da.SetParameter`, `da.Impulse`, `da.JointImpulse`."""


@dataclass(frozen=True, eq=False)
class Switch(Action):
    """A law switched on, or off: `da.Switch("latch", on=False)` lets go. What is switched on holds or sticks where it is then."""

    law: str
    """Name of the law."""
    on: bool = True
    """Whether the law is on from then on."""


@dataclass(frozen=True, eq=False)
class SetParameter(Action):
    """A parameter that has another value from then on: `da.SetParameter("k", 20.0)`; a number or a function of the state."""

    parameter: str
    """Name of the parameter."""
    value: OfState = 0.0
    """New value: a number, or a function of the state."""


@dataclass(frozen=True, eq=False)
class Impulse(Action):
    """A blow at a point of a body: `da.Impulse("ball", impulse=(0, 0, 2.0))`, in N s and world axes; `angular` is one of turning.

    Each is three numbers or a function of the state. Loops, and whatever touches, answer with impulses of their own.
    """

    at: PointLike
    """Point of a body."""
    impulse: VectorOfState = field(default_factory=lambda: ZERO)
    """N s, world axes."""
    angular: VectorOfState = field(default_factory=lambda: ZERO)
    """N m s, world axes."""


@dataclass(frozen=True, eq=False)
class JointImpulse(Action):
    """A blow along a joint's speed: `da.JointImpulse("A", 0.3)`, in N s, or N m s where it turns."""

    joint: JointName
    """Name of the joint."""
    value: OfState = 0.0
    """N s, or N m s where the freedom turns."""
    coordinate: str | None = None
    """The freedom, where the joint has several."""


ACTIONS: tuple[type[Action], ...] = (Switch, SetParameter, Impulse, JointImpulse)
"""The actions a model file can name."""


def as_actions(given: Any, where: str) -> tuple[Action, ...]:
    """Actions from one, several or none, in the order in which they act."""
    if given is None:
        return ()
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    for one in several:
        if not isinstance(one, Action):
            raise ModelError(
                f'{where} must be an action, or several in their order, not {one!r}; use for example da.Switch("law", on=False)'
            )
    return tuple(several)


def names_of(action: Action) -> dict[str, str]:
    """What an action names, by kind: a law, a parameter, a body, a joint."""
    match action:
        case Switch(law):
            return {"law": text(law, "Switch: law")}
        case SetParameter(parameter):
            return {"parameter": text(parameter, "SetParameter: parameter")}
        case Impulse(at):
            return {"body": at.body}
        case JointImpulse(joint):
            return {"joint": joint}
    return {}
