"""The Hooker–Margulies/Hooker equations [B 52–61; C 307–308]: the barycentric form in joint rates, without constraint torques.

ω_k = ω_root + Σ P_j γ̇_j over the hinges from the group's root to body k, and summing the rotational equations over the
bodies beyond a hinge, along its axes, removes every constraint torque: YᵀKY of (ω_root, γ̇), 3 + Σ n_j equations for a
floating group, Σ n_j on the ground. Its mass centre stands apart, as in the barycentric form. Joints that slide keep their
rows. An elastic body stands on a node of its parent and by a node of its own, whose turns W q̇ come in between; the rates q̇ of its own
coordinates are speeds as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.formulations.absolute.barycentric import augmented, hinged, mass_and_forces
from dalembert.formulations.absolute.connection import JointConnection
from dalembert.formulations.absolute.dead_rows import without_dead
from dalembert.formulations.absolute.definite import row_weights, singular_bodies, strengthened
from dalembert.formulations.absolute.graph_matrices import barycentric_matrices, graph_matrices
from dalembert.formulations.absolute.hinged import Hinged, groups, weightless
from dalembert.formulations.absolute.newton_euler import speeds as speeds_of_bodies
from dalembert.formulations.absolute.newton_euler import state as state_of_bodies
from dalembert.formulations.absolute.newton_euler import udot as udot_of_bodies
from dalembert.formulations.absolute.separate_bodies import mode_names
from dalembert.formulations.equations import Equations
from dalembert.formulations.joint_directions import slides
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.vectors import Vector

title = "Hooker–Margulies: barycentric, in joint rates"
refusal = weightless


def speeds(m: Mechanism) -> tuple[str, ...]:
    """ṙ_c and ω of each floating group's root in world axes, then the rates of the joints that turn about a point, then the modes."""
    roots = [
        f"{m.bodies[r - 1].name}.{part}{axis}" for part in ("c", "root_w") for r in groups(m).floating for axis in "xyz"
    ]
    return (*roots, *(m.speeds[at] for at in _rates(m)), *mode_names(m))


def first_order(m: Mechanism) -> int:
    """Coordinates, accelerations, the forces of joints that slide, and the loops' multipliers."""
    joints = [m.joints[k - 1] for k in m.free_bodies]
    rows = sum(6 - j.n_own for j in joints if slides(j.joint.inner))
    return m.n_q + len(speeds(m)) + rows + len(m.rows)


def formulation_speeds(s: State) -> np.ndarray:
    x = hinged(s)
    w = x.gathered(x.bodies.velocities)
    turns = [s.velocities[r].w for r in x.groups.floating]
    modes = [s.modal_u(k) for k in x.bodies.numbers]
    return np.concatenate([w[: x.n_places], *turns, s.speeds[_rates(s.mechanism)], *modes])


def state(m: Mechanism, t: Any, q: Any, w: Any) -> State:
    at_rest = State(m, t, q, np.zeros(m.n_u))
    x = hinged(at_rest)
    Y = _from_rates(x)
    prescribed = _prescribed(x)
    return state_of_bodies(m, t, q, x.velocities(Y @ np.asarray(w) + prescribed))


def udot(s: State, wdot: Any) -> np.ndarray:
    x, (Y, y0) = hinged(s), s.view(_in_rates)
    barycentric = Y @ np.asarray(wdot) + y0
    return udot_of_bodies(s, x.spread @ barycentric + x.bias)


def equations(s: State) -> Equations:
    a, x = augmented(s), hinged(s)
    K, right = mass_and_forces(a, x)
    Y, y0 = s.view(_in_rates)
    KY = K @ Y
    B, gamma, weights = _sliding_rows(x, Y, y0)
    A, f = Y.T @ KY, Y.T @ (right - K @ y0)
    if singular_bodies(s.mechanism) and len(B):
        A, f = strengthened(A, f, B, gamma, weights)
    if not s.mechanism.constraint_rows:
        return Equations(A, f, B, gamma)
    loops = _reduced(x, Y, y0, *x.bodies.loop_rows)
    return Equations(A, f, np.vstack([B, loops[0]]), np.concatenate([gamma, loops[1]]))


