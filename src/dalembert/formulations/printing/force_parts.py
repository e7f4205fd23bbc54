"""The right-hand side f taken apart: velocity terms, gravity, applied forces.

Every formulation's f is linear in what acts on the bodies. So its part due to gravity is the derivative of f in a factor on gravity,
its part due to the forces (with stiffness and damping of elastic bodies) the derivative in a factor on them, and velocity terms are
f where both are 0. All three come from one trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.formulations.formulation import Formulation
from dalembert.mechanism import Mechanism
from dalembert.parts.forces.force import BodyLoad, Force, JointLoad, Load
from dalembert.trace import Expr, directional, substitute, symbol

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


FACTOR, GRAVITY = symbol("factor.of.loads"), symbol("factor.of.gravity")
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

    def loads(self, s: State) -> Iterable[Load]:
        for load in self.force.loads(s):
            if isinstance(load, JointLoad):
                yield JointLoad(load.joint, FACTOR * np.asarray(load.values))
            else:
                yield BodyLoad(load.body, FACTOR * np.asarray(load.force), FACTOR * np.asarray(load.torque), load.at)

    def potential(self, s: State) -> Any:
        return FACTOR * self.force.potential(s)

    def beside_potential(self) -> Force | None:
        rest = self.force.beside_potential()
        return None if rest is None else self if rest is self.force else _Multiplied(rest)


def parts(method: Formulation, m: Mechanism, t: Any, q: np.ndarray, w: np.ndarray) -> ForceParts:
    """Traced on the given symbols."""
    forces = {name: _Multiplied(force) for name, force in m.forces.items()}
    acted = replace(
        m,
        bodies=tuple(b.slack(FACTOR) for b in m.bodies),
        gravity=GRAVITY * m.gravity if _any(m.gravity) else m.gravity,
        forces=forces,
        parameters={**m.parameters, FACTOR.name: 1.0, GRAVITY.name: 1.0},
    )
    for name in _MEASURES:
        acted.__dict__[name] = getattr(m, name)
    f = np.asarray(method.equations(method.state(acted, t, q, w)).f)
    return ForceParts(substitute(f, _NOTHING), _slope(f, GRAVITY), _slope(f, FACTOR))


_NOTHING = {FACTOR: 0.0, GRAVITY: 0.0}


def _slope(f: np.ndarray, factor: Expr) -> np.ndarray:
    return np.asarray(substitute(directional(f, {factor: 1.0}), _NOTHING))


def _any(values: np.ndarray) -> bool:
    return any(not isinstance(x, (int, float)) or x != 0.0 for x in values)
