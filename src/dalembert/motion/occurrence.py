"""`Occurrence`: an event that happened in the course of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that happened."""

    name: str
    t: float
    q: np.ndarray
    u: np.ndarray
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """States of elements."""
