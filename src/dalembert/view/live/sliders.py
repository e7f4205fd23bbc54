"""Sliders of a page: parameters, gravity, initial values and speeds, and how long it is marched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.parts.names import nearest
from dalembert.simulation.error_sizes import coordinate_units, speed_units
from dalembert.view.live.live_model import LiveModel

DURATION = "duration"
MOST_STARTS = 6
"""Coordinates up to which all of a mechanism without loops get a slider, where no initial value was given."""
HALF = 0.5
"""Part of its value by which a parameter is set up or down, where it has no range of its own."""
FASTER, LONGER = 2.0, 3.0
"""Times its value up to which a speed, and the duration, are set."""
SLOW = {"rad/s": 10.0, "m/s": 2.0, "1/s": 2.0}
"""Speed up to which one that is zero is set."""


@dataclass(frozen=True)
class Slider:
    """One of them: what it sets ("parameter", "state", "initial", "speed" or "duration") and where it stands."""

    kind: str
    name: str
    unit: str
    value: float
    min: float
    max: float
    at: int = 0
    """Place among the parameters, in q or in u."""
    speed: int = -1
    """Place in u that is kept with an initial value."""
    given: bool = True

    @property
    def data(self) -> dict[str, Any]:
        """As the page reads it."""
        return dict(vars(self))


def sliders_of(live: LiveModel, chosen: Iterable[Any] | None) -> list[Slider]:
    """Those chosen by name, or (name, min, max); else those of all parameters, given values, gravity and the duration."""
    every = {s.name: s for s in _every(live)}
    if chosen is None:
        return [s for s in every.values() if s.given or s.kind in ("parameter", "duration")]
    return [_chosen(every, one) for one in chosen]


def _chosen(every: Mapping[str, Slider], one: Any) -> Slider:
    name, *span = (one,) if isinstance(one, str) else tuple(one)
    if name not in every:
        raise SimulationError(
            f'page: there is nothing called "{name}" for a slider to set; {nearest(str(name), every)}'
        )
    found = every[name]
    if not span:
        return found
    try:
        low, high = (float(x) for x in span)
    except (TypeError, ValueError, OverflowError):
        raise SimulationError(f'page: the range of slider "{name}" must be two numbers, not {span!r}') from None
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise SimulationError(f'page: the range of slider "{name}" must go from a number to a larger one, not {span!r}')
    return Slider(**{**vars(found), "min": low, "max": high})


def _every(live: LiveModel) -> list[Slider]:
    return [*_parameters(live), *_starts(live), *_speeds(live), _duration(live)]


def _parameters(live: LiveModel) -> list[Slider]:
    m, out = live.mechanism, []
    _, states = m.without_states(live.motion.record.get("given", {}).get("initial"))
    own = live.motion.mechanism.parameters if live.motion.mechanism else {}
    for i, (name, value) in enumerate(m.parameters.items()):
        low, high = m.plan.ranges.get(name, (None, None))
        if name in m.states:
            out.append(_state(live, name, i, name in states))
            continue
        by = HALF * abs(value) or 1.0
        if name not in own:  # gravity
            low, high = 0.0, 2.0 * value
        out.append(
            Slider("parameter", name, "" if name in own else "m/s²", value,
                   value - by if low is None else low, value + by if high is None else high, i)
        )  # fmt: skip
    return out


def _state(live: LiveModel, name: str, at: int, given: bool) -> Slider:
    """Initial value of an element's state: it stands among the parameters."""
    m = live.mechanism
    k, value = m.states.index(name), m.parameters[name]
    by = max(abs(value), float(live.options.state_sizes[k]))
    return Slider("state", name, m.state_units[k], value, value - by, value + by, at, given=given)


def _starts(live: LiveModel) -> list[Slider]:
    """Coordinates that stand for themselves: those of Euler parameters do not."""
    m, (q, _) = live.mechanism, live.unassembled
    units, fixed = coordinate_units(m), live.fixed[0]
    free = not m.constraint_rows and m.n_q <= MOST_STARTS and not live.given[0]
    length, out = m.scales.length, []
    for at, of in coordinate_speed_pairs(m):
        if units[at] not in ("rad", "m"):
            continue
        value = float(q[at] if of in fixed else live.q[at])
        by = np.pi if units[at] == "rad" else length
        low, high = (-by, by) if units[at] == "rad" and abs(value) <= by else (value - by, value + by)
        out.append(Slider("initial", m.coordinates[at], units[at], value, low, high, at, of, of in fixed or free))
    return out


def coordinate_speed_pairs(m: Mechanism) -> list[tuple[int, int]]:
    """Places in q and in u of coordinates that have a speed each."""
    if m.variables is not None:
        return [(at, of) for at in range(m.n_q) if (of := m.rate_place(at)) is not None]
    every = [pair for j in m.joints if len(j.q_at) == len(j.u_at) for pair in zip(j.q_at, j.u_at)]
    return [(at, of) for at, of in every if at is not None and of is not None]


def _speeds(live: LiveModel) -> list[Slider]:
    m, (_, u) = live.mechanism, live.unassembled
    units, fixed = speed_units(m), live.fixed[1]
    out = []
    for i, name in enumerate(m.speeds):
        value = float(u[i] if i in fixed else live.u[i])
        by = max(FASTER * abs(value), SLOW.get(units[i], 1.0))
        out.append(Slider("speed", f"{name}'", units[i], value, -by, by, i, i, i in fixed))
    return out


def _duration(live: LiveModel) -> Slider:
    o = live.options
    span = o.end - o.start
    return Slider("duration", DURATION, "s", span, 0.1 * span, LONGER * span)
