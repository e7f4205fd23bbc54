"""Armature: inertia of the joints' own speeds, besides that of the bodies [T gains ½ Σ J u²]."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kinematics.in_variables import in_joint_variables, joint_speed_rates, joint_speeds_per_speed
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr


def armatures(m: Mechanism) -> np.ndarray | None:
    """J of every free speed of the joints; None where no joint has any."""
    given = [x for j in m.joints for x in j.armatures]
    if not any(type(x) is Expr or x for x in given):
        return None
    return np.array(given)


def add_armature(s: State, A: np.ndarray, f: np.ndarray, P: np.ndarray | None = None, udot0: Any = None) -> None:
    """A += PᵀJP and f −= PᵀJ u̇₀ where u̇ = P x + u̇₀ of the mechanism's speeds; P = 1 and u̇₀ = 0 where they are not said.

    T has ½ Σ J u² more, whose rate is J u̇ along the joints' own speeds: these are rates, or turn in no direction rather than another.
    """
    J = armatures(in_joint_variables(s).mechanism)
    if J is None:
        return
    if P is None and s.mechanism.variables is None:
        for i, x in enumerate(J):
            A[i, i] = A[i, i] + x
        return
    n = s.mechanism.n_u
    T = s.view(joint_speeds_per_speed) if P is None else s.view(joint_speeds_per_speed) @ P
    rates = joint_speed_rates(s, np.zeros(n) if udot0 is None else udot0)
    add_inertia(A, f, T, J, rates)


def add_inertia(A: np.ndarray, f: np.ndarray, T: np.ndarray, J: np.ndarray, rates: np.ndarray) -> None:
    """A += TᵀJT, symmetric entry by entry, and f −= TᵀJ u̇₀."""
    weighed = J[:, None] * T
    product = T.T @ weighed
    upper = np.triu_indices(len(product), 1)
    product[upper] = product.T[upper]
    A[:] = A + product
    f[:] = f - weighed.T @ rates
