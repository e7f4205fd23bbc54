"""The mode in which a motion goes on after an event, and the speeds with which it does.

What touches and approaches collides; then accelerations decide, by a complementarity problem over everything that touches and all
friction: what presses stays closed, what friction can hold sticks, the rest slides the way it is pushed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.constraints.nonsmooth.bearing_contacts import independent, with_bearing
from dalembert.constraints.nonsmooth.impact import (
    STILL,
    Impact,
    NoSolution,
    free_accelerations,
    impact,
    low,
    without_collision,
    without_gaps,
)
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.constraints.nonsmooth.law_problem import LawProblem, sliding_directions
from dalembert.kinematics.law_mode import DIRECTIONS, ElementState, LawMode

TOUCH = 1e-12
"""Gap, by its scale, that counts as touching when a mode is chosen."""
NO_FORCE, NO_ACCELERATION = 1e-10, 1e-9
"""Parts of the largest force and acceleration that count as none when a mode is chosen."""
AS_LITTLE = 100.0
"""How many times the speed that counts as none any row may change by where slips are brought to nothing."""

IMPULSE = -1
"""Key in a trigger that says: an impulse has just acted, and loops must be closed by impulses of theirs."""
Trigger = dict[int, str]
"""Why the event came: by element, "gap" closed, "lift", "grip" lost, "slide" ended, "halt" of a slip in a plane, "let go"."""
AtSpeeds = Callable[[np.ndarray], Kinetics]


@dataclass(frozen=True, eq=False)
class Chosen:
    """What came of an event."""

    u: np.ndarray
    mode: LawMode
    impact: Impact | None
    touching: list[int]
    """Elements that touch: a projection puts them in touch."""
    jammed: bool = False
    """Whether no accelerations obeyed the laws before an impact without collision."""


def choose(
    k: Kinetics, mode: LawMode, why: Trigger, forces: np.ndarray, at_speeds: AtSpeeds, restitution: str = "newton"
) -> Chosen:
    """Speeds and mode after an event in the state `k`; `forces` are those of the laws' rows in the mode before it."""
    touching = touching_elements(k, mode, why)
    hit = None
    if _collides(k, touching) or IMPULSE in why:
        hit = impact(k, touching, at_speeds, restitution)
        u = _captured(at_speeds(k.u + hit.udelta), touching, at_speeds)
        k, why = at_speeds(u), {}
    maybe = [i for i in touching if normal_speed(k, i) <= STILL * k.speed_scale(i)]
    for obeyed in (True, False):  # first as the event says, then without that
        found = by_accelerations(k, mode, maybe, why if obeyed else {}, forces)
        if found is not None:
            return Chosen(_at_rest(k, found.mode), found.mode, hit, touching)
    jam = without_collision(k, touching)
    return _jammed(at_speeds(k.u + jam.udelta), mode, touching, jam if hit is None else hit.then(jam), forces)


def _jammed(k: Kinetics, mode: LawMode, touching: list[int], hit: Impact, forces: np.ndarray) -> Chosen:
    """The mode after an impact without collision."""
    maybe = [i for i in touching if normal_speed(k, i) <= STILL * k.speed_scale(i)]
    found = by_accelerations(k, mode, maybe, {}, forces)
    if found is None:
        raise NoSolution("accelerations")
    return Chosen(_at_rest(k, found.mode), found.mode, hit, touching, jammed=True)


def _at_rest(k: Kinetics, mode: LawMode) -> np.ndarray:
    """Speeds, with every slip in a plane that counted as none, and begins or stays, brought to nothing: a direction that rounding has
    left to it would not be the one in which it was found to begin."""
    closed = (ElementState.SLIP, ElementState.STICK)
    rubbing = [i for i, e in enumerate(k.elements) if len(e.tangents) > 1 and mode.state(i) in closed]
    moving = sliding_directions(k, rubbing, STILL)
    still = [i for i in rubbing if i not in moving]
    rows = [r for i in still for r in k.elements[i].tangents]
    if not any(mode.state(i) is ElementState.SLIP for i in still) or not k.v[rows].any():
        return k.u
    rows += [r for r in mode.enforced_rows() if r not in set(rows)]
    every = [*range(k.n_loops), *(k.n_loops + r for r in rows)]
    change = k.least_change(every, np.concatenate([np.zeros(k.n_loops), k.v[rows]]))
    small = np.abs(k.J @ change) <= AS_LITTLE * STILL * k.rate * k.sizes  # not where rows nearly depend on each other
    return k.u - change if small.all() else k.u


