"""Meters of what an element dissipates and is supplied with, and the balance of energy with them."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da


def sled(mass: Any = 1.0, **more: Any) -> da.System:
    s = da.System("sled", **more)
    s.add_body("sled", mass=mass)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "sled")
    return s


def metered(s: da.System, *names: str) -> da.System:
    """With meters of what elements dissipate and are supplied with."""
    s.add_element("heat", da.Integral(), input=lambda s: sum(s.signal(f"{name}.dissipated") for name in names))
    s.add_element("taken", da.Integral(), input=lambda s: sum(s.signal(f"{name}.supplied") for name in names))
    return s


def off_balance(motion: da.Motion, beside: np.ndarray | float = 0.0) -> float:
    """By how much energy is not kept, beside the most of it."""
    e = motion.energy()
    total = e.total + motion["heat.value"] - motion["taken.value"] + beside
    return float(
        np.abs(total - total[0]).max()
        / max(np.abs(x).max() for x in (e.total, motion["heat.value"], motion["taken.value"]))
    )
