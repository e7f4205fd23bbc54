"""The right-hand side f taken apart: velocity terms, gravity, applied forces.

Every formulation's f is linear in what acts on the bodies. So its part due to gravity is the derivative of f in a factor on gravity,
its part due to the forces (with stiffness and damping of elastic bodies) the derivative in a factor on them, and velocity terms are
f without both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.formulations.formulation import Formulation
from dalembert.mechanism import Mechanism
from dalembert.parts.forces.force import BodyLoad, Force, JointLoad, Load
from dalembert.trace import directional, substitute, symbol

FACTOR = symbol("factor.of.loads")
_MEASURES = ("parts", "part_of", "scales")
"""What A weighs rows and conditions by: it must not hang on which forces are left out."""


@dataclass(frozen=True, eq=False)
class ForceParts:
    """f = velocity + gravity + applied."""

    velocity: np.ndarray
    gravity: np.ndarray
    applied: np.ndarray


@dataclass(frozen=True, eq=False)
class _Multiplied(Force):
    """A force times the factor."""

    force: Force

    def loads(self, s: Any) -> Iterable[Load]:
        for load in self.force.loads(s):
            if isinstance(load, JointLoad):
                yield JointLoad(load.joint, FACTOR * np.asarray(load.values))
            else:
                yield BodyLoad(load.body, FACTOR * np.asarray(load.force), FACTOR * np.asarray(load.torque), load.at)

    def potential(self, s: Any) -> Any:
        return FACTOR * self.force.potential(s)

    def beside_potential(self) -> Force | None:
        rest = self.force.beside_potential()
        return None if rest is None else self if rest is self.force else _Multiplied(rest)


def parts(method: Formulation, m: Mechanism, t: Any, q: np.ndarray, w: np.ndarray) -> ForceParts:
    """Traced on the given symbols."""
    still = np.zeros(3)
    known = {**m.parameters, FACTOR.name: 1.0}

    def f(gravity: Any, forces: Any, stiffness_factor: Any = 0.0) -> np.ndarray:
        bodies = tuple(b.slack(stiffness_factor) for b in m.bodies)
        acted = replace(m, bodies=bodies, gravity=gravity, forces=forces, parameters=known)
        for name in _MEASURES:
            acted.__dict__[name] = getattr(m, name)
        return np.asarray(method.equations(method.state(acted, t, q, w)).f)

    velocity = f(still, {})
    gravity = _slope(f(FACTOR * m.gravity, {})) if _any(m.gravity) else np.zeros(len(velocity))
    forces = {name: _Multiplied(force) for name, force in m.forces.items()}
    acted_on = forces or m.elastic
    return ForceParts(velocity, gravity, _slope(f(still, forces, FACTOR)) if acted_on else np.zeros(len(velocity)))


def _slope(f: np.ndarray) -> np.ndarray:
    return np.asarray(substitute(directional(f, {FACTOR: 1.0}), {FACTOR: 0.0}))


def _any(values: np.ndarray) -> bool:
    return any(not isinstance(x, (int, float)) or x != 0.0 for x in values)
