"""What an integrator remembers: one block of memory whose parts have names, so that a run can be stopped, kept and gone on with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from dalembert.trace.native import Pointer

NEXT, TOTAL, STEPS, WHICH, PENDING = range(5)
"""Counters beside that memory: the next output, how many there are, steps made, which event, whether it is still to be attended to."""

N_COUNTERS = 8
"""Number of counters, with room to spare: a run's counters fill a line of the processor's cache, which threads would otherwise take
from each other."""


class Layout:
    """Named parts one after the other. Sizes are in elements; an element has a double for every lane."""

    def __init__(self, **sizes: int):
        self.parts: dict[str, slice] = {}
        self.size = 0
        for name, n in sizes.items():
            self.parts[name] = slice(self.size, self.size + n)
            self.size += n

    def of(self, memory: Pointer) -> Any:
        """The parts as pointers, for compiled code: `p.y[i]`."""
        return SimpleNamespace(**{name: memory + at.start for name, at in self.parts.items()})

    def view(self, memory: np.ndarray, name: str) -> np.ndarray:
        """A part as an array, for Python."""
        return memory[self.parts[name]]
