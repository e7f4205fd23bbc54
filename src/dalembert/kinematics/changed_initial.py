"""Initial values of mechanisms in variables of their own: by the names of these, or by those of the joints, which mean what they always
mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.errors import StateError
from dalembert.kinematics.initial import at_rest, numbers_by_name, values_by_name, whole
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.missing import missing

FITS = 1e-9
"""Value of a dropped coordinate or speed, by what it is made of, that is zero."""


def changed_coordinates(m: Mechanism, given: Any) -> np.ndarray:
    """q from values by name, or all at once."""
    if m.variables is None:
        return values_by_name(m, given, m.reference, "initial")
    if given is not None and not isinstance(given, Mapping):
        return whole(m, given, "initial")
    own, before = _split(m, given or {}, m.coordinates, m.base.coordinates, "initial")
    base = changed_coordinates(m.base, before)
    q, dropped = m.variables.from_base(base)
    for name, value in zip(m.dropped[len(m.base.dropped) :], dropped):
        if abs(value) > FITS * max(1.0, float(np.abs(base).max(initial=0.0))):
            raise StateError(
                f'initial: coordinate "{name}" is dropped, that is zero, but the values given make it {value:.3g}; give '
                f"{_quoted(_new(m.coordinates, m.base.coordinates))} instead"
            )
    return _put(np.array(q), own, m.coordinates, "initial")


def changed_speeds(m: Mechanism, given: Any, q: np.ndarray, t: float) -> np.ndarray:
    """u from values by name, or all at once; what is not said is at rest."""
    if m.variables is None:
        return values_by_name(m, given, np.zeros(m.n_u), "speeds")
    if given is None:
        return at_rest(m, q, t)
    if not isinstance(given, Mapping):
        return whole(m, given, "speeds")
    own, before = _split(m, given, m.speeds, m.base.speeds, "speeds")
    base = changed_speeds(m.base, before, m.variables.base_coordinates(q), t)
    here = State(m.numeric, t, q, np.zeros(m.n_u)).speed_map
    u = here.after(base)
    if np.abs(here.before(u) - base).max(initial=0.0) > FITS * max(1.0, float(np.abs(base).max(initial=0.0))):
        raise StateError(
            f"speeds: {_quoted(m.dropped)} dropped, that is at rest, and the values given would move it; give "
            f"{_quoted(_new(m.speeds, m.base.speeds))} instead"
        )
    return _put(np.array(u), own, m.speeds, "speeds")


def _split(
    m: Mechanism, given: Mapping[str, Any], names: Sequence[str], before: Sequence[str], what: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values by new names, and by names before; refused where both speak of the same."""
    new = _new(names, before)
    check_names(m, given, what)
    own = {name: value for name, value in given.items() if name in new}
    rest = {name: value for name, value in given.items() if name not in new}
    replaced = [name for name in before if name not in names]
    for name in rest if own else ():
        if any(name == each or each.startswith(f"{name}.") for each in replaced):
            raise StateError(
                f'{what}: "{name}" and {_quoted(own)} are given, and one follows from the other; give one kind of them alone'
            )
    return own, rest


def check_kept(s: State, coordinates: Any, speeds: Any) -> None:
    """Refuse values by name that others, given with them, have changed."""
    for what, given, found in (("initial", coordinates, s.q), ("speeds", speeds, s.u)):
        for name, value in given.items() if isinstance(given, Mapping) else ():
            wanted, made = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (value, found[name]))
            if not np.abs(made - wanted).max(initial=0.0) <= FITS * max(1.0, float(np.abs(wanted).max(initial=0.0))):
                raise StateError(
                    f'{what}: "{name}" is given as {value!r}, but the other values given make it {_plain(made)}: one follows from the '
                    "other; give one kind of them alone"
                )


def _plain(values: np.ndarray) -> str:
    return f"{values[0]:.6g}" if len(values) == 1 else str(values.round(6).tolist())


def check_names(m: Mechanism, given: Mapping[str, Any], what: str) -> None:
    """Every name is known, as a variable of the mechanism or as a joint or a value of one."""
    known: list[str] = []
    at: Mechanism = m
    while True:
        known += [*(at.coordinates if what == "initial" else at.speeds)]
        if at.variables is None:
            break
        at = at.base
    owners = [*(j.name for j in at.joints if j.joint.n_q), *(b.name for b in at.bodies if b.modes)]
    names = list(dict.fromkeys([*owners, *known]))
    kind = "coordinate" if what == "initial" else "speed"
    for name in given:
        if name not in names and at.places(str(name)) is None:
            raise StateError(str(missing(m, name, f"joint or {kind}", names, what)))


def _new(names: Sequence[str], before: Sequence[str]) -> list[str]:
    return [name for name in names if name not in before]


def _put(values: np.ndarray, own: Mapping[str, Any], names: Sequence[str], what: str) -> np.ndarray:
    for name, value in own.items():
        values[list(names).index(name)] = numbers_by_name(value, 1, f'{what}: "{name}"')[0]
    return values


def _quoted(names: Any) -> str:
    return ", ".join(f'"{name}"' for name in names)
