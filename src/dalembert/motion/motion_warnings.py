"""Words of warning where an elastic body left what its model holds: bent further than its linear modes, or spun without stiffening."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.elastic.deflection import Deflection, deflections
from dalembert.elastic.spin import spin_limit
from dalembert.errors import BendingWarning, SimulationError, SpinWarning
from dalembert.kinematics.bending import bent_too_far, first_not_positive
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion

BENDING_SAMPLES = 2000
"""Samples of a motion that are enough to find its largest deflection."""
SPIN_SAMPLES = 200
"""Samples of a motion that are enough to find its fastest spin."""


def overbent(m: Mechanism, t: np.ndarray, q: np.ndarray) -> dict[str, dict[str, float]]:
    """For each elastic body bent too far in some sample: when most, by which part of its length, and its largest turn (rad) then."""
    every = slice(None, None, 1 + len(q) // BENDING_SAMPLES)
    t, q = t[every], m.joint_coordinates(q[every])
    m = m.in_joint_variables
    found = {}
    for k, body in enumerate(m.bodies):
        if not body.modes or not len(q):
            continue
        own = q[:, m.modal_places(k)]
        good = np.isfinite(own).all(axis=1)
        moved, turned = deflections(body.data, np.where(good[:, None], own, 0.0))
        worst = int(np.argmax(np.maximum(moved, turned)))
        how = Deflection(float(moved[worst]), float(turned[worst]), body.data.length)
        if not how.slight:
            found[body.name] = {"t": float(t[worst]), "deflection": how.moved, "turn": how.turned}
    return found


def warn_of_bending(m: Mechanism, record: Mapping[str, Any], depth: int = 5) -> None:
    """One warning for all bodies that were bent too far, by what is recorded; `depth` calls away from the user."""
    said = [f"{_said(m, name, at)} at t = {at['t']:.4g} s" for name, at in record.get("overbent", {}).items()]
    if said:
        warnings.warn(
            f"{'; '.join(said)}. Its modes are linear and made for a tenth of the length: motion beyond is not to be relied on. "
            "Cut it into several, welded node to node, or make it stiffer",
            BendingWarning,
            stacklevel=depth + 1,
        )


def check_stayed_positive(motion: Motion) -> None:
    """Refuse a motion that went on where the mass matrix is not positive, as one of fixed steps can."""
    m = motion.mechanism
    if m is None or not motion.record.get("overbent"):
        return
    every = slice(None, None, 1 + len(motion) // BENDING_SAMPLES)
    q, t = motion.q[every], motion.t[every]
    values = {name: x[every] if isinstance(x, np.ndarray) else x for name, x in motion.parameters.items()}
    bad = first_not_positive(m, q, t, values)
    if bad is not None:
        problem = SimulationError(f"at t = {t[bad]:.6g} s {bent_too_far(m, q[bad])}")
        problem.motion = motion
        raise problem


def _said(m: Mechanism, name: str, at: Mapping[str, float]) -> str:
    length = float(m.bodies[m.number_of[name] - 1].data.length)
    return f'elastic body "{name}" is {Deflection(at["deflection"], at["turn"], length)}'


def warn_of_spin(motion: Motion) -> None:
    """For every elastic body that has no second-order field."""
    m = motion.mechanism
    suspects = [k for k, b in enumerate(m.bodies) if b.modes and not b.data.stiffened] if m is not None else []
    if not suspects or not len(motion) or m is None:
        return
    every = slice(None, None, 1 + len(motion) // SPIN_SAMPLES)
    values = {name: x[every] if isinstance(x, np.ndarray) else x for name, x in motion.parameters.items()}
    moved = m.body_motion(motion.q[every], motion.u[every], motion.t[every], values)
    for k in suspects:
        w = np.einsum("sba,sb->sa", moved.rotation[:, k], moved.angular_velocity[:, k])
        spins = np.linalg.norm(w, axis=1)
        if not np.isfinite(spins).any() or not np.nanmax(spins) > 0.0:
            continue
        fastest = int(np.nanargmax(spins))
        limit = spin_limit(m.bodies[k].data, w[fastest])
        if spins[fastest] > limit:
            warnings.warn(
                f'body "{m.bodies[k].name}" spins at {spins[fastest]:.4g} rad/s, but without geometric stiffening its model holds '
                f"only up to {limit:.4g} rad/s about that axis: beyond, its modes grow without bound, as no real body's do. "
                "Build it with stiffening=True",
                SpinWarning,
                stacklevel=4,
            )
