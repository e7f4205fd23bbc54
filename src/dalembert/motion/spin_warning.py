"""A word of warning where an elastic body without geometric stiffening was spun faster than its model holds."""

from __future__ import annotations

import warnings

import numpy as np

from dalembert.elastic.spin import spin_limit
from dalembert.errors import SpinWarning
from dalembert.motion.motion import Motion

_LOOKED_AT = 200
"""Samples of a motion that are enough to find its fastest spin."""


def warn_of_spin(motion: Motion) -> None:
    """For every elastic body that has no second-order field."""
    m = motion.mechanism
    suspects = [k for k, b in enumerate(m.bodies) if b.modes and not b.data.stiffened] if m is not None else []
    if not suspects or not len(motion) or m is None:
        return
    every = slice(None, None, 1 + len(motion) // _LOOKED_AT)
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
