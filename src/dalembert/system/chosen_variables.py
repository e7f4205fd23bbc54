"""Coordinates and speeds that a system chooses, as a numbered mechanism has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import DalembertError, ModelError, TraceError
from dalembert.kinematics.speed_map import SINGULAR
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism, in_variables
from dalembert.mechanism.variable_changes import GeneralizedSpeeds, LinearCoordinates, Places
from dalembert.parts.joints import Joint
from dalembert.parts.names import unknown
from dalembert.parts.speeds import (
    CHILD_AXES,
    RATES,
    WORLD_AXES,
    CoordinateRates,
    SpeedChoice,
    UserSpeeds,
    WorldAxes,
    in_world_axes,
    rates_of,
)
from dalembert.parts.speeds.world_axes import SLIDES, TURNS
from dalembert.system.choices_said import CoordinatesSaid, SpeedsSaid
from dalembert.system.steady_geometry import state_in
from dalembert.trace import Expr, depends_on, free_symbols, jacobian, substitute, symbols, tracing

if TYPE_CHECKING:
    from dalembert.system.system import System

POSES, REACH, AT_TIME = 3, 0.4, 0.1
"""Poses in which it is tried whether chosen speeds determine the motion, how far these are from the reference, in large steps, and
the time, in s."""


def changed(m: Mechanism, system: System) -> Mechanism:
    """The mechanism in the coordinates and speeds that the system chooses."""
    if system.chosen_coordinates is not None:
        m = in_variables(m, linear_coordinates(m, system.chosen_coordinates))
    choices = speed_choices(m, system)
    if not choices:
        return m
    names = list(m.speeds)
    for choice in choices:
        for at, name in zip(choice.instead_of, choice.names):
            names[at] = name
    _check_new([name for c in choices for name in c.names], m, m.speeds, "speed")
    made = in_variables(m, GeneralizedSpeeds(m.variables, _places(m), m.coordinates, tuple(names), tuple(choices)))
    _check_regular(made, choices)
    return made


def _places(m: Mechanism) -> tuple[Places, ...]:
    if m.variables is not None:
        return m.variables.places
    return tuple((j.q_at, j.u_at) for j in m.joints)


# -- coordinates ------------------------------------------------------------------------------------------------------------------
def linear_coordinates(m: Mechanism, said: CoordinatesSaid) -> LinearCoordinates:
    """Linear combinations in place of as many coordinates as they are made of."""
    names = tuple(said.functions)
    for name in said.dropped:
        if name not in names:
            raise unknown(name, "coordinate", names, "dropped coordinates")
    M, constant = _coefficients(m, said)
    places = [int(i) for i in np.flatnonzero(np.abs(M).max(axis=0, initial=0.0))]
    if len(places) != len(names):
        raise ModelError(
            f"coordinates {_listed(names)} are made of {len(places)} coordinates ({', '.join(m.coordinates[i] for i in places)}), so "
            f"that there must be {len(places)} of them; name those that you do not need in drop"
        )
    own = M[:, places]
    if not np.linalg.svd(own / np.linalg.norm(own, axis=1, keepdims=True), compute_uv=False)[-1] > SINGULAR:
        raise ModelError(f"coordinates {_listed(names)} depend on each other")
    kept = [name for name in names if name not in said.dropped]
    speeds = [_rate_of(m, at) for at in places]
    return _assembled(m, own, constant, names, kept, (places, speeds))


def _assembled(
    m: Mechanism, own: np.ndarray, constant: np.ndarray, names: Any, kept: list[str], at: tuple[list[int], list[int]]
) -> LinearCoordinates:
    places, speeds = at
    back = np.linalg.inv(own)
    order = [names.index(name) for name in kept]
    left_out = [i for i in range(len(names)) if i not in order]
    L, shift, q_names, direct = _placed(list(m.coordinates), places, kept, back[:, order])
    shift[places] = -back @ constant
    per_speed, _, u_names, direct_speeds = _placed(list(m.speeds), speeds, kept, back[:, order])
    K = np.zeros((len(q_names) + len(left_out), m.n_q))
    for i, (name, before) in enumerate(zip(q_names, direct)):
        if before is not None:
            K[i, before] = 1.0
        else:
            K[i, places] = own[names.index(name)]
    K[len(q_names) :, places] = own[left_out]
    _check_new([*names], m, [*m.coordinates, *m.speeds], "coordinate")
    dropped = tuple(names[i] for i in left_out)
    return LinearCoordinates(
        m.variables, _places(m), tuple(q_names), tuple(u_names), L, shift, K, direct, per_speed, direct_speeds, dropped
    )


def _placed(
    before: list[str], places: list[int], kept: list[str], back: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[str], tuple[int | None, ...]]:
    """Variables before, per unit of those after, which stand where the replaced ones did; names after; what is as it was."""
    slots: list[tuple[str, int | None]] = []
    new = iter(kept)
    for i, name in enumerate(before):
        if i not in places:
            slots.append((name, i))
        elif (following := next(new, None)) is not None:
            slots.append((following, None))
    L = np.zeros((len(before), len(slots)))
    for column, (name, at) in enumerate(slots):
        if at is not None:
            L[at, column] = 1.0
        else:
            L[places, column] = back[:, kept.index(name)]
    return L, np.zeros(len(before)), [name for name, _ in slots], tuple(at for _, at in slots)


def _coefficients(m: Mechanism, said: CoordinatesSaid) -> tuple[np.ndarray, np.ndarray]:
    """M and c of M q + c."""
    with tracing():
        q = symbols("q_", m.coordinates)
        s = State(m, symbols("t", ("",))[0], q, symbols("u_", m.speeds))
        values = np.array([_value(s, f, f'coordinate "{name}"') for name, f in said.functions.items()], dtype=object)
        M = jacobian(values, list(q))
        constant = substitute(values, dict.fromkeys(q, 0.0))
    for name, row, c in zip(said.functions, M, constant):
        if any(type(x) is Expr for x in (*row, c)):
            raise ModelError(
                f'coordinate "{name}" must be a sum of coordinates with plain numbers as factors, such as q.A + q.B; parameters, time, '
                "speeds and products are not taken"
            )
    return M.astype(float), np.asarray(constant, dtype=float)


def _rate_of(m: Mechanism, coordinate: int) -> int:
    """The place in u of the speed that is a coordinate's rate."""
    with tracing():
        s = m.symbolic_state()
        rate = s.rates[coordinate]
        for at, u in enumerate(s.speeds):
            if rate is u:
                return at
    raise ModelError(
        f'coordinate "{m.coordinates[coordinate]}" cannot be combined with others: its rate is no speed; take angles and distances of '
        "joints, or amplitudes of modes"
    )


