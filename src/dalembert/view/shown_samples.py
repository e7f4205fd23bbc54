"""Which samples of a motion the page holds, and the poses at them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.motion.motion import Motion

MOST = 10_000
"""Frames, however small the mechanism."""


def thinned(motion: Motion, budget: int, extra: int = 0) -> Motion:
    """The motion at evenly chosen samples, first and last among them, so that its arrays take about `budget` bytes.

    `extra` counts the numbers per sample besides poses, coordinates and speeds.
    """
    sound = np.flatnonzero(np.isfinite(motion.q).all(axis=1) & np.isfinite(motion.u).all(axis=1))
    if not len(sound):
        raise SimulationError("this motion has no samples of finite numbers, so there is nothing to show")
    per_frame = 4 * (10 * len(motion.bodies) + len(motion.coordinates) + len(motion.speeds) + 5 + extra)
    count = int(min(len(sound), MOST, max(2, budget // per_frame)))
    if count == len(motion):
        return motion
    return restricted(motion, sound[np.unique(np.round(np.linspace(0, len(sound) - 1, count)).astype(int))])


def restricted(motion: Motion, chosen: np.ndarray) -> Motion:
    """The motion at some of its samples."""
    parts: dict[str, Any] = {
        name: np.ascontiguousarray(getattr(motion, name)[chosen]) for name in ("t", "q", "u", "forces")
    }
    if motion.history is not None:
        parts["history"] = motion.history.at_samples(chosen)
    return replace(motion, **parts)