def touching_elements(k: Kinetics, mode: LawMode, why: Trigger) -> list[int]:
    """Elements that touch, or hold."""
    found = []
    for i, (e, state) in enumerate(zip(k.elements, mode.states)):
        if state is ElementState.OFF:
            continue
        closed = state in (ElementState.SLIP, ElementState.STICK) or why.get(i) == "gap" or not e.has_gap
        meets = e.normal is not None and (closed or k.gap[e.normal] <= TOUCH * k.size(i))
        if meets or (e.holds and why.get(i) != "let go"):
            found.append(i)
    return found


def normal_speed(k: Kinetics, i: int) -> float:
    """Speed at which the gap of an element opens; 0 where it has none."""
    normal = k.elements[i].normal
    return 0.0 if normal is None else float(k.v[normal])


def _collides(k: Kinetics, touching: list[int]) -> bool:
    """Whether something that touches approaches, or a latch holds what moves."""
    holds = [r for i in touching for r in k.elements[i].holds]
    jerks = bool(holds) and bool((np.abs(k.v[holds]) > STILL * k.rate * k.sizes[holds]).any())
    return jerks or any(normal_speed(k, i) < -STILL * k.speed_scale(i) for i in touching)


def _captured(k: Kinetics, touching: list[int], at_speeds: AtSpeeds) -> np.ndarray:
    """Speeds, with what opens so slowly that it would close at once kept closed, together with all rows enforced already."""
    normals = {i: r for i in touching if k.elements[i].has_gap and (r := k.elements[i].normal) is not None}
    opening = [i for i, r in normals.items() if k.v[r] > STILL * k.speed_scale(i)]
    if not opening:
        return k.u
    falling = free_accelerations(k, [i for i in touching if i not in opening])
    caught = [i for i in opening if low(float(k.v[normals[i]]), falling[i], k.size(i))]
    if not caught:
        return k.u
    rows = [normals[i] for i in normals if i in caught or i not in opening]
    for i in k.table.with_turning(i for i in touching if i not in opening or i in caught):
        e = k.elements[i]
        sticks = i not in opening and np.linalg.norm(k.slip(i)) <= STILL * k.speed_scale(i)
        rows += [*(e.tangents if sticks else ()), *e.holds]
    every = [*range(k.n_loops), *(k.n_loops + r for r in rows)]
    off = np.concatenate([np.zeros(k.n_loops), k.v[rows]])
    return k.u - k.least_change(every, off)


class Accelerating(NamedTuple):
    """A mode, and the forces of all rows of loops and laws with which it begins."""

    mode: LawMode
    forces: np.ndarray


def by_accelerations(
    k: Kinetics, mode: LawMode, maybe: list[int], why: Trigger, forces: np.ndarray
) -> Accelerating | None:
    """The mode that the complementarity problem of accelerations gives; None where it has no solution."""
    found = _by_accelerations(k, mode, maybe, why, forces)
    if found is None:
        return None

    def without(others: list[int]) -> Accelerating | None:
        return _by_accelerations(k, mode, [i for i in maybe if i not in others], why, forces)

    bearing = with_bearing(k, found.mode, found.forces, without)
    return found if bearing is None else Accelerating(*bearing)


