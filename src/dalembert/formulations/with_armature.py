"""A formulation that knows nothing of armature, for a mechanism whose joints have some.

Its equations A ẇ + Bᵀλ = f say that forces do no work along w. Armature adds −Σ J u̇ δu to that work, and u̇ = U ẇ + u̇₀:
A gains UᵀJU, and f loses UᵀJ u̇₀.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import Formulation
from dalembert.kinematics.armature import add_inertia, armatures
from dalembert.kinematics.in_variables import in_joint_variables, joint_speed_rates
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr


class WithArmature:
    """The formulation that `found()` gives, with armature."""

    def __init__(self, found: Callable[[], Formulation]):
        self._found = found

    @cached_property
    def form(self) -> Formulation:
        """As it is, without armature."""
        return self._found()

    def __reduce__(self) -> tuple[Any, ...]:
        return WithArmature, (self._found,)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "form":
            raise AttributeError(name)
        return getattr(self.form, name)

    def equations(self, s: State) -> Equations:
        e: Equations = self.form.equations(s)
        J = armatures(in_joint_variables(s).mechanism)
        if J is None:
            return e
        n, dtype = len(e.f), object if s.traced else float
        rest = joint_speed_rates(s, self.form.udot(s, np.zeros(n, dtype=dtype)))
        columns = [joint_speed_rates(s, self.form.udot(s, unit)) - rest for unit in np.eye(n).astype(dtype)]
        U = np.array(columns, dtype=dtype).T.reshape(len(rest), n)
        A, f = np.array(e.A, dtype=dtype), np.array(e.f, dtype=dtype)
        add_inertia(A, f, U, J, rest)
        return Equations(A, f, e.B, e.gamma)


def has_armature(m: Mechanism) -> bool:
    """Whether any joint has some."""
    return any(type(j.armature) is Expr or j.armature for j in m.joints)
