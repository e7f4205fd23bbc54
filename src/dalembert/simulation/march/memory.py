"""What an integrator remembers: one block of memory whose parts have names, so that a run can be stopped, kept and gone on with.

`fill_memory` and `fill_inputs` set it as a run begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.trace.native import Pointer

if TYPE_CHECKING:
    from dalembert.simulation.march.program import Program
    from dalembert.simulation.run_options import Options

NEXT, TOTAL, STEPS, WHICH, PENDING = range(5)
"""Counters beside that memory: the next output, how many there are, steps made, which event, whether it is still to be attended to."""

N_COUNTERS = 8
"""Number of counters, with room to spare: a run's counters fill a line of the processor's cache, which threads would otherwise take
from each other."""


class PartPointers:
    """Parts of a block of memory by name, as attributes: `p.y[i]`."""

    def __init__(self, parts: Mapping[str, Pointer]):
        vars(self).update(parts)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Pointer: ...


class Layout:
    """Named parts one after the other. Sizes are in elements; an element has a double for every lane."""

    def __init__(self, **sizes: int):
        self.parts: dict[str, slice] = {}
        self.size = 0
        for name, n in sizes.items():
            self.parts[name] = slice(self.size, self.size + n)
            self.size += n

    def of(self, memory: Pointer) -> PartPointers:
        """The parts as pointers, for compiled code: `p.y[i]`."""
        return PartPointers({name: memory + at.start for name, at in self.parts.items()})

    def view(self, memory: np.ndarray, name: str) -> np.ndarray:
        """A part as an array, for Python."""
        return memory[self.parts[name]]


def fill_memory(
    memory: np.ndarray, program: Program, m: Mechanism, o: Options, y: np.ndarray, tolerances: np.ndarray
) -> None:
    """Set the integrator's memory to the state y, with these absolute tolerances, at the start that the options say."""

    def part(name: str) -> np.ndarray:
        return program.layout.view(memory, name)[:, 0]

    part("y")[:] = part("y_old")[:] = y
    for name in ("t", "t_old", "searched_to", "looked_to", "counted_from"):
        part(name)[:] = o.start
    part("step")[:], part("longest_step")[:] = o.step, o.max_step
    part("rtol")[:], part("atol")[:] = o.rtol, tolerances
    for name, values in program.first_values(m).items():
        part(name)[:] = values
    if "size" in program.layout.parts:
        size = part("size")[: m.n_q]
        size[:] = np.minimum(size, o.sizes[: m.n_q])
    part("end")[:] = part("until")[:] = o.end
    part("samples_from")[:] = part("next_sample")[:] = o.start


def fill_inputs(inputs: np.ndarray, program: Program, parameters: np.ndarray) -> None:
    """Set the equations' inputs to the parameters, and to what the rows are measured by."""
    program.input_layout.view(inputs, "P")[:, 0] = parameters
    program.input_layout.view(inputs, "scales")[:, 0] = program.scales
