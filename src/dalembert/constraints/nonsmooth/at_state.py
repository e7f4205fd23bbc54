"""What laws do in a state that nobody has come to: which of them touch, stick and slide there, and with which forces."""

from __future__ import annotations

import numpy as np

from dalembert.constraints.nonsmooth.choose import Accelerating, by_accelerations, normal_speed, touching_elements
from dalembert.constraints.nonsmooth.contradiction import contradicting
from dalembert.constraints.nonsmooth.impact import STILL
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.errors import StateError
from dalembert.kinematics.law_mode import LawMode, ModeLayout

INSIDE = 1e-9
"""Gap, by its scale, below which a law is violated."""


def mode_at(k: Kinetics) -> Accelerating:
    """The mode of a state by itself, and the forces of all rows; refused where there are no accelerations."""
    mode = _switched_on(k)
    touching = touching_elements(k, mode, {})
    for i in touching:
        _check_no_impact(k, i)
    maybe = [i for i in touching if normal_speed(k, i) <= STILL * k.speed_scale(i)]
    found = by_accelerations(k, mode, maybe, {}, np.zeros(len(k.J)))
    if found is None:
        names = ", ".join(f'"{k.table.title(i)}"' for i in range(len(k.elements)) if k.on[i])
        against = ", ".join(f'"{k.table.title(i)}"' for i in contradicting(k, touching))
        if against:
            raise StateError(
                f"no accelerations obey all laws in this state: {against} contradict each other, or what the joints and prescribed "
                "motions ask for. Move a law, or end the prescribed motion"
            )
        raise StateError(
            f"no accelerations obey all laws in this state ({names}): with so much friction what slides jams (Painlevé's paradox). "
            "m.simulate carries it on by an impact without collision"
        )
    return found


def _switched_on(k: Kinetics) -> LawMode:
    """Every law as it begins: open, or sticking or engaged where it is."""
    layout = ModeLayout(k.table)
    mode = LawMode(layout, k.table, np.zeros(layout.size))
    for i in range(len(k.elements)):
        if not k.on[i]:
            continue
        said = violation(k, i, "in this state")
        if said is not None:
            raise StateError(said)
        mode.switch_on(i, k.gap)
    return mode


def violation(k: Kinetics, i: int, when: str) -> str | None:
    """What is wrong where an element has gone through, in words; None where it has not."""
    e = k.elements[i]
    if e.normal is None or not e.has_gap or k.gap[e.normal] >= -INSIDE * k.size(i):
        return None
    return (
        f'law "{k.table.title(i)}" is violated {when}: its gap is {k.gap[e.normal]:.6g}. Let nothing have gone through when it begins '
        "to act, or move the law"
    )


def _check_no_impact(k: Kinetics, i: int) -> None:
    """Refuse a state in which something that touches approaches, or a latch holds what moves: speeds jump there."""
    e, size = k.elements[i], STILL * k.speed_scale(i)
    jerk = float(np.abs(k.v[list(e.holds)]).max(initial=0.0))
    approach = max(jerk, -normal_speed(k, i))
    if approach > size:
        does = "holds what moves" if e.holds else "touches and approaches"
        raise StateError(
            f'law "{k.table.title(i)}" {does} at {approach:.6g} in this state: the speeds jump there, so there are no accelerations. '
            "m.simulate computes the impact; m.without_laws() is the mechanism without its laws"
        )
