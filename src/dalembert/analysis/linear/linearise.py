"""`linearise`: small motions about a state or along a motion [C 111–118], in independent displacements and speeds.

From the first-order equations (`first_order`) the dependent displacements and speeds are eliminated (`independent`); what is left is
ξ̇ = A₁₁ ξ + A₁₂ v, v̇ = A₂₁ ξ + A₂₂ v + …, and, in the rates of the displacements instead of the speeds, M⁰ξ̈ + (G⁰ + D)ξ̇ + Kξ = 0 [117].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dalembert.analysis.linear.can_rest import check_continuous
from dalembert.analysis.linear.first_order import FirstOrder, FirstOrderEquations
from dalembert.analysis.linear.independent_motions import Independent, independent
from dalembert.analysis.linear.linearisation import Linearisation
from dalembert.analysis.linear.observed import observed, rates_of_states
from dalembert.arguments import refused
from dalembert.errors import ModelError, StateError
from dalembert.kernels.assembled import check_assembled
from dalembert.kinematics.bending import check_positive
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion


def linearise(
    m: Mechanism, q: Any, u: Any, t: float, inputs: Sequence[str] | None, outputs: Mapping[str, Any] | None,
    keep: Sequence[str] = (), tau: Any = None,
) -> Linearisation:  # fmt: skip
    """See `Mechanism.linearise`."""
    if m.constraint_rows:
        s = m.state(q, u, t)
        check_assembled(m.kernels, m, np.array(s.coordinates), np.array(s.speeds), t, None)
    return Linearised(m, inputs, outputs, keep).at(q, u, t, tau)


def linearise_along(
    m: Mechanism, motion: Motion, times: Sequence[float] | None, inputs: Sequence[str] | None,
    outputs: Mapping[str, Any] | None, keep: Sequence[str] = (),
) -> list[Linearisation]:  # fmt: skip
    """See `Mechanism.linearise_along`."""
    if not isinstance(motion, Motion):
        raise refused("linearise_along: motion", "a motion of this mechanism", motion)
    if times is not None and len(motion) and not all(motion.t[0] <= t <= motion.t[-1] for t in times):
        raise StateError(
            f"linearise_along: times must lie between {motion.t[0]:g} and {motion.t[-1]:g} s, where the motion is known"
        )
    what = Linearised(m, inputs, outputs, keep)
    samples = range(len(motion)) if times is None else [int(np.argmin(np.abs(motion.t - t))) for t in times]
    every = {name: np.broadcast_to(x, len(motion)) for name, x in motion.parameters.items()}
    values = [{name: float(x[k]) for name, x in every.items()} for k in samples]
    return [what.at(motion.q[k], motion.u[k], float(motion.t[k]), motion.forces[k], v) for k, v in zip(samples, values)]


class About(NamedTuple):
    """First-order equations, independent displacements and speeds, and δu̇ for a unit of each of these, each state and each input."""

    equations: FirstOrder
    motions: Independent
    accelerations: np.ndarray


class Linearised:
    """What is asked for of one mechanism, at as many states and parameter values as wanted."""

    def __init__(
        self, m: Mechanism, inputs: Sequence[str] | None = None, outputs: Mapping[str, Any] | None = None,
        keep: Sequence[str] = (), displacements: Sequence[str] = (), between_samples: bool = False,
    ):  # fmt: skip
        self.m, self.keep, self.outputs, self.displacements = m, keep, outputs, displacements
        self.inputs = list(m.speeds if inputs is None else inputs)
        if not between_samples:
            check_continuous(m)
        for name in self.inputs:
            if name in m.states:
                raise ModelError(
                    f'linearise: "{name}" is a state of an element, and no input; name a parameter, or a speed'
                )
            if name not in m.speeds and name not in m.parameters:
                raise ModelError(
                    f'linearise: input "{name}" is neither a speed, on which a force acts ({", ".join(m.speeds[:12])}'
                    f"{', …' if m.n_u > 12 else ''}), nor a parameter ({', '.join(m.parameters) or 'there are none'})"
                )
        self.equations = FirstOrderEquations(m)

    def at(
        self, q: Any, u: Any, t: float = 0.0, tau: Any = None, values: Mapping[str, float] | None = None
    ) -> Linearisation:
        return self.of(self.about(q, u, t, tau, values), tau, values)

    def about(
        self, q: Any, u: Any, t: float = 0.0, tau: Any = None, values: Mapping[str, float] | None = None
    ) -> About:
        """First-order equations about a state, and their independent motions."""
        if q is not None:
            check_positive(self.m, q, t, values, "linearise")
        e = self.equations.at(q, u, t, tau, values)
        i = independent(self.m, e, self.keep, self.displacements)
        return About(e, i, _accelerations(e, i, *self.input_columns()))

    def of(self, about: About, tau: Any = None, values: Mapping[str, float] | None = None) -> Linearisation:
        """The linearisation that these equations make."""
        m, (e, i, F), (_, parameters) = self.m, about, self.input_columns()
        n, k = len(i.displacements), len(i.speeds)
        A, inflow = np.zeros((n + k, n + k)), np.zeros((n + k, parameters.shape[1]))
        moved, driven = i.Y + e.W @ i.X, (i.Y_p + e.W @ i.X_p + e.W_p) @ parameters
        A[:n, :n], A[:n, n:], inflow[:n] = moved[i.displacements], i.Z[i.displacements], driven[i.displacements]
        A[n:, :n], A[n:, n:], inflow[n:] = F[i.speeds, :n], F[i.speeds, n : n + k], F[i.speeds, n + k :]
        M, C, K, structural = _second_order(e, i, A)
        names = [m.speeds[p] for p in i.displacements], [m.speeds[p] for p in i.speeds]
        here = m.with_parameters(**values) if values else m
        seen, own = observed(here, e, i, self.outputs, names), rates_of_states(here, e, i)
        of_states, of_inputs = parameters[:, : m.n_z], parameters[:, m.n_z :]
        A = np.block([[A, inflow[:, : m.n_z]], [own.C, own.D @ of_states]])
        return Linearisation(
            here, e.t, e.q, e.u, e.udot, tuple(names[0]), tuple(names[1]), M, C, K,
            structural, A, np.vstack([inflow[:, m.n_z :], own.D @ of_inputs]), np.hstack([seen.C, seen.D @ of_states]),
            seen.D @ of_inputs, tuple(self.inputs), seen.names, i.X, np.hstack([i.Y, i.Z, np.zeros((m.n_u, m.n_z))]),
            None if tau is None else np.asarray(tau, dtype=float), element_states=m.states,
        )  # fmt: skip

    def input_columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Forces on the speeds and changes of the parameters for a unit of each state of an element, then of each input."""
        m, names = self.m, [*self.m.states, *self.inputs]
        forces, parameters = np.zeros((m.n_u, len(names))), np.zeros((len(m.parameters), len(names)))
        for j, name in enumerate(names):
            if name in m.speeds:
                forces[m.speeds.index(name), j] = 1.0
            else:
                parameters[list(m.parameters).index(name), j] = 1.0
        return forces, parameters


