"""Memory of a run as it begins."""

from __future__ import annotations

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.simulation.march.program import Program
from dalembert.simulation.run_options import Options


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
    part("end")[:] = o.end


def fill_inputs(inputs: np.ndarray, program: Program, parameters: np.ndarray) -> None:
    """Set the equations' inputs to the parameters, and to what the rows are measured by."""
    program.input_layout.view(inputs, "P")[:, 0] = parameters
    program.input_layout.view(inputs, "scales")[:, 0] = program.scales
