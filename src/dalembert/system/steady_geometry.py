"""Where things are depends on coordinates and time only, not on states of elements: no velocity would tell of their rates.

Masses, forces and inputs may be made of states. A place that is made of one moves with it, and so velocities, constraints and contacts
would have to know its rate and the rate of that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.elements.placed import PlacedElement
from dalembert.errors import ModelError
from dalembert.mechanism import Mechanism
from dalembert.parts.forces.force import Force
from dalembert.parts.forces.load import Load
from dalembert.parts.forces.points import Point
from dalembert.trace import free_symbols, symbol, tracing

INSTEAD = (
    "and no velocity would tell of its rate; states may stand in masses, forces and inputs of elements: move it by a joint, with a "
    "stiff force towards the state or a prescribed motion"
)


def check_geometry(m: Mechanism) -> None:
    """Raise a ModelError where a joint, a loop, a constraint, a law or a force between points is placed by a state of an element."""
    if not m.n_z:
        return
    with tracing():
        s = m.symbolic_state()
        for joint, pose in zip(m.joints, s.poses[1:]):
            _check(m, f'joint "{joint.name}": its place', [*pose.R.ravel(), *pose.p])
        for name, rows in m.constraint_rows.items():
            what = "constraint" if name in m.constraints else "joint"
            _check(m, f'{what} "{name}": what it demands', [*rows.g, *rows.phi])
        for name, law_rows in m.law_rows.items():
            _check(m, f'law "{name}": where it acts', [*law_rows.g, *law_rows.phi])
        for name, force in m.forces.items():
            _check(m, f'"{name}": a point where it acts', _coordinates_of_points(force))


def _coordinates_of_points(force: Force) -> list[Any]:
    """Coordinates of the points between which a force or an element acts. A load asks for no velocity, and may act anywhere."""
    if isinstance(force, Load):
        return []
    values = vars(force.element if isinstance(force, PlacedElement) else force).values()
    points = [x for v in values for x in (v if isinstance(v, tuple) else (v,)) if isinstance(x, Point)]
    return [x for p in points for x in p.at]


def _check(m: Mechanism, what: str, values: Iterable[Any]) -> None:
    state = state_in(m, values)
    if state is not None:
        raise ModelError(f'{what} depends on the state "{state}" of an element, {INSTEAD}')


def state_in(m: Mechanism, values: Iterable[Any]) -> str | None:
    """A state of an element that values depend on."""
    read = free_symbols(list(values))
    return next((name for name in m.states if symbol(name) in read), None)
