"""A word of warning where an elastic body was bent further than its linear modes hold."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.elastic.deflection import Deflection, deflections
from dalembert.errors import BendingWarning, SimulationError
from dalembert.kinematics.bending import bent_too_far, first_not_positive
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion

_LOOKED_AT = 2000
"""Samples of a motion that are enough to find its largest deflection."""


def overbent(m: Mechanism, t: np.ndarray, q: np.ndarray) -> dict[str, dict[str, float]]:
    """For each elastic body bent too far in some sample: when most, by which part of its length, and its largest turn (rad) then."""
    every = slice(None, None, 1 + len(q) // _LOOKED_AT)
    t, q = t[every], q[every]
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
    every = slice(None, None, 1 + len(motion) // _LOOKED_AT)
    q, t = motion.q[every], motion.t[every]
    bad = first_not_positive(m, q, t, motion.record["parameters"])
    if bad is not None:
        problem = SimulationError(f"at t = {t[bad]:.6g} s {bent_too_far(m, q[bad])}")
        problem.motion = motion
        raise problem


def _said(m: Mechanism, name: str, at: Mapping[str, float]) -> str:
    length = float(m.bodies[m.number_of[name] - 1].data.length)
    return f'elastic body "{name}" is {Deflection(at["deflection"], at["turn"], length)}'
