"""A mode as a `Motion`, for the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.constraints.assembly.assemble import close, displaced
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.simulation.error_sizes import coordinate_units, speed_units
from dalembert.version import __version__


def mode_motion(mode: Any, amplitude: float, periods: float, samples: int) -> Motion:
    """See `Mode.motion`."""
    lin, value = mode.linearisation, mode.eigenvalue
    m: Mechanism = lin.mechanism
    rate = 1j * value.imag if mode.oscillates else complex(value.real)
    period = 2.0 * np.pi / abs(value.imag) if mode.oscillates else 1.0 / max(abs(value.real), 1e-300)
    t = np.linspace(0.0, periods * period, samples)
    phase = np.exp(rate * t)
    phase = amplitude * phase / np.abs(phase).max()
    q = np.array([_placed(m, lin, np.real(mode.shape * x)) for x in phase])
    u = np.real(mode.speeds[None, :] * phase[:, None])
    record = {
        "model": f"{m.name}, a mode", "version": __version__, "parameters": dict(m.parameters), "ended": "end",
        "options": {"method": "mode", "eigenvalue": [value.real, value.imag], "amplitude": amplitude}, "steps": 0,
    }  # fmt: skip
    return Motion(
        t, q, u, m.coordinates, m.speeds, coordinate_units(m), speed_units(m), tuple(b.name for b in m.bodies),
        np.zeros_like(u), (), record, m,
    )  # fmt: skip


def _placed(m: Mechanism, lin: Any, step: np.ndarray) -> np.ndarray:
    q = displaced(m, lin.q, step, lin.t)
    return close(m, q, (), lin.t).q if m.constraint_rows else q
