"""Sums over the whole mechanism: mass centre, momentum, energy."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.vectors import ZERO, Vector, cross


def mass(s: State) -> Any:
    return sum(b.mass for b in s.mechanism.bodies)


def total_inertia(m: Mechanism, body: int) -> tuple[Any, Any]:
    """Mass of all bodies of a body's part, and their moments of inertia, as if they were a length apart: for scale only. Parameters
    stay symbols."""
    bodies = [m.bodies[k - 1] for k in m.parts[m.part_of[body]].bodies]
    mass = sum(b.mass for b in bodies)
    return mass, sum(np.trace(b.inertia) for b in bodies) + mass * m.scales.lengths[body] ** 2


def mass_centre(s: State) -> Vector:
    """Σ m p / Σ m."""
    weighted = sum((b.mass * _com(s, k) for k, b in enumerate(s.mechanism.bodies)), start=ZERO)
    return weighted / mass(s)


def linear_momentum(s: State) -> Vector:
    """Σ m v."""
    return sum((b.momentum(at) for b, at in zip(s.mechanism.bodies, s.instants)), start=ZERO)


def angular_momentum(s: State, about: Any = ZERO) -> Vector:
    """Σ R I Rᵀ ω + (p − about) × m v, about a fixed world point."""
    total: Vector = ZERO
    for k, (b, at) in enumerate(zip(s.mechanism.bodies, s.instants)):
        total = total + b.spin(at) + cross(_com(s, k) - about, b.momentum(at))
    return total


def kinetic_energy(s: State) -> Any:
    """½ Σ m v·v + ω·Iω, and what elastic bodies add."""
    total: Any = 0.0
    for b, at in zip(s.mechanism.bodies, s.instants):
        total = total + b.kinetic_energy(at)
    return total


def potential_energy(s: State) -> Any:
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
