"""Sums over the whole mechanism: mass centre, momentum, energy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.kinematics.in_variables import in_joint_variables
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import Scalar
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector, cross


def mass(s: State) -> Scalar:
    return sum(b.mass for b in s.mechanism.bodies)


def total_inertia(m: Mechanism, body: int) -> tuple[Any, Any]:
    """Mass of all bodies of a body's part, and their moments of inertia, as if they were a length apart: for scale only. Parameters
    stay symbols."""
    bodies = [m.bodies[k - 1] for k in m.parts[m.part_of[body]].bodies]
    mass = sum(b.mass for b in bodies)
    return mass, sum(np.trace(b.inertia) for b in bodies) + mass * m.scales.lengths[body] ** 2


def mass_centre(s: State) -> Vector:
    """Σ m p / Σ m."""
    return _centre_of(s, range(1, s.mechanism.n_bodies + 1))


def linear_momentum(s: State) -> Vector:
    """Σ m v."""
    return sum((b.momentum(at) for b, at in zip(s.mechanism.bodies, s.instants)), start=ZERO)


def angular_momentum(s: State, about: Any = ZERO) -> Vector:
    """Σ R I Rᵀ ω + (p − about) × m v, about a fixed world point."""
    total: Vector = ZERO
    for k, (b, at) in enumerate(zip(s.mechanism.bodies, s.instants)):
        total = total + b.spin(at) + cross(_com(s, k) - about, b.momentum(at))
    return total


def central_inertia(s: State) -> Matrix:
    """Inertia of all bodies about their common mass centre, world axes."""
    centre, total = mass_centre(s), np.zeros((3, 3))
    for k, (b, at) in enumerate(zip(s.mechanism.bodies, s.instants)):
        d = _com(s, k) - centre
        total = total + at.R @ b.central_inertia(at.q)[:3, :3] @ at.R.T
        total = total + b.mass * ((d @ d) * IDENTITY - np.outer(d, d))
    return total


def moment_with_reference(s: State, members: Sequence[int] | None = None) -> Matrix:
    """∫ρ ρ̄ᵀdm of all bodies, or of those with these numbers: ρ from their mass centre, ρ̄ the same at the mechanism's reference."""
    m = s.mechanism
    numbers = range(1, m.n_bodies + 1) if members is None else members
    before = State(m, 0.0, m.reference, np.zeros(m.n_u))
    here, there = (_centre_of(of, numbers) for of in (s, before))
    total = np.zeros((3, 3))
    for k in (number - 1 for number in numbers):
        b, at, was = m.bodies[k], s.instants[k], before.instants[k]
        total = total + b.mass * np.outer(_com(s, k) - here, _com(before, k) - there)
        total = total + at.R @ b.moment_with_reference(at.q) @ was.R.T
    return total


def _centre_of(s: State, numbers: Sequence[int]) -> Vector:
    bodies = s.mechanism.bodies
    weighted = sum((bodies[k - 1].mass * _com(s, k - 1) for k in numbers), start=ZERO)
    return np.asarray(weighted / sum(bodies[k - 1].mass for k in numbers))


def kinetic_energy(s: State) -> Scalar:
    """½ Σ m v·v + ω·Iω, what elastic bodies add, and joints with armature."""
    total: Any = 0.0
    for b, at in zip(s.mechanism.bodies, s.instants):
        total = total + b.kinetic_energy(at)
    return total + armature_energy(s)


def armature_energy(s: State) -> Scalar:
    """½ Σ J u², of the joints' own speeds, prescribed ones too."""
    joints = in_joint_variables(s)
    total: Any = 0.0
    for j, u in zip(joints.mechanism.joints, joints.joint_u):
        if type(j.armature) is not float or j.armature:
            own = u[: j.joint.inner.n_u]
            total = total + 0.5 * j.armature * (own @ own)
    return total


def potential_energy(s: State) -> Scalar:
    """−Σ m g·p of gravity, strain energy, and the potentials of the forces that have one."""
    m = s.mechanism
    total: Any = 0.0
    for k, b in enumerate(m.bodies):
        total = total - b.mass * (m.gravity @ _com(s, k)) + b.strain_energy(s.modal_q(k + 1))
    for force in m.forces.values():
        total = total + s.settled(force.potential(s)).item()
    return total


def _com(s: State, k: int) -> Vector:
    return s.poses[k + 1].p + s.com_arms[k]
