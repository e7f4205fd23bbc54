"""What an integration method must bring: memory of its own, one step, and the motion between two steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.mechanism import Mechanism
from dalembert.simulation.march.equations import Equations
from dalembert.simulation.march.memory import Layout
from dalembert.trace.native import Signature

NOT_FINITE, STEP_TOO_SMALL, NO_CONVERGENCE, SINGULAR_POSE, CREEPING, OUT_OF_REACH = -1, -2, -3, -4, -5, -6
"""Why a step could not be made, or why no more are: at their pace the end would never be reached, or time asks for what cannot be."""
DEGRADED = 8
"""The step was made; but the rows that hold the mechanism, or the speeds its equations are in, have become a poor choice, or its pose
is nearly singular."""
CROSSED = 9
"""The step was made, but across a pose in which the speeds that its equations are in do not determine the others."""


@dataclass(frozen=True)
class Steps:
    """A method's compiled functions.

    `start(memory, given, work)` prepares for the state and time in memory, also after its inputs have changed;
    `step(memory, given, work)` goes on by one step, not beyond `end`, and returns 0 or why it could not;
    `dense(memory, given, work, t, out)` gives the state at a time within the last step.
    """

    start: Signature
    step: Signature
    dense: Signature
    scratch: int = 0
    """Elements of working memory beyond those of the equations."""
    several: Signature | None = None
    """`several(memory, given, work, times, out)`: rows of output at as many times as `wide_lanes`, strictly within the last step."""


@dataclass(frozen=True)
class Unknowns:
    """Sizes of what is integrated: coordinates, speeds of whatever kind, numbers beside them; and how many parameters and connected
    parts there are."""

    n_q: int
    n_u: int
    n_parameters: int
    beside: int = 0
    n_parts: int = 1

    @property
    def n(self) -> int:
        return self.n_q + self.n_u + self.beside


class Method:
    """The contract. One method is one file and a line in `methods.py`."""

    name: ClassVar[str]
    order: ClassVar[int]
    adaptive: ClassVar[bool]
    any_formulation: ClassVar[bool] = True
    """Whether it marches equations in any speeds; if not, Kane's, by range space."""

    @property
    def held(self) -> Method | None:
        """The same method for mechanisms with loops or constraints; None where it cannot keep to them."""
        return None

    def parts(self, m: Unknowns) -> dict[str, int]:
        """Sizes of further parts of the memory."""
        return {}

    def first_values(self, m: Mechanism) -> dict[str, Any]:
        """What parts of the memory begin with, where it is not zero."""
        return {}

    def emit(self, e: Equations) -> Steps:
        """Write the method's functions into the module."""
        raise NotImplementedError


def layout(method: Method, m: Unknowns, n_events: int) -> Layout:
    """The memory of a run by this method. All that decides how it goes on is in here."""
    n = m.n
    return Layout(
        time=1, t=1, t_old=1, end=1, step=1, largest=1, seen=1, first=1, steps=1,
        y=n, y_old=n, dy=n, dy_old=n, rtol=1, atol=n, error=n, least=1, side=1,
        **method.parts(m),
        values=n_events, values_new=n_events, event_y=n, event_t=1,
    )  # fmt: skip
