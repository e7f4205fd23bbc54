"""What an integration method must bring: memory of its own, one step, and the motion between two steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dalembert.mechanism import Mechanism
from dalembert.simulation.equations import Equations
from dalembert.simulation.layout import Layout
from dalembert.trace.native import Signature

NOT_FINITE, STEP_TOO_SMALL, NO_CONVERGENCE = -1, -2, -3
"""Why a step could not be made."""


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


class Method:
    """The contract. One method is one file and a line in `methods.py`."""

    name: ClassVar[str]
    order: ClassVar[int]
    adaptive: ClassVar[bool]

    def parts(self, m: Mechanism) -> dict[str, int]:
        """Sizes of further parts of the memory."""
        return {}

    def emit(self, e: Equations) -> Steps:
        """Write the method's functions into the module."""
        raise NotImplementedError


def layout(method: Method, m: Mechanism, n_events: int) -> Layout:
    """The memory of a run by this method. All that decides how it goes on is in here."""
    n = m.n_q + m.n_u
    return Layout(
        time=1, t=1, t_old=1, end=1, step=1, largest=1, seen=1, first=1, steps=1,
        y=n, y_old=n, dy=n, dy_old=n, rtol=1, atol=n, error=n,
        **method.parts(m),
        values=n_events, values_new=n_events, event_y=n, event_t=1,
    )  # fmt: skip