def _by_accelerations(
    k: Kinetics, mode: LawMode, maybe: list[int], why: Trigger, forces: np.ndarray
) -> Accelerating | None:
    states = mode.states
    rubbing = [i for i in without_gaps(k) if why.get(i) != "let go"]
    which = frozenset([*k.table.with_turning(i for i in maybe if why.get(i) != "lift"), *rubbing])
    ended = {i for i, reason in why.items() if reason in ("slide", "halt")}
    sliding = sliding_directions(k, which - ended, STILL)
    for i in which:
        if why.get(i) == "grip" and i not in sliding:
            pull = forces[list(k.elements[i].tangents)]
            sliding[i] = pull / max(float(np.linalg.norm(pull)), 1e-300)
    x = LawProblem(k, which, sliding)
    p = x.solve()
    if p is None:
        return None
    a, new = x.resulting(p), mode.copy()
    largest_p, largest_a = np.abs(p).max(initial=0.0), np.abs(x.problem.c).max(initial=0.0)
    for i, e in enumerate(k.elements):
        if states[i] is ElementState.OFF:
            continue
        if e.holds:
            new.set(i, ElementState.OFF if why.get(i) == "let go" else ElementState.ENGAGED)
            continue
        if i not in which or _lifted(k, new, i):
            new.set(i, ElementState.OPEN)
            continue
        at = None if e.normal is None else k.n_loops + e.normal
        tangents = [k.n_loops + r for r in e.tangents]
        push = a[tangents]
        if at is not None and p[at] <= NO_FORCE * largest_p and a[at] > NO_ACCELERATION * largest_a:
            new.set(i, ElementState.OPEN)
        elif i in sliding or not tangents:
            new.set(i, ElementState.SLIP, sliding.get(i))
        elif np.linalg.norm(push) > NO_ACCELERATION * largest_a:
            new.set(i, ElementState.SLIP, push / np.linalg.norm(push))
        elif not k.static_force[i] and not k.static_coefficient[i]:
            new.set(i, ElementState.SLIP)
        else:
            _stick(k, new, i, states[i], why)
    p = p + x.viscous
    _press(k, mode, new, p, why)
    enforced = new.enforced_rows()
    active = independent(k, enforced)
    new.settle(active, loose=len(active) < len(enforced))
    return Accelerating(new, p)


def _lifted(k: Kinetics, new: LawMode, i: int) -> bool:
    """Whether element i is a turning whose gap has opened."""
    partner = k.table.partners[i]
    return partner is not None and new.state(partner) is ElementState.OPEN


def _press(k: Kinetics, mode: LawMode, new: LawMode, p: np.ndarray, why: Trigger) -> None:
    """Directions of the terms of loads; where one has come to its turn, it goes on the other way."""
    z, pressed = k.unpressed + k.per_force @ p, new.part("pressed")
    for t, term in enumerate(k.table.load_terms):
        at = slice(DIRECTIONS * t, DIRECTIONS * t + term.size)
        own = z[term.start : term.start + term.size]
        size = float(np.linalg.norm(own))
        turns = why.get(term.element) == "turn" and abs(mode.part("pressed")[at] @ own) <= NO_FORCE * np.abs(k.f).max()
        if turns:
            pressed[at] *= -1.0
        elif size > 0.0:
            pressed[at] = own / size


def _stick(k: Kinetics, new: LawMode, i: int, before: ElementState, why: Trigger) -> None:
    """Stick where it is; what has stuck all the time, where it was."""
    new.set(i, ElementState.STICK)
    if before is ElementState.STICK and i not in why:
        return
    for r in k.elements[i].tangents:
        new.part("anchor")[r] = k.gap[r] if k.table.placed[r] else 0.0


def lasts(k: Kinetics, mode: LawMode) -> bool:
    """Whether forces exist that keep a mode in which single forces are not unique."""
    return keeping_forces(k, mode) is not None


def keeping_forces(k: Kinetics, mode: LawMode) -> np.ndarray | None:
    """Forces of the laws' rows that keep a mode in which single forces are not unique, one share of many; None where there are none."""
    states = mode.states
    closed = (ElementState.SLIP, ElementState.STICK, ElementState.ENGAGED)
    which = frozenset(i for i, state in enumerate(states) if state in closed)
    sliding = {i: mode.direction(i) for i in which if states[i] is ElementState.SLIP and k.elements[i].tangents}
    x = LawProblem(k, which, sliding)
    p = x.solve()
    if p is None:
        return None
    a, enforced = x.resulting(p)[k.n_loops :], mode.enforced_rows()
    small = NO_ACCELERATION * max(np.abs(x.problem.c).max(initial=0.0), 1e-300)
    return (p + x.viscous)[k.n_loops :] if (np.abs(a[enforced]) <= small).all() else None
