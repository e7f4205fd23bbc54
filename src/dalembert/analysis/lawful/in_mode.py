"""A mechanism with laws in one mode, as a smooth mechanism: rows that hold are constraints, friction of what slides is a force.

Small motions, equilibria and the like are those of this mechanism, as long as the mode lasts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.kinematics.law_rows import LawRows
from dalembert.laws.freedoms import joint_of
from dalembert.laws.law import Law
from dalembert.mechanism import Mechanism
from dalembert.parts.constraints import Constraint
from dalembert.parts.forces.force import Force, JointLoad, Load
from dalembert.parts.forces.freedom import chosen

if TYPE_CHECKING:
    from dalembert.kernels.law_state import LawState
    from dalembert.kinematics.state import State

Mode = Mapping[str, Sequence[str]]
"""State of each element of every law, in a word."""
STATES = ("off", "open", "closed", "slip", "stick", "engaged")


@dataclass(frozen=True, eq=False)
class EnforcedRows(Constraint):
    """Rows of a law as equations: coordinates stay at their places, speeds at zero."""

    law: Law
    places: tuple[tuple[int, float], ...]
    zero_speeds: tuple[int, ...]

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.law.bodies

    @property
    def joints(self) -> tuple[str, ...]:
        return self.law.joints

    def residual(self, s: State) -> np.ndarray:
        every = LawRows(self.law).residual(s)
        return np.array([every[k] - at for k, at in self.places], dtype=object)

    def velocity(self, s: State) -> np.ndarray:
        every = LawRows(self.law).velocity(s)
        return np.array([every[k] for k in self.zero_speeds], dtype=object)


@dataclass(frozen=True, eq=False)
class SlidingFriction(Force):
    """Friction of a joint that slides one way, with a force of its own."""

    law: Law
    coordinate: str
    way: float

    @property
    def joints(self) -> tuple[str, ...]:
        return (joint_of(self.coordinate),)

    def loads(self, s: State) -> Iterable[Load]:
        name, _, freedom = self.coordinate.partition(".")
        joint, _, u = s.joint(name)
        k = chosen(joint, name, freedom or None, "law")
        values = np.zeros(joint.n_u, dtype=object)
        resisted = self.law.friction(s, self.way * u[k]).force
        values[k] = -self.way * resisted - self.law.viscous * u[k]
        yield JointLoad(name, values)


def mode_of(m: Mechanism, said: Mapping[str, Any] | None, found: LawState | None) -> dict[str, tuple[str, ...]]:
    """The mode that is said, completed by the one found in the state."""
    mode = {name: x.state for name, x in found.laws.items()} if found is not None else {}
    for name, states in (said or {}).items():
        if name not in m.laws:
            raise ModelError(f'mode: there is no law "{name}"; there are: {", ".join(m.laws)}')
        count = len(m.law_table.of_law(name))
        every = (states,) * count if isinstance(states, str) else tuple(states)
        wrong = [x for x in every if x not in STATES]
        if wrong or len(every) != count:
            what = f"{wrong[0]!r}" if wrong else f"{len(every)} states for {count} elements"
            raise ModelError(
                f'mode: law "{name}" cannot be in {what}; give one of {", ".join(STATES)} for each of its elements'
            )
        mode[name] = every
    return mode


def in_mode(m: Mechanism, q: np.ndarray, u: np.ndarray, t: float, mode: Mode, asked: str) -> Mechanism:
    """The smooth mechanism that m is in this mode; what sticks or is engaged stays where it is in the state."""
    table, s = m.law_table, m.numeric.state(q, u, t)
    constraints, forces = dict(m.constraints), dict(m.forces)
    for name in mode:
        law, d = m.laws[name], m.law_rows[name]
        start = table.rows.of_owner(name).start if len(d.kinds) else 0
        gaps = np.asarray(LawRows(m.numeric.laws[name]).residual(s), dtype=float)
        places: dict[int, float] = {}
        speeds: list[int] = []
        for i, state in zip(table.of_law(name), mode[name]):
            e = table.elements[i]
            closed = [] if e.normal is None or state not in ("closed", "slip", "stick") else [e.normal]
            rows = [*closed, *(e.tangents if state == "stick" else ()), *(e.holds if state == "engaged" else ())]
            for own in (r - start for r in rows):
                if own < d.n_residual:
                    at_gap = bool(closed) and own == closed[0] - start
                    places[own] = 0.0 if at_gap else float(gaps[own])
                else:
                    speeds.append(own - d.n_residual)
            if state == "slip" and e.tangents:
                forces[f"{name} slides"] = _sliding(m, s, name, law, e.normal, asked)
        if places or speeds:
            constraints[f"{name} holds"] = EnforcedRows(law, tuple(places.items()), tuple(speeds))
    return replace(m.without_laws(), constraints=constraints, forces=forces)


def _sliding(m: Mechanism, s: State, name: str, law: Law, normal: int | None, asked: str) -> SlidingFriction:
    """Friction of what slides, as a force; refused where it hangs on what presses."""
    i = m.law_table.of_law(name)[0]
    coordinate = getattr(law, "coordinate", None)
    if normal is not None or i in m.law_table.loads or coordinate is None or len(m.law_table.elements[i].tangents) != 1:
        raise ModelError(
            f'{asked}: law "{name}" slides in this state under a load that depends on the accelerations, which are not known. '
            "Choose a state or a mode in which it sticks, or use m.forward_dynamics"
        )
    if joint_of(coordinate) not in m.joint_number:
        raise ModelError(
            f'{asked}: law "{name}" slides in a joint that closes a loop; close the loop at another (s.build(cut=[…]))'
        )
    joint, _, u = s.joint(joint_of(coordinate))
    v = float(u[chosen(joint, joint_of(coordinate), coordinate.partition(".")[2] or None, "law")])
    if v == 0.0:
        raise ModelError(
            f'{asked}: law "{name}" is about to slide in this state, and a linearisation cannot tell which way. Give it a speed'
        )
    return SlidingFriction(law, coordinate, float(np.sign(v)))


def in_words(mode: Mode) -> str:
    """A mode in a line."""
    return "; ".join(f"{name} {', '.join(states)}" for name, states in mode.items())
