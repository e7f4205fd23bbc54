"""Sums over the whole mechanism: mass centre, momentum, energy."""

from __future__ import annotations

from typing import Any

from dalembert.kinematics.state import State
from dalembert.vectors import ZERO, Vector, cross


def mass(s: State) -> Any:
    return sum(b.mass for b in s.mechanism.bodies)


def mass_centre(s: State) -> Vector:
    """Σ m p / Σ m."""
    weighted = sum((b.mass * _com(s, k) for k, b in enumerate(s.mechanism.bodies)), start=ZERO)
    return weighted / mass(s)


def linear_momentum(s: State) -> Vector:
    """Σ m v."""
    return sum((b.mass * _com_velocity(s, k) for k, b in enumerate(s.mechanism.bodies)), start=ZERO)


def angular_momentum(s: State, about: Any = ZERO) -> Vector:
    """Σ R I Rᵀ ω + (p − about) × m v, about a fixed world point."""
    total: Vector = ZERO
    for k, b in enumerate(s.mechanism.bodies):
        R, w = s.poses[k + 1].R, s.velocities[k + 1].w
        total = total + R @ (b.inertia @ (R.T @ w)) + cross(_com(s, k) - about, b.mass * _com_velocity(s, k))
    return total


def kinetic_energy(s: State) -> Any:
    """½ Σ m v·v + ω·Iω."""
    total: Any = 0.0
    for k, b in enumerate(s.mechanism.bodies):
        v, w = _com_velocity(s, k), s.poses[k + 1].R.T @ s.velocities[k + 1].w
        total = total + 0.5 * b.mass * (v @ v) + 0.5 * (w @ (b.inertia @ w))
    return total


def potential_energy(s: State) -> Any:
    """−Σ m g·p of gravity and the potentials of the forces that have one."""
    m = s.mechanism
    total: Any = 0.0
    for k, b in enumerate(m.bodies):
        total = total - b.mass * (m.gravity @ _com(s, k))
    for force in m.forces.values():
        total = total + s.settled(force.potential(s)).item()
    return total


def _com(s: State, k: int) -> Vector:
    return s.poses[k + 1].p + s.com_arms[k]


def _com_velocity(s: State, k: int) -> Vector:
    return s.velocities[k + 1].v + cross(s.velocities[k + 1].w, s.com_arms[k])