def _rates(m: Mechanism) -> list[int]:
    """The places in u of the speeds of joints that turn about a point."""
    return [at for j in m.joints if not slides(j.joint.inner) for at in j.columns[: j.n_own]]


def _in_rates(s: State) -> tuple[np.ndarray, np.ndarray]:
    """Y and y₀ of (r̈_c, ω̇) = Y ẇ + y₀."""
    x = hinged(s)
    return _from_rates(x), _bias(x)


def _from_rates(x: Hinged) -> np.ndarray:
    """Y: (ṙ_c, ω, q̇) from (ṙ_c, ω_root, γ̇, q̇) [B 60]."""
    b, first = x.bodies, x.n_places
    rates, n_modes = _rates(b.mechanism), b.size - 6 * b.n
    Y = b.zeros(x.size, 2 * first + len(rates) + n_modes)
    Y[:first, :first] = np.eye(first)
    Y[x.size - n_modes :, Y.shape[1] - n_modes :] = np.eye(n_modes)
    for c in b.connections:
        own = x.turn_at(c.child)
        if not c.pointed:
            at = x.centre_at(c.child)
            Y[own, first + at.start : first + at.stop] = np.eye(3)
            continue
        if c.parent:
            Y[own] = Y[x.turn_at(c.parent)]
        for k, turns, sign in ((c.parent, c.on_parent.turns, 1.0), (c.child, c.on_child.turns, -1.0)):
            if turns.shape[1]:
                Y[own] = Y[own] + sign * (turns @ Y[x.modes_at(k)])
        for i, place in zip(c.free, c.columns):
            Y[own, 2 * first + rates.index(place)] = c.R_C @ c.motion[:3, i]
    return Y


def _prescribed(x: Hinged) -> np.ndarray:
    """(0, ω, 0) of the bodies where all the rates are zero: prescribed turns at the hinges, and of external bodies."""
    return _summed(x, lambda c: c.R_C @ (c.motion[:3] @ c.prescribed) + c.given_velocity.w)


def _bias(x: Hinged) -> np.ndarray:
    """(0, ω̇, 0) of the bodies where no rate changes: Ṗγ̇ and prescribed turns."""
    return _summed(x, lambda c: c.turn_drift)


def _summed(x: Hinged, own: Callable[[JointConnection], Vector]) -> np.ndarray:
    """Contributions of the hinges, summed outward."""
    out = x.bodies.zeros(x.size)
    for c in x.bodies.connections:
        if c.pointed:
            before = out[x.turn_at(c.parent)] if c.parent else 0.0
            out[x.turn_at(c.child)] = before + own(c)
    return out


def _sliding_rows(x: Hinged, Y: np.ndarray, y0: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of the joints with translational freedoms, the only ones that are left."""
    b = x.bodies
    B, gamma, weights = [b.zeros(0, Y.shape[1])], [np.zeros(0)], [np.zeros(0)]
    for c in b.connections:
        if not c.pointed:
            X = c.blocked
            rows = _reduced(x, Y, y0, b.row(c, X), c.drift(X))
            B.append(rows[0])
            gamma.append(rows[1])
            weights.append(row_weights(b.mechanism, X, c.child))
    return np.vstack(B), np.concatenate(gamma), np.concatenate(weights)


def _reduced(
    x: Hinged, Y: np.ndarray, y0: np.ndarray, B: np.ndarray, gamma: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    on_barycentric, right = x.reduced(B, gamma)
    terms = np.abs(B) @ np.abs(x.spread) @ np.abs(Y) if len(B) else on_barycentric @ Y
    return without_dead(on_barycentric @ Y, right - on_barycentric @ y0, terms)


def explain(s: State) -> list[Quantity]:
    """C, S and T of the graph, μ, L, B and D, K, and Y, which makes rotations of joint rates."""
    a, x = augmented(s), hinged(s)
    turns = speeds_of_bodies(s.mechanism)[3 * a.bodies.n :]
    return [
        *graph_matrices(s.mechanism),
        *barycentric_matrices(s),
        quantity("K", "system matrix of the rotations [B 35]", a.K, turns, turns),
        quantity("Y", "Y of (ṙ_c, ω) = Y (ṙ_c, ω_root, γ̇) [B 52, 60]", _from_rates(x), columns=speeds(s.mechanism)),
    ]
