"""Everything the equations of motion say to first order about one state of motion, in the mechanism's speeds, exactly.

    A δu̇ + R_q η + R_u δu + Bᵀδλ = δτ − R_p δp,    B δu̇ + ρ_q η + ρ_u δu = 0,    B δu + φ_q η = 0,    η̇ = δu + W η

with B_h η = 0 for the holonomic rows. R is the tree's inverse dynamics under its forces and, at the multipliers of the state, its
constraints' forces; its part from inertia alone is kept apart. All derivatives come from compiled kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.analysis.linear.can_rest import stands
from dalembert.analysis.linear.displacements import turning_of_displacements
from dalembert.analysis.linear.row_derivatives import RowDerivatives, RowKernel
from dalembert.analysis.linear.with_constraint_forces import multiplier_names, with_constraint_forces
from dalembert.cached import cached_property
from dalembert.constraints.massless import mass_factor
from dalembert.constraints.methods import svd
from dalembert.errors import ForceError, FormulationError, TraceError
from dalembert.formulations.tree import kane
from dalembert.kernels.catalogue import Derivatives
from dalembert.kinematics.loads import effects, generalized, loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.words import listed

BALANCED = 1e-11
"""Part of the forces by which a mechanism at rest may be left over and it still stays there."""


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """At a state: see the module's text. `inertia` holds what R_q and R_u are without applied forces."""

    t: float
    q: np.ndarray
    u: np.ndarray
    udot: np.ndarray
    lam: np.ndarray
    A: np.ndarray
    B: np.ndarray
    holonomic: np.ndarray
    R_q: np.ndarray
    R_u: np.ndarray
    R_p: np.ndarray
    inertia: tuple[np.ndarray, np.ndarray]
    rows: RowDerivatives
    W: np.ndarray
    W_rate: np.ndarray
    W_p: np.ndarray


@dataclass(frozen=True, eq=False)
class _Nominal:
    udot: np.ndarray
    lam: np.ndarray
    from_inertia: np.ndarray
    """The part of λ that would act without applied forces."""
    B: np.ndarray
    holonomic: np.ndarray


class FirstOrderEquations:
    """First-order equations of one mechanism, compiled when first used; parameters are inputs."""

    def __init__(self, m: Mechanism):
        if m.kernels.opaque is not None:
            names = ", ".join(f'"{name}"' for name in m.kernels.opaque.forces)
            raise FormulationError(
                f"force {names} is a Python function that cannot be traced, so it has no derivatives: use dalembert's functions"
            )
        self.m = m
        self.multipliers = multiplier_names(m)

    @cached_property
    def _loaded(self) -> Mechanism:
        return with_constraint_forces(self.m) if self.multipliers else self.m

    @cached_property
    def _unloaded(self) -> Mechanism:
        """Without gravity and applied forces."""
        applied = self.m.forces or np.any(self.m.gravity != 0.0) or self.m.elastic
        return with_constraint_forces(self.m, forces=False) if applied else self._loaded

    @cached_property
    def _rows(self) -> RowKernel:
        return RowKernel(self.m)

    def at(
        self, q: Any, u: Any, t: float = 0.0, tau: Any = None, values: Mapping[str, float] | None = None
    ) -> FirstOrder:
        """About a state, under further constant generalized forces tau, with other values of parameters."""
        m, values = self.m, dict(values or {})
        state = m.state(q, u, t)
        q, u = np.array(state.coordinates), np.array(state.speeds)
        tau = np.zeros(m.n_u) if tau is None else np.asarray(tau, dtype=float)
        now = self._nominal(q, u, t, tau, values)
        d = self._derivatives(self._loaded, q, u, now.udot, t, values, now.lam)
        bare = d if self._unloaded is self._loaded else self._derivatives(
            self._unloaded, q, u, now.udot, t, values, now.from_inertia
        )  # fmt: skip
        n_p = len(m.parameters)
        turning = turning_of_displacements(self._with(values), q, u, now.udot, t)
        return FirstOrder(
            t, q, u, now.udot, now.lam, d.udot, now.B, now.holonomic, d.q, d.u, d.parameters[:, :n_p], (bare.q, bare.u),
            self._row_derivatives(q, u, now.udot, t, values), *turning,
        )  # fmt: skip

    def _with(self, values: dict[str, float]) -> Mechanism:
        return self.m.with_parameters(**values) if values else self.m

    def _derivatives(
        self, tree: Mechanism, q: Any, u: Any, udot: Any, t: float, values: dict[str, float], lam: np.ndarray
    ) -> Derivatives:
        given = values | dict(zip(self.multipliers, lam.tolist()))
        return tree.inverse_dynamics_derivatives(q, u, udot, t, given or None)

    def _row_derivatives(self, q: Any, u: Any, udot: Any, t: float, values: dict[str, float]) -> RowDerivatives:
        if not self.multipliers:
            return RowDerivatives.none(self.m.n_u, len(self.m.parameters))
        if self._stands and not np.any(u) and not np.any(udot):
            return self._rows.at_rest(q, t, values)
        return self._rows(q, u, udot, t, values)

    @cached_property
    def _stands(self) -> bool:
        return stands(self.m)

    def _nominal(self, q: np.ndarray, u: np.ndarray, t: float, tau: np.ndarray, values: dict[str, float]) -> _Nominal:
        """u̇ and λ in the state; where rows depend on each other, λ of least norm."""
        m = self.m
        if not self.multipliers:
            udot = m.forward_dynamics(q, u, tau, t, values or None)
            if not np.isfinite(udot).all():
                raise undefined(self._with(values).state(q, u, t))
            return _Nominal(udot, np.zeros(0), np.zeros(0), np.zeros((0, m.n_u)), np.zeros(0, dtype=bool))
        state = self._with(values).state(q, u, t)
        try:
            e = kane.equations(state)
        except TraceError as problem:  # of a table
            raise undefined(state) from problem
        if not all(np.isfinite(x).all() for x in (e.A, e.f, e.B, e.gamma)):
            raise undefined(state)
        e = replace(e, f=e.f + tau)
        try:
            found = svd.solve(e)
        except np.linalg.LinAlgError:
            mass_factor(e.A, m)  # says which freedom moves no mass
            raise
        if not np.any(u) and np.abs(e.A @ found.udot).max(initial=0.0) <= BALANCED * np.abs(e.f).max(initial=0.0):
            found = replace(found, udot=np.zeros(m.n_u))
        alone = replace(e, f=e.f - tau - generalized(state, loads(state)))
        from_inertia = svd.solve(alone).lam
        return _Nominal(found.udot, found.lam, from_inertia, e.B, m.rows.holonomic)


def undefined(s: State) -> ForceError:
    """Equations that are no numbers in a state, by the forces to blame: a table has ended, a root is that of a negative number."""
    forces = [name for name in s.mechanism.forces if not _is_defined(s, name)]
    what = f"{'force' if len(forces) == 1 else 'forces'} {listed(forces)}" if forces else "the equations"
    return ForceError(
        f'{what} of mechanism "{s.mechanism.name}" cannot be evaluated at t = {float(s.t):.9g} s: a function is outside its domain '
        "there, as a table that has ended or the root of a negative number. Linearise where it is defined, or define it there"
    )


def _is_defined(s: State, name: str) -> bool:
    try:
        found = [x for e in effects(s, name, s.mechanism.forces[name]) for x in (e.force, e.couple, e.joint)]
    except TraceError:  # a table says so itself
        return False
    return all(np.isfinite(np.asarray(x, dtype=float)).all() for x in found if x is not None)
