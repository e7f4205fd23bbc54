"""Quantities of a motion: each is a formula on one state, compiled over all samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import numbers, refused
from dalembert.errors import SimulationError
from dalembert.kinematics import totals
from dalembert.kinematics.in_variables import joint_speed_rates
from dalembert.motion.law_history import LawHistory
from dalembert.motion.samples import Samples, evaluate
from dalembert.parts.forces.points import point
from dalembert.parts.names import unknown

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class Poses:
    rotation: np.ndarray
    position: np.ndarray


@dataclass(frozen=True, eq=False)
class Accelerations:
    angular: np.ndarray
    linear: np.ndarray


@dataclass(frozen=True, eq=False)
class Energies:
    kinetic: np.ndarray
    potential: np.ndarray
    lost: np.ndarray
    """Energy lost to friction and impacts of laws since the start."""
    supplied: np.ndarray
    """Energy supplied by laws whose surfaces move since the start."""
    stored: np.ndarray
    """Energy stored in elements."""

    @property
    def total(self) -> np.ndarray:
        return self.kinetic + self.potential + self.stored

    @property
    def balance(self) -> np.ndarray:
        """total + lost − supplied."""
        return self.total + self.lost - self.supplied


@dataclass(frozen=True, eq=False)
class Momenta:
    linear: np.ndarray
    angular: np.ndarray


def pose(x: Samples, body: str) -> Poses:
    names = [b.name for b in x.mechanism.bodies]
    if body not in names:
        raise unknown(body, "body", names, "pose")
    every = x.body_motion
    k = names.index(body)
    return Poses(every.rotation[:, k], every.position[:, k])


def udot(x: Samples) -> np.ndarray:
    if x.mechanism.cuts or x.mechanism.constraints:
        return x.solved.udot
    return x.mechanism.smooth_dynamics(x.q, x.u, x.forces, x.t, x.parameters)


def deformation(x: Samples, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, q̇ and q̈ of the modes of body k, each (K, modes)."""
    m = x.mechanism
    places = m.in_joint_variables.modal_places_of(m.bodies[k - 1].name)
    assert places is not None
    q_at, u_at = ([at for at in p if at is not None] for p in places)
    if m.variables is None:
        return x.q[:, q_at], x.u[:, u_at], udot(x)[:, u_at]
    both = evaluate(x, lambda s, change: [*s.modal_u(k), *joint_speed_rates(s, change)[u_at]], udot(x))
    return m.joint_coordinates(x.q)[:, q_at], both[:, : len(u_at)], both[:, len(u_at) :]


def energy(x: Samples, laws: LawHistory | None = None) -> Energies:
    rows = x.mechanism.energies(x.q, x.u, x.t, x.parameters)
    stored = np.zeros(len(rows))
    if x.mechanism.elements:
        stored = evaluate(x, lambda s, _: sum(s.signal(f"{name}.stored") for name in s.mechanism.elements))
    if laws is None:
        return Energies(rows[:, 0], rows[:, 1], np.zeros(len(rows)), np.zeros(len(rows)), stored)
    lost = laws.loss.sum(axis=1)
    return Energies(rows[:, 0], rows[:, 1], lost, laws.work.sum(axis=1) + lost, stored)


MASS_CENTRE = "mass centre"


def momentum(x: Samples, about: Any) -> Momenta:
    if isinstance(about, str):
        return _about_mass_centre(x, about)
    about = numbers(about, "momentum: about")
    if about.shape != (3,):
        raise refused("momentum: about", f'a point of three numbers, or "{MASS_CENTRE}"', about.tolist())

    def formula(s: State, _: Any) -> Any:
        return [*totals.linear_momentum(s), *totals.angular_momentum(s, about)]

    return _momenta(x, formula)


def _about_mass_centre(x: Samples, about: str) -> Momenta:
    """About the mass centre of the whole mechanism, which moves with it."""
    if about != MASS_CENTRE:
        raise refused("momentum: about", f'a point of three numbers, or "{MASS_CENTRE}"', about)
    if not any(float(b.mass) > 0.0 for b in x.model().numeric.bodies):
        raise SimulationError(f'mechanism "{x.mechanism.name}" has no mass, and so no mass centre')

    def formula(s: State, _: Any) -> Any:
        return [*totals.linear_momentum(s), *totals.angular_momentum(s, totals.mass_centre(s))]

    return _momenta(x, formula)


def _momenta(x: Samples, formula: Any) -> Momenta:
    rows = evaluate(x, formula)
    return Momenta(rows[:, :3], rows[:, 3:])


def acceleration(x: Samples, at: Any) -> Accelerations:
    p = point(at, "acceleration")

    def formula(s: State, rates: Any) -> Any:
        return [*s.accelerations(rates)[s.body_number(p)].w, *s.acceleration(p, rates)]

    rows = evaluate(x, formula, udot(x))
    return Accelerations(rows[:, :3], rows[:, 3:])
