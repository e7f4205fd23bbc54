"""States as users give them: values by joint, by coordinate, or all at once; what is not said is the joint's zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.errors import StateError
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.missing import missing
from dalembert.mechanism.variable_changes import GeneralizedSpeeds
from dalembert.words import counted

LARGEST_ANGLE = 1e12
"""In rad: beyond, neighbouring numbers lie more than 1e-4 rad apart."""
LARGEST = 1e100
"""Largest value: its third power can still be computed with."""


def state_of_numbers(m: Mechanism, q: Any, u: Any, t: float) -> State:
    """The state with these coordinates and speeds (None: the reference, at rest), checked; see `Mechanism.state`."""
    q = _sized(m, m.reference if q is None else q, m.coordinates, "coordinates q")
    if not np.isfinite(t):
        raise StateError(f"the time t = {t} is not a finite number")
    if m.variables is not None:
        check_chosen(m, q, float(t))
    u = _sized(m, at_rest(m, q, float(t)) if u is None else u, m.speeds, "speeds u")
    made = State(m.numeric, float(t), q, u)
    joints = made.mechanism.in_joint_variables
    for k in joints.joints_to_check:
        joint = joints.joints[k]
        if None in joint.q_at and not np.isfinite(np.asarray(made.joint_q[k], dtype=float)).all():
            raise StateError(
                f'joint "{joint.name}": its prescribed motion has no value at t = {t:g} s; a table that it comes from may end '
                'there (da.Table(…, outside="hold") goes on)'
            )
        singularity = joint.joint.singularity(made.joint_q[k])
        if singularity:
            raise StateError(f'joint "{joint.name}": {singularity}')
    return made


def initial_state(m: Mechanism, coordinates: Any, speeds: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
    """(q, u) at the start, checked. A joint's name gives all its values, "A.slide" one of them; arrays give everything."""
    if m.variables is not None:
        from dalembert.kinematics.changed_initial import changed_coordinates, changed_speeds, check_kept

        q = changed_coordinates(m, coordinates)
        u = changed_speeds(m, speeds, q, t)
        check_kept(State(m.numeric, t, q, u), coordinates, speeds)
    else:
        guess = m.reference if not m.plan.guess else values_by_name(m, m.plan.guess, m.reference, "guess")
        q = values_by_name(m, coordinates, guess, "initial")
        u = values_by_name(m, speeds, np.zeros(m.n_u), "speeds")
    _check_meaning(m, q, u)
    s = m.state(q, u, t)
    return np.array(s.coordinates), np.array(s.speeds)


def _check_meaning(m: Mechanism, q: np.ndarray, u: np.ndarray) -> None:
    """Refuse values that say nothing: angles whose digits no longer tell a direction, numbers whose squares are none."""
    q, coordinates = m.joint_coordinates(q), m.in_joint_variables.coordinates
    if np.abs(q).max(initial=0.0) <= LARGEST_ANGLE and np.abs(u).max(initial=0.0) <= LARGEST:
        return
    most = np.where(m.in_joint_variables.angles, LARGEST_ANGLE, LARGEST)
    for values, limits, names, what in (
        (q, most, coordinates, "initial"),
        (u, np.full(m.n_u, LARGEST), m.speeds, "speeds"),
    ):
        beyond = np.abs(values) > limits
        if beyond.any():
            k = int(np.argmax(beyond))
            why = (
                "an angle that large has no digits left to say a direction"
                if limits[k] < LARGEST
                else "nothing is that large"
            )
            raise StateError(f'{what}: "{names[k]}" is {values[k]:.3g}, and {why}; at most {limits[k]:g} is taken')


def values_by_name(m: Mechanism, given: Any, zeros: np.ndarray, what: str) -> np.ndarray:
    """Coordinates ("initial", "guess") or speeds ("speeds") of a mechanism in its joints' variables."""
    names = m.speeds if what == "speeds" else m.coordinates
    if given is None:
        return zeros.copy()
    if not isinstance(given, Mapping):
        return whole(m, given, what)
    out = zeros.copy()
    single = {name: i for i, name in enumerate(names)}
    for name, value in given.items():
        at: list[int | None]
        named = m.places(name)
        if named is not None:
            at = list(named[what == "speeds"])
        elif name in single:
            at = [single[name]]
        else:
            known = dict.fromkeys([*(j.name for j in m.joints if j.joint.n_q), *names])
            raise StateError(str(missing(m, name, f"joint or {_KIND[what]}", known, what)))
        if any(k is None for k in at):
            raise StateError(
                f'{what}: joint "{name}" has prescribed motion, so its values follow from time; leave it out, or give its free '
                f"{_KIND[what]}s one by one"
            )
        out[[k for k in at if k is not None]] = numbers_by_name(value, len(at), f'{what}: joint "{name}"')
    return out


