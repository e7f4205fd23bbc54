"""Events of a run, gathered from what a user gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import real
from dalembert.errors import SimulationError
from dalembert.parts.events import Event
from dalembert.trace import Expr, Scalar
from dalembert.trace.ops import AND, LE, LT, NOT, OR

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


def gathered(events: Any, until: Any) -> list[Event]:
    """All events of a run: `events` recorded, `until` ending it; functions, Events or {name: either}."""
    found = [_event(name, given, terminal=False) for name, given in _named(events, "event")]
    found += [_event(name, given, terminal=True) for name, given in _named(until, "until")]
    names = [event.name for event in found]
    for name in names:
        if names.count(name) > 1:
            raise SimulationError(f'two events are named "{name}"; give one of them another name')
    return found


def _named(given: Any, what: str) -> list[tuple[str, Any]]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [(str(name), event) for name, event in given.items()]
    many = list(given) if isinstance(given, (list, tuple)) else [given]
    return [(what if len(many) == 1 else f"{what}{k + 1}", event) for k, event in enumerate(many)]


def _event(name: str, given: Any, terminal: bool) -> Event:
    if isinstance(given, Event):
        if given.direction not in (-1, 0, 1):
            raise SimulationError(f'event "{name}": direction={given.direction!r} must be -1, 0 or 1')
        return replace(given, terminal=given.terminal or terminal, name=given.name or name)
    if not callable(given):
        raise SimulationError(
            f'event "{name}": {given!r} is not a function of the state; give for example lambda s: s.q["A"], or an Event'
        )
    return Event(given, 0, terminal, name)


def traced_value(when: Callable[[State], Scalar], s: State) -> Scalar:
    """The expression an event watches."""
    try:
        value = when(s)
    except Exception as problem:
        raise SimulationError(
            f"an event's function must be written with NumPy's or dalembert's functions of the state ({problem})"
        ) from problem
    values = np.asarray(value, dtype=object)
    if values.size != 1:
        raise SimulationError(f"an event's function must give one number, not {values.size}")
    only = values.item()
    if type(only) is Expr and only.op in (LT, LE, AND, OR, NOT):
        raise SimulationError(
            "an event is where a number passes through zero, and a comparison is none: give for example "
            'lambda s: s.q["A"] + 1.0 for "A" falling below -1, with direction=-1 for falling only'
        )
    return only if type(only) is Expr else real(only, "what an event's function gives")
