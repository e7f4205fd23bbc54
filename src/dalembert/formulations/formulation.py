"""What every formulation offers. A module or an object with these names is one; `FORMULATIONS` lists them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism


class Formulation(Protocol):
    """A way of writing equations of motion in speeds w of its own (or momenta), beside the mechanism's coordinates q.

    It may have a `letter`, with which its speeds are written (`letter_name`); without one they are u. Where its speeds are chosen,
    from one numeric state to the next, `settled(m, poses)` gives the same formulation with one choice for all states (see `settled`).
    """

    @property
    def title(self) -> str:
        """In words, for tables and messages."""

    def refusal(self, m: Mechanism) -> str | None:
        """Why it cannot write this mechanism's equations, in a sentence; None where it can."""

    def speeds(self, m: Mechanism) -> tuple[str, ...]:
        """Names of w."""

    def first_order(self, m: Mechanism) -> int:
        """Scalar equations of its complete first-order set, as C counts them: one per coordinate, per own speed, and per multiplier."""

    def own_speeds(self, s: State) -> np.ndarray:
        """w in a state."""

    def state(self, m: Mechanism, t: Any, q: Any, w: Any) -> State:
        """The state that has these own speeds; w is taken to obey the joints."""

    def equations(self, s: State) -> Equations:
        """A ẇ + Bᵀλ = f and B ẇ = γ with a symmetric A; the rows of the mechanism's loops and constraints come last, in its order."""

    def udot(self, s: State, wdot: Any) -> np.ndarray:
        """Rates of the mechanism's free speeds, from ẇ: the common motion by which formulations are compared."""


def settled(form: Formulation, m: Mechanism, poses: Any = ()) -> Formulation:
    """What can be written or compiled: with its choice of speeds, if it has one, made for good at these poses (q, t), or near the
    reference."""
    made: Formulation = form.settled(m, poses) if hasattr(form, "settled") else form
    return made


def n_rows(m: Mechanism) -> int:
    """How many multipliers the mechanism's loops and constraints have."""
    return sum(len(rows.g) for rows in m.constraint_rows.values())