def whole(m: Mechanism, given: Any, what: str) -> np.ndarray:
    """All coordinates or speeds at once."""
    names = m.speeds if what == "speeds" else m.coordinates
    return _sized(m, given, names, f"{what}, given as a whole,")


def at_rest(m: Mechanism, q: np.ndarray, t: float) -> np.ndarray:
    """Speeds at which nothing but what time moves is in motion; not zero where speeds were chosen that time adds to."""
    if m.variables is None:
        return np.zeros(m.n_u)
    before = at_rest(m.base, m.variables.base_coordinates(q), t)
    return State(m.numeric, t, q, np.zeros(m.n_u)).speed_map.after(before)


def check_chosen(m: Mechanism, q: np.ndarray, t: float) -> None:
    """Refuse a pose in which speeds that were chosen do not determine the motion."""
    from dalembert.kinematics.speed_map import singular_choice

    if m.variables is None:
        return
    check_chosen(m.base, m.variables.base_coordinates(q), t)
    why = singular_choice(m, State(m.numeric, t, q, np.zeros(m.n_u)))
    if why is not None:
        chosen = ", ".join(f'"{name}"' for name in m.speeds if name not in m.base.speeds)
        raise StateError(f"speeds {chosen} {why}; choose others for motions that come near this pose")


def _sized(m: Mechanism, given: Any, names: tuple[str, ...], what: str) -> np.ndarray:
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise StateError(
            f'mechanism "{m.name}": {what} must be {counted(len(names), "number")} in the order ({", ".join(names)}), not {given!r}; '
            "values by joint, {name: value}, are taken by m.assemble and m.simulate"
        ) from None
    if values.shape != (len(names),):
        raise StateError(
            f'mechanism "{m.name}": {what} must be {counted(len(names), "number")} in the order ({", ".join(names)}), but an array of '
            f"shape {values.shape} was given"
        )
    if not np.isfinite(values).all():
        raise StateError(f"{what}: {names[int(np.argmin(np.isfinite(values)))]} is not a finite number")
    return values


def numbers_by_name(given: Any, n: int, where: str) -> np.ndarray:
    """Finite numbers, n of them, as a user gives them for a name."""
    try:
        values = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError, OverflowError) as problem:
        raise StateError(f"{where} must be {counted(n, 'number')}, not {given!r}") from problem
    if values.shape != (n,):
        raise StateError(f"{where} has {counted(n, 'value')}, but {given!r} was given")
    if not np.isfinite(values).all():
        raise StateError(f"{where}: {given!r} is not finite")
    return values


_KIND = {"initial": "coordinate", "guess": "coordinate", "speeds": "speed"}


def named_coordinates(m: Mechanism, given: Any) -> list[int]:
    """Places of the speeds that move the joints and coordinates that a mapping names, among those before any were chosen."""
    return named_coordinates(m.base, given) if isinstance(m.variables, GeneralizedSpeeds) else named_speeds(m, given)


def named_speeds(m: Mechanism, given: Any) -> list[int]:
    """Places in u of the joints and freedoms that a mapping names: those whose values are to be kept. None for whole arrays."""
    if m.variables is not None and isinstance(given, Mapping):
        own = [m.speeds.index(name) for name in given if name in m.speeds]
        before = named_speeds(m.base, {name: x for name, x in given.items() if name not in m.speeds})
        moved = State(m.numeric, 0.0, m.reference, np.zeros(m.n_u)).speed_map.W[:, before]
        return sorted(
            {*own, *(int(at) for at in np.flatnonzero(np.abs(np.asarray(moved, float)).max(axis=1, initial=0.0)))}
        )
    if not isinstance(given, Mapping):
        return []
    fixed = []
    for name in given:
        owner, _, freedom = str(name).partition(".")
        named = m.places(owner)
        places = () if named is None else named[1]
        fixed += [at for at in places if at is not None and (not freedom or m.speeds[at] == name)]
    return fixed