# -- speeds -----------------------------------------------------------------------------------------------------------------------
def speed_choices(m: Mechanism, system: System) -> list[SpeedChoice]:
    """Choices of every joint, or of the system where a joint says nothing; then those that the system writes."""
    found: list[SpeedChoice] = []
    for number, name in enumerate((j.name for j in m.joints), start=1):
        p = system.joints[name]
        said = p.speeds if p.speeds is not None else system.chosen_speeds
        if isinstance(said, SpeedsSaid):
            if p.speeds is not None:
                found.append(_of_joint(m, name, said))
        elif said is not None:
            found += _preset(m, number, p.joint, said, own=p.speeds is not None)
    if isinstance(system.chosen_speeds, SpeedsSaid):
        found.append(_own(m, system.chosen_speeds, [at for c in found for at in c.instead_of]))
    return found


def _preset(m: Mechanism, number: int, joint: Joint, said: str, own: bool) -> list[SpeedChoice]:
    """What a preset makes of a joint's free speeds; refused where it makes nothing of a joint that asks for it itself."""
    j = m.joints[number - 1]
    places = m.places(j.name)
    if said == CHILD_AXES or places is None or None in places[1] or not places[1]:
        if own and said != CHILD_AXES and joint.n_u:
            raise ModelError(
                f'joint "{j.name}": its speeds are prescribed or replaced already, and none are left to choose'
            )
        return []
    at: list[Any] = list(places[1])
    if said == RATES:
        which = rates_of(j.joint, j.name)
        names = tuple(f"{j.name}.{joint.coordinates[i]}" for i in which)
        return (
            [CoordinateRates(names, tuple(at[i] for i in which), number, tuple(which), tuple(which))] if which else []
        )
    assert said == WORLD_AXES
    found = in_world_axes(joint)
    if own and not found:
        raise ModelError(
            f'joint "{j.name}": a {joint.kind} has no three turns or slides whose components could be taken along the world\'s axes; '
            'choose "child axes" or "rates", or write its speeds yourself'
        )
    return [
        WorldAxes(
            tuple(f"{j.name}.{c}" for c in (TURNS if turns else SLIDES)), tuple(at[i] for i in which), number,
            m.tree.reversed[number - 1], turns,
        )
        for turns, which in found.items()
    ]  # fmt: skip


