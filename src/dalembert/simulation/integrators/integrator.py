"""What an integrator must bring: its part of the memory, one step, and the motion between two steps.

An integrator is combined with parts that it knows by their contracts alone:
- the equations (`march.equations`) give the slope and the projection onto constraints, which is nothing where there are none;
- a step control (`step_control`) chooses the length of steps by their errors;
- a watch over singular poses (`singular_pose`) limits and places steps; without constraints there is nothing to watch.

`INTEGRATORS` are those a user can name. To add one: write its file and add it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.registry import Registry
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.simulation.march.memory import Layout
from dalembert.trace.native import Signature


@dataclass(frozen=True)
class Steps:
    """An integrator's compiled functions.

    `start(memory, inputs, work)` prepares for the state and time in memory, also after its inputs have changed;
    `step(memory, inputs, work)` goes on by one step, not beyond `end`, and returns 0 or another `Status`;
    `dense(memory, inputs, work, t, out)` gives the state at a time within the last step.
    """

    start: Signature
    step: Signature
    dense: Signature
    scratch: int = 0
    """Elements of working memory beyond those of the equations."""
    several: Signature | None = None
    """`several(memory, inputs, work, times, out)`: rows of output at as many times as `wide_lanes`, strictly within the last step."""


@dataclass(frozen=True)
class Unknowns:
    """Sizes of what is integrated: coordinates, speeds of whatever kind, numbers beside them; and how many parameters and connected
    parts there are."""

    n_q: int
    n_u: int
    n_parameters: int
    beside: int = 0
    watched: bool = False
    """Whether the rows of constraints are kept by projection, and watched for singular poses."""
    n_parts: int = 1
    _: KW_ONLY
    balls: int = 0
    """Impulses of contacts of many balls."""
    n_z: int = 0
    """States of elements, the first of the numbers beside."""

    @property
    def n(self) -> int:
        return self.n_q + self.n_u + self.beside


class Integrator:
    """The contract. One integrator is one file and a line in `registry.py`."""

    name: ClassVar[str]
    order: ClassVar[int]
    adaptive: ClassVar[bool]
    implicit: ClassVar[bool] = False
    """Whether every step solves a system with the equations' Jacobian."""
    any_formulation: ClassVar[bool] = True
    """Whether it marches equations in any speeds; if not, Kane's, by range space."""
    keeps_constraints: ClassVar[bool] = True
    """Whether it marches mechanisms with loops or constraints."""
    takes_impacts: ClassVar[bool] = False
    """Whether its steps go over impacts and changes of friction; if not, laws are marched from event to event."""

    def parts(self, m: Unknowns) -> dict[str, int]:
        """Sizes of further parts of the memory."""
        return {}

    def first_values(self, m: Mechanism, watched: bool) -> dict[str, Any]:
        """What parts of the memory begin with, where it is not zero; `watched` as in `Unknowns`."""
        return {}

    def emit(self, e: MarchedEquations) -> Steps:
        """Write the integrator's functions into the module."""
        raise NotImplementedError


def layout(
    integrator: Integrator, m: Unknowns, n_events: int, of_laws: Mapping[str, int] | None = None, n_clocks: int = 0
) -> Layout:
    """The memory of a run by this integrator, with parts that laws need. All that decides how it goes on is in here."""
    n = m.n
    return Layout(
        time=1,  # through which time is handed to compiled functions
        t=1,  # time at the end of the last step
        t_old=1,  # time at its beginning
        end=1,  # of this stretch: no step goes beyond it
        until=1,  # time at which Python attends to the run: the end of the stretch where no element is sampled before
        samples_from=1,  # time of the first samples
        samples=n_clocks,  # how many there were since then, by clock
        next_sample=n_clocks,  # time of the next
        step=1,  # length of the next step
        longest_step=1,
        searched_to=1,  # time up to which events have been looked for, and outputs may be written
        looked_to=1,  # time up to which margins of laws have been examined
        counted_from=1,  # time from which fixed steps are counted; else the start of the run
        steps_counted=1,  # since then
        y=n,  # state at the end of the last step
        y_old=n,
        dy=n,  # its slope
        dy_old=n,
        rtol=1,
        atol=n,
        error=n,  # estimated error of the last step, component by component
        least_pivot_ratio=1,  # of chosen independent speeds, below which another choice is looked for
        determinant_sign=1,  # of the matrix that dependent speeds are solved with: if it changes, a singular pose was crossed
        **integrator.parts(m),
        event_values=n_events,  # at `searched_to`
        event_values_new=n_events,  # at the time examined
        event_crossed=n_events,  # which of them crossed zero at the event found
        event_y=n,  # state there
        event_t=1,  # time of the event found
        **(of_laws or {}),
    )


INTEGRATORS: Registry[Integrator] = Registry(
    {
        "dop853": "dalembert.simulation.integrators.dop853:DOP853",
        "rk4": "dalembert.simulation.integrators.rk4:RK4",
        "moreau": "dalembert.simulation.integrators.moreau:Moreau",
        "midpoint": "dalembert.simulation.integrators.midpoint:Midpoint",
        "radau": "dalembert.simulation.integrators.radau:Radau",
    }
)
"""Name → integrator, imported when first asked for. Names cost nothing; `adaptive`, `order` and what it can do are attributes."""

ADAPTIVE, FIXED = "dop853", "rk4"
"""What is used where no name is given: without a step, and with one."""


def integrator_named(name: object) -> Integrator:
    if name not in INTEGRATORS:
        raise SimulationError(f"method={name!r} is not known; choose one of {', '.join(map(repr, INTEGRATORS))}")
    return INTEGRATORS[str(name)]


def fixed_step_names() -> list[str]:
    """Integrators that take a step instead of tolerances."""
    return [name for name, x in INTEGRATORS.items() if not x.adaptive]


def constraint_names() -> list[str]:
    """Integrators that march mechanisms with loops or constraints."""
    return [name for name, x in INTEGRATORS.items() if x.keeps_constraints]
