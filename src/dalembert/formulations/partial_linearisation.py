"""Partial linearisation: small deformations, arbitrary rotation [C III.A.3].

Coordinates that are said to be small are kept to first degree together with their speeds and accelerations; all others are exact. The
exact equations are written first and truncated last: A u̇ = f becomes (A₀ + A₁) u̇_b + A₀ u̇_s = f₀ + f₁, where A₁ and f₁ are of first
degree and u̇_s are the small accelerations. A is then not symmetric in general. Truncating earlier, in the velocities or in T, would
lose terms of first degree: those that differentiating makes of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import FormulationError
from dalembert.formulations.formulation import Formulation
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.variable_changes import GeneralizedSpeeds
from dalembert.parts.names import unknown
from dalembert.trace import Expr, directional, substitute, symbol, symbols, tracing

_DEGREE = symbol("degree.of.smallness")


@dataclass(frozen=True)
class SmallCoordinates:
    """Coordinates that stay near their nominal values: the names they were given by, places in q with those values, places in u."""

    names: tuple[str, ...]
    nominal: tuple[tuple[int, float], ...]
    speeds: tuple[int, ...]

    @staticmethod
    def named(m: Mechanism, said: Iterable[str] | Mapping[str, Any]) -> SmallCoordinates:
        """Coordinates by names of joints, elastic bodies or themselves; about their reference, or about the values of a mapping."""
        if isinstance(m.variables, GeneralizedSpeeds):
            return _in_chosen_speeds(m, SmallCoordinates.named(m.base, said))
        names = tuple(said)
        values: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
        nominal: dict[int, float] = {}
        speeds: list[int] = []
        for name in names:
            q, u = _places(m, name)
            about = np.atleast_1d(np.asarray(values.get(name, m.reference[q]), dtype=float))
            if about.shape != (len(q),) or not np.isfinite(about).all():
                raise FormulationError(
                    f'small: "{name}" has {len(q)} coordinates, so that {values[name]!r} is no nominal value'
                )
            nominal |= dict(zip(q, about.tolist()))
            speeds += [at for at in u if at not in speeds]
        return SmallCoordinates(names, tuple(nominal.items()), tuple(speeds))


def _in_chosen_speeds(m: Mechanism, before: SmallCoordinates) -> SmallCoordinates:
    """The same coordinates, and the chosen speeds that are made of small ones alone."""
    with tracing():
        here = m.symbolic_state().speed_map
        mixed = [i for i in range(m.n_u) if i not in before.speeds]
        own = [k for k in range(m.n_u) if here.w[k] == 0.0 and not np.any(here.W[k, mixed] != 0.0)]
    if len(own) != len(before.speeds):
        raise FormulationError(
            f"small: the speeds that were chosen mix rates of {', '.join(before.names)} with what is not small; choose speeds that are "
            "made of small ones alone, as many as there are of these"
        )
    return SmallCoordinates(before.names, before.nominal, tuple(own))


def _places(m: Mechanism, name: Any) -> tuple[list[int], list[int]]:
    """Places in q and u of what a name means."""
    for found in (m.places(name), m.modal_places_of(name)) if isinstance(name, str) else ():
        if found is not None and len(found[0]):
            q, u = ([at for at in part if at is not None] for part in found)
            if len(q) < len(found[0]):
                raise FormulationError(f'small: "{name}" moves as prescribed, and what is prescribed is exact')
            return q, u
    if name in m.coordinates and name in m.speeds:
        return [m.coordinates.index(name)], [m.speeds.index(name)]
    known = [*m.joint_number, *(b.name for b in m.bodies if b.modes), *m.coordinates]
    raise unknown(str(name), "joint, elastic body or coordinate with a speed of its own", known, "small")


class Truncation:
    """Expressions up to a degree in what is small."""

    def __init__(self, nominal: Mapping[Expr, float]):
        self._moved = {x: value + _DEGREE * (x - value) for x, value in nominal.items()}

    def up_to(self, values: Any, degree: int) -> Any:
        """Zeroth degree, or with the first, or with the second."""
        moved = substitute(values, self._moved)
        total, factor = substitute(moved, {_DEGREE: 0.0}), 1.0
        for k in range(1, degree + 1):
            moved, factor = directional(moved, {_DEGREE: 1.0}), factor / k
            total = _plus(total, substitute(moved, {_DEGREE: 0.0}), factor)
        return total


def _plus(a: Any, b: Any, factor: float) -> Any:
    return np.asarray(a) + factor * np.asarray(b) if isinstance(a, np.ndarray) else a + factor * b


def small_speeds(method: Formulation, m: Mechanism, small: SmallCoordinates) -> list[int]:
    """Which of a formulation's speeds are small: those that vanish with the small ones of the mechanism."""
    q, u = symbols("q_", m.coordinates), symbols("u_", m.speeds)
    for at, value in small.nominal:
        q[at] = value
    u[list(small.speeds)] = 0.0
    own = method.formulation_speeds(State(m, symbol("t"), q, u))
    found = [i for i, x in enumerate(own) if type(x) is not Expr and x == 0.0]
    if len(found) < len(small.speeds):
        raise FormulationError(
            f"the speeds of {method.title} are not small where {', '.join(small.names)} are: choose a formulation that has their rates "
            'among its speeds, such as "kane", "system_root", "boltzmann_hamel" or "hooker"'
        )
    return found
