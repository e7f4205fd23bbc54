"""What is left over of a mechanism's forces where speeds are constant, and how it changes: the equations of an equilibrium.

r = R(q, u, u̇ = 0) + Bᵀλ on every speed, g(q) on every closed loop; all from compiled kernels of the tree with
constraint forces, at any size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dalembert.analysis.linear.row_derivatives import RowKernel
from dalembert.analysis.linear.with_constraint_forces import multiplier_names, with_constraint_forces
from dalembert.cached import cached_property
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.recursion import Pose
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism


class NotFinite(Exception):
    """At a pose the forces on some speeds, or how they change, are no finite numbers."""

    def __init__(self, speeds: np.ndarray):
        super().__init__(speeds)
        self.speeds = speeds
        """Which ones."""


@dataclass(frozen=True, eq=False)
class StaticResidual:
    """At a state and multipliers: the forces r left over, the loops' gaps g, A, B, and ∂r along displacements and in the speeds
    (which is not asked for at rest, and zero then)."""

    r: np.ndarray
    g: np.ndarray
    A: np.ndarray
    B: np.ndarray
    R_q: np.ndarray
    R_u: np.ndarray

    def checked(self) -> StaticResidual:
        """Itself, where all its numbers are finite."""
        forces = np.column_stack([self.r, self.A, self.B.T, self.R_q, self.R_u])
        if not (np.isfinite(forces).all() and np.isfinite(self.g).all()):
            raise NotFinite(~np.isfinite(forces).all(axis=1))
        return self


class StaticEquations:
    """Static equations of one mechanism at a time t, with other values of parameters where given; what is compiled is shared.
    `at_rest` if no speed will ever be given."""

    def __init__(
        self, m: Mechanism, t: float, at_rest: bool, values: Mapping[str, float] | None = None, shared: StaticEquations | None = None
    ):  # fmt: skip
        self.t, self.at_rest, self.values = t, at_rest, dict(values or {})
        self.m = m.with_parameters(**self.values) if values else m
        self.multipliers = multiplier_names(m)
        self.tree: Mechanism = shared.tree if shared else with_constraint_forces(m) if self.multipliers else m
        self._rows: RowKernel | None = shared._rows if shared else RowKernel(m) if self.multipliers else None

    def with_values(self, values: Mapping[str, float]) -> StaticEquations:
        return StaticEquations(self.m, self.t, self.at_rest, values, self)

    def at_time(self, t: float) -> StaticEquations:
        return StaticEquations(self.m, t, self.at_rest, self.values, self)

    @cached_property
    def holonomic(self) -> np.ndarray:
        """Which rows have a gap."""
        return self.m.rows.holonomic

    def at(self, q: np.ndarray, u: np.ndarray, lam: np.ndarray) -> StaticResidual:
        """All of it; raises `NotFinite`."""
        n, n_p, still = self.m.n_u, len(self.m.parameters), np.zeros(self.m.n_u)
        values = self.values | dict(zip(self.multipliers, lam.tolist())) or None
        r = self.tree.inverse_dynamics(q, u, still, self.t, values)
        if self.at_rest:
            K, B = np.split(self.tree.kernels.stiffness(q, None, None, self.t, values), [n], axis=1)
            A = self.tree.kernels.mass_matrix(
                q, None, None, self.t, values
            )  # positive or not: a search may come past such poses
            return StaticResidual(r, self.gaps(q), A, B[:, n_p:].T, K, np.zeros((n, n))).checked()
        d = self.tree.inverse_dynamics_derivatives(q, u, still, self.t, values)
        return StaticResidual(r, self.gaps(q), d.udot, d.parameters[:, n_p:].T, d.q, d.u).checked()

    def forces(self, q: np.ndarray) -> np.ndarray:
        """r at rest at many poses (K, n_q), the constraints' forces left out."""
        values = self.values | dict.fromkeys(self.multipliers, 0.0) or None
        still = np.zeros(self.m.n_u)
        return self.tree.inverse_dynamics(q, still, still, self.t, values)

    def gaps(self, q: np.ndarray) -> np.ndarray:
        """g of every row, zero where it has none."""
        if not self.multipliers:
            return np.zeros(0)
        if self.m.elastic:  # rows reference node frames
            return np.concatenate([d.gap(self.m.state(q, None, self.t)) for d in self.m.constraint_rows.values()])
        at = self.tree.body_motion(q, None, self.t, self.values or None)
        world = [Pose(np.eye(3), np.zeros(3))]
        s = _Placed(self.m, self.t, q, world + [Pose(R, p) for R, p in zip(at.rotation, at.position)])
        return np.concatenate([d.gap(s) for d in self.m.constraint_rows.values()])

    # -- settling -------------------------------------------------------------------------------------------------------
    def axes(self, q: np.ndarray) -> np.ndarray:
        """3 × n_u: the angular velocity, in world axes, that each speed gives its joint; zero for those that slide or deform, and where
        speeds are not the joints'."""
        if self.m.variables is not None:
            return np.zeros((3, self.m.n_u))
        joint, way, alone = self._alone
        w = self.tree.body_motion(q, alone, self.t, self.values or None).angular_velocity
        own = w - np.concatenate([np.zeros((len(w), 1, 3)), w], axis=1)[:, list(self.m.parent)]
        return np.asarray((own[way, joint] - own[0, joint]).T)

    @cached_property
    def _alone(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For every speed its joint and which one it is there; and speeds at rest, then the first of all joints, the second, …"""
        joint = np.array([k for k, j in enumerate(self.m.joints) for _ in j.columns], dtype=int)
        way = np.array([1 + i for j in self.m.joints for i in range(len(j.columns))], dtype=int)
        alone = np.zeros((way.max(initial=0) + 1, self.m.n_u))
        alone[way, np.arange(self.m.n_u)] = 1.0
        return joint, way, alone

    # -- steady motion ----------------------------------------------------------------------------------------------------
    def slip(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """φ = B u − b of every row."""
        rows = constraint_rows(self.m.state(q, u, self.t))
        found: np.ndarray = rows.B @ u - rows.b
        return found

    def slip_along(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """∂φ/∂η."""
        assert self._rows is not None
        return self._rows(q, u, np.zeros(self.m.n_u), self.t, self.values).phi_q


class _Placed(State):
    """A numeric state whose poses are known."""

    def __init__(self, m: Mechanism, t: float, q: np.ndarray, poses: list[Pose]):
        super().__init__(m, t, q, np.zeros(m.n_u))
        self._known = poses

    @property
    def poses(self) -> list[Pose]:
        return self._known
