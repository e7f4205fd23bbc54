"""What every formulation offers. A module or an object with these names is one; `FORMULATIONS` lists them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from dalembert.formulations.equations import Equations
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.pivoting import PivotChoice
from dalembert.trace import free_symbols, symbol, symbols, tracing


class Formulation(Protocol):
    """A way of writing equations of motion in speeds w of its own (or momenta), beside the mechanism's coordinates q.

    It may have a `letter`, with which its speeds are written (`letter_name`); without one they are u. One that chooses its speeds
    in every numeric state `ChoosesSpeeds` as well. One with matrices of its own shows them by `explain(s)`, from a traced state.
    What it `takes_variables` of says which need not be the joints': "all", or "coordinates"; the others it is spared (`for_mechanism`).
    """

    @property
    def title(self) -> str:
        """Name in words, for tables and messages."""

    def refusal(self, m: Mechanism) -> str | None:
        """Why it cannot write this mechanism's equations, in a sentence; None where it can."""

    def speeds(self, m: Mechanism) -> tuple[str, ...]:
        """Names of the formulation speeds w."""

    def first_order(self, m: Mechanism) -> int:
        """Scalar equations of its complete first-order set, as C counts them: one per coordinate, formulation speed and multiplier."""

    def formulation_speeds(self, s: State) -> np.ndarray:
        """Formulation speeds w in a state."""

    def state(self, m: Mechanism, t: Any, q: Any, w: Any) -> State:
        """The state that has these formulation speeds; w is taken to obey the joints."""

    def equations(self, s: State) -> Equations:
        """A ẇ + Bᵀλ = f and B ẇ = γ with a symmetric A; the rows of the mechanism's loops and constraints come last, in its order."""

    def udot(self, s: State, wdot: Any) -> np.ndarray:
        """Rates of the mechanism's free speeds, from ẇ: the common motion by which formulations are compared."""


@runtime_checkable
class TakesTerms(Protocol):
    """A formulation that has taken the mechanism's rows into A and f, and so takes in what is added to γ as well."""

    def with_terms(self, s: State, e: Equations, terms: np.ndarray) -> Equations:
        """Equations where the rows are B u̇ = γ − terms."""


@runtime_checkable
class ReturnsMultipliers(Protocol):
    """A formulation without rows that knows the forces of the loops and constraints all the same."""

    def multipliers(self, s: State, wdot: Any) -> np.ndarray:
        """λ of the mechanism's rows, from ẇ."""


@runtime_checkable
class Approximates(Protocol):
    """A formulation whose equations are those of the others only nearly, for some mechanisms or for all."""

    def approximation(self, m: Mechanism) -> str | None:
        """What is approximate in this mechanism's equations, in a sentence; None where nothing is."""


def approximation(form: Formulation, m: Mechanism) -> str | None:
    """What is approximate in a mechanism's equations by a formulation; None where nothing is."""
    return form.approximation(m) if isinstance(form, Approximates) else None


@runtime_checkable
class LosesDigits(Protocol):
    """A formulation whose equations may be so stiff that rounding takes more than it promises."""

    def warn_of_rounding(self, s: State) -> None:
        """A `RoundingWarning` where it does so in this state."""


@runtime_checkable
class SolvesRows(Protocol):
    """A formulation that has solved the mechanism's rows for dependent speeds: none is left to add terms to."""

    decay: float
    """Rate at which gaps decay, 1/s."""

    def with_gains(self, alpha: float, beta: float) -> Self:
        """The same formulation, in which gaps g decay by g̈ + αġ + βg = 0."""


class ChoosesSpeeds(ABC):
    """A formulation in some of its speeds, from which the others follow. It can be written and compiled when the choice is settled."""

    choice: PivotChoice | None

    @abstractmethod
    def settled(self, m: Mechanism, poses: Sequence[tuple[np.ndarray, float]] = ()) -> Self:
        """The same formulation with one choice for all states, made at these poses (q, t) or near the reference."""

    @abstractmethod
    def chosen_so(self, choice: PivotChoice) -> Self:
        """The same formulation with this choice."""

    @abstractmethod
    def anew(self, s: State, lengths: np.ndarray) -> Self:
        """The same formulation with the choice that suits this state."""

    @abstractmethod
    def pivots(self, s: State) -> np.ndarray:
        """What is divided by when the other speeds are solved for: where one is near zero, the choice is poor."""

    @abstractmethod
    def lengths(self, s: State) -> np.ndarray:
        """Lengths of all rows, by which pivots can be compared."""

    @abstractmethod
    def pivot_ratio(self, s: State, lengths: np.ndarray) -> float:
        """The smallest pivot beside the length of its row, at numbers: from 0 to about 1."""


def settled(form: Formulation, m: Mechanism, poses: Sequence[tuple[np.ndarray, float]] = ()) -> Formulation:
    """What can be written or compiled: with its choice of speeds, if it has one, made for good."""
    made: Formulation = form.settled(m, poses) if isinstance(form, ChoosesSpeeds) else form
    return made


def uses_mechanism_speeds(m: Mechanism, form: Formulation) -> bool:
    """Whether w is u."""
    if len(form.speeds(m)) != m.n_u:
        return False
    with tracing():
        w = formulation_speed_symbols(form, m)
        u = form.state(m, symbol("t"), symbols("q_", m.coordinates), w).speeds
        return all(a is b for a, b in zip(u, w))


def formulation_speed_symbols(form: Formulation, m: Mechanism) -> np.ndarray:
    """Symbols of w."""
    return symbols("#w.", range(len(form.speeds(m))))


def states_in_speeds(m: Mechanism, form: Formulation) -> tuple[str, ...]:
    """States of elements that w depends on besides u: those of masses and mass centres."""
    read = free_symbols(form.formulation_speeds(m.symbolic_state())) if m.n_z else set()
    return tuple(name for name in m.states if symbol(name) in read)