def _of_joint(m: Mechanism, name: str, said: SpeedsSaid) -> UserSpeeds:
    """Speeds written for one joint bear its name."""
    functions = {f"{name}.{own}": f for own, f in said.functions.items()}
    return _own(m, SpeedsSaid(functions, said.instead_of or (name,)), [])


def _own(m: Mechanism, said: SpeedsSaid, taken: Sequence[int]) -> UserSpeeds:
    """Speeds that are written, in place of those named, or of those they are made of."""
    names, functions = tuple(said.functions), tuple(said.functions.values())
    made_of = _made_of(m, said)
    replaced = _named_places(m, said.instead_of) if said.instead_of else made_of
    if len(replaced) != len(names):
        words = ", ".join(m.speeds[i] for i in replaced)
        how = "replace" if said.instead_of else "are made of"
        raise ModelError(
            f"speeds {_listed(names)} {how} {len(replaced)} speeds ({words}), and there must be as many; "
            "instead_of=[…] says which they replace"
        )
    for at in replaced:
        if at in taken:
            raise ModelError(f'speed "{m.speeds[at]}" is replaced twice; let its joint keep its "child axes"')
    return UserSpeeds(names, tuple(replaced), functions)


def _named_places(m: Mechanism, names: Sequence[str]) -> list[int]:
    found: list[int] = []
    for name in names:
        places = m.places(name)
        if name in m.speeds:
            found.append(m.speeds.index(name))
        elif places is not None:
            found += [at for at in places[1] if at is not None]
        else:
            raise unknown(name, "joint or speed", [*m.joint_number, *m.speeds], "instead_of")
    return found


def _made_of(m: Mechanism, said: SpeedsSaid) -> list[int]:
    with tracing():
        s = m.symbolic_state()
        values = [_value(s, f, f'speed "{name}"') for name, f in said.functions.items()]
        return [i for i, u in enumerate(s.speeds) if depends_on(values, [u])]


# -- checks -----------------------------------------------------------------------------------------------------------------------
def _value(s: State, function: Any, what: str) -> Any:
    """A number from a user's function, on symbols."""
    try:
        value = np.asarray(function(s), dtype=object)
    except TraceError as problem:
        raise ModelError(f"{what} must be written with NumPy's or dalembert's functions ({problem})") from problem
    except DalembertError as problem:
        raise type(problem)(f"{what}: {problem}") from problem
    except Exception as problem:
        raise ModelError(f"{what} cannot be computed: {type(problem).__name__}: {problem}") from problem
    if value.size != 1 or not isinstance(value.item(), (int, float, Expr)):
        raise ModelError(f"{what} must be one number, not {function(s)!r}")
    known = {*s.mechanism.parameters, "t", *(x.name for x in (*s.coordinates, *s.speeds) if type(x) is Expr)}
    for x in free_symbols([value.item()]):
        if x.name not in known:
            raise unknown(x.name, "parameter", s.mechanism.parameters, what)
    state = state_in(s.mechanism, [value.item()])
    if state is not None:
        raise ModelError(
            f'{what} depends on the state "{state}" of an element, which is not possible: its rate would need the rate of that state'
        )
    return value.item()


def _check_new(names: Sequence[str], m: Mechanism, taken: Sequence[str], what: str) -> None:
    for k, name in enumerate(names):
        if name in names[:k]:
            raise ModelError(f'two chosen {what}s are called "{name}"')
        if name in m.joint_number or name in m.number_of or (name in taken and what == "coordinate"):
            raise ModelError(f'{what} "{name}" has the name of a joint, a body or another {what}; call it otherwise')


def _check_regular(m: Mechanism, choices: Sequence[SpeedChoice]) -> None:
    """Chosen speeds determine the motion in some pose at least."""
    from dalembert.kinematics.speed_map import singular_choice

    numeric, rng = m.numeric, np.random.default_rng(0)
    why = None
    for _ in range(POSES):
        s = State(numeric, AT_TIME, numeric.somewhere(rng, REACH), np.zeros(m.n_u))
        why = singular_choice(numeric, s)
        if why is None:
            return
    raise ModelError(f"speeds {_listed([name for c in choices for name in c.names])} {why}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
