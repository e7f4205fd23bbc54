"""Random choices of speeds for systems, and how states in them compare with states in the joints' own."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da
from dalembert.kinematics.in_variables import in_joint_variables, speed_rates
from dalembert.kinematics.state import State


def choose_speeds(s: da.System, rng: np.random.Generator) -> None:
    """Some of the free speeds, of any joints, replaced by well-conditioned mixtures with coefficients of q and t and another speed."""
    m = s.build()
    count = min(m.n_u, int(rng.integers(1, 4)))
    if not count:
        return
    at = [int(i) for i in rng.choice(m.n_u, count, replace=False)]
    others = [i for i in range(m.n_u) if i not in at]
    M = np.linalg.qr(rng.normal(size=(count, count)))[0] * rng.uniform(0.5, 2.0)
    plain = [c for c in m.coordinates if not c.rpartition(".")[2].startswith("e")]
    q = plain[rng.integers(len(plain))] if plain else None
    beside = m.speeds[others[rng.integers(len(others))]] if others and rng.random() < 0.7 else None
    timed = rng.random() < 0.5

    def chosen(row: np.ndarray) -> Any:
        def value(state: da.State) -> Any:
            bend = 0.1 * da.sin(state.q[q]) if q is not None else 0.05
            total = sum(c * state.u[m.speeds[i]] for c, i in zip(row, at)) + bend * state.u[m.speeds[at[0]]]
            if beside is not None:
                total = total + (0.3 + bend) * state.u[beside]
            return total + (0.4 * da.cos(state.t) + bend if timed else 0.0)

        return value

    s.choose_speeds({f"w{k}": chosen(row) for k, row in enumerate(M)}, instead_of=[m.speeds[i] for i in at])


def joint_values(m: da.Mechanism, q: Any, u: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds of the joints in a state of the mechanism."""
    joints = in_joint_variables(State(m.numeric, t, q, u))
    return np.asarray(joints.coordinates, dtype=float), np.asarray(joints.speeds, dtype=float)


def own_values(m: da.Mechanism, Q: Any, U: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
    """The other way round."""
    if m.variables is None:
        return np.asarray(Q), np.asarray(U)
    q, v = own_values(m.base, Q, U, t)
    q = m.variables.from_base(q)[0]
    return q, State(m.numeric, t, q, np.zeros(m.n_u)).speed_map.after(v)


def own_rates(m: da.Mechanism, q: Any, u: Any, t: float, rates: Any) -> np.ndarray:
    """u̇ from the rates of the joints' speeds."""
    return np.asarray(speed_rates(State(m.numeric, t, q, u), rates), dtype=float)