def _accelerations(e: FirstOrder, i: Independent, forces: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """δu̇ for a unit of each ξ, v and input: [A Bᵀ; B 0] (δu̇, δλ) = −∂(R, ρ) + inputs."""
    eta = np.hstack([i.X, np.zeros_like(i.Z), i.X_p @ parameters])
    du = np.hstack([i.Y, i.Z, i.Y_p @ parameters])
    at_inputs = slice(i.X.shape[1] + i.Z.shape[1], None)
    force, rate = -e.R_q @ eta - e.R_u @ du, -e.rows.rho_q @ eta - e.rows.rho_u @ du
    force[:, at_inputs] += forces - e.R_p @ parameters
    rate[:, at_inputs] -= e.rows.rho_p @ parameters
    B, n = e.B[i.rows], len(e.A)
    kkt = np.block([[e.A, B.T], [B, np.zeros((len(B), len(B)))]]) if len(B) else e.A
    found: np.ndarray = np.linalg.solve(kkt, np.vstack([force, rate[i.rows]]))[:n]
    return found


def _second_order(
    e: FirstOrder, i: Independent, A: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, C, K and the part of K that applied forces make, with v = ξ̇_J − a ξ for the displacements J of the independent speeds."""
    n = len(i.displacements)
    J = [i.displacements.index(p) for p in i.speeds]
    A11, A12, A21, A22 = A[:n, :n], A[:n, n:], A[n:, :n], A[n:, n:]
    a, a_rate = A11[J], (e.W_rate @ i.X + e.W @ i.X_rate)[i.speeds]
    M = i.Z.T @ e.A @ i.Z
    on_rates = A22 + a @ A12
    applied_q, applied_u = e.R_q - e.inertia[0], e.R_u - e.inertia[1]
    structural = i.Z.T @ (applied_q @ i.X + applied_u @ (i.Y - i.Z @ a))
    return M, -M @ on_rates, -M @ (A21 + a_rate + a @ A11 - on_rates @ a), structural
