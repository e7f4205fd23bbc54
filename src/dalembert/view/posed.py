"""Poses as a motion to look at, where nothing was marched in time."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.simulation.error_sizes import coordinate_units, speed_units
from dalembert.version import __version__

SECONDS = 4.0
"""How long the poses take to be shown."""


def posed(m: Mechanism, q: Any, what: str, t: Any = None, u: Any = None) -> Motion:
    """One pose (n_q,) or several (K, n_q), at times given or evenly spread; `what` says how they came about."""
    poses = np.atleast_2d(np.asarray(q, dtype=float))
    if len(poses) == 1:
        poses = np.repeat(poses, 2, axis=0)
    times = np.linspace(0.0, SECONDS, len(poses)) if t is None else np.array(t, dtype=float)
    speeds = np.zeros((len(poses), m.n_u)) if u is None else np.array(u, dtype=float)
    record = {
        "model": m.name, "version": __version__, "parameters": dict(m.parameters), "ended": "end",
        "options": {"method": what}, "steps": 0,
    }  # fmt: skip
    return Motion(
        times, poses.copy(), speeds, m.coordinates, m.speeds, coordinate_units(m), speed_units(m),
        tuple(b.name for b in m.bodies), np.zeros_like(speeds), (), record, m,
    )  # fmt: skip
