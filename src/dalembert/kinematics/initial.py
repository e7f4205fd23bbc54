"""States as users give them: values by joint, by coordinate, or all at once; what is not said is the joint's zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.errors import StateError
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.missing import missing
from dalembert.words import counted

LARGEST_ANGLE = 1e12
"""In rad: beyond, neighbouring numbers lie more than 1e-4 rad apart."""
LARGEST = 1e100
"""Largest value: its third power can still be computed with."""


def state_of_numbers(m: Mechanism, q: Any, u: Any, t: float) -> State:
    """The state with these coordinates and speeds (None: the reference, at rest), checked; see `Mechanism.state`."""
    q = _sized(m, m.reference if q is None else q, m.coordinates, "coordinates q")
    u = _sized(m, np.zeros(m.n_u) if u is None else u, m.speeds, "speeds u")
    if not np.isfinite(t):
        raise StateError(f"the time t = {t} is not a finite number")
    made = State(m.numeric, float(t), q, u)
    for k in made.mechanism.joints_to_check:
        joint = made.mechanism.joints[k]
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
    q = _values(m, coordinates, m.reference, "initial", 0, m.coordinates)
    u = _values(m, speeds, np.zeros(m.n_u), "speeds", 1, m.speeds)
    _check_meaning(m, q, u)
    s = m.state(q, u, t)
    return np.array(s.coordinates), np.array(s.speeds)


def _check_meaning(m: Mechanism, q: np.ndarray, u: np.ndarray) -> None:
    """Refuse values that say nothing: angles whose digits no longer tell a direction, numbers whose squares are none."""
    most = np.where(m.angles, LARGEST_ANGLE, LARGEST)
    for values, limits, names, what in (
        (q, most, m.coordinates, "initial"),
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


def _values(m: Mechanism, given: Any, zeros: np.ndarray, what: str, places: int, names: tuple[str, ...]) -> np.ndarray:
    if given is None:
        return zeros.copy()
    if not isinstance(given, Mapping):
        return _sized(m, given, names, f"{what}, given as a whole,")
    out = zeros.copy()
    single = {name: i for i, name in enumerate(names)}
    for name, value in given.items():
        at: list[int | None]
        named = m.places(name)
        if named is not None:
            at = list(named[places])
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
        out[[k for k in at if k is not None]] = _numbers(value, len(at), f'{what}: joint "{name}"')
    return out


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


def _numbers(given: Any, n: int, where: str) -> np.ndarray:
    try:
        values = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError, OverflowError) as problem:
        raise StateError(f"{where} must be {counted(n, 'number')}, not {given!r}") from problem
    if values.shape != (n,):
        raise StateError(f"{where} has {counted(n, 'value')}, but {given!r} was given")
    if not np.isfinite(values).all():
        raise StateError(f"{where}: {given!r} is not finite")
    return values


_KIND = {"initial": "coordinate", "speeds": "speed"}


def named_speeds(m: Mechanism, given: Any) -> list[int]:
    """Places in u of the joints and freedoms that a mapping names: those whose values are to be kept. None for whole arrays."""
    if not isinstance(given, Mapping):
        return []
    fixed = []
    for name in given:
        owner, _, freedom = str(name).partition(".")
        named = m.places(owner)
        places = () if named is None else named[1]
        fixed += [at for at in places if at is not None and (not freedom or m.speeds[at] == name)]
    return fixed
