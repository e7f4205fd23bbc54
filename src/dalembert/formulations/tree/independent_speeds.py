"""Independent speeds: m of the speeds solved for from the constraints, the rest kept [C 55–57].

B w = b is split as B = (B_i, B_d) with an invertible B_d, so that w = T w_i + c and ẇ = T ẇ_i + d. The dependent speeds are chosen by
pivoting; rows that depend on others are left out. At numbers the choice is made in the state itself. What is written or compiled has
one choice for all states: it is settled before, for the best elimination at the worst of several poses.

Nothing is left of the rows to add Baumgarte's terms to [B Remark 4], but the speeds themselves can close gaps g: B w = b − κ g makes
ġ = −κ g, which obeys g̈ + αġ + βg = 0 where κ² − ακ + β = 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from dalembert.errors import FormulationError, LoopError
from dalembert.formulations.formulation import ChoosesSpeeds
from dalembert.formulations.linear_systems import pivots_in_order, solve_in_order
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.pivoting import PivotChoice, choose, first_of_largest

VANISHING = 1e-3
"""Part of the longest row below which a row is not taken for longer than it is."""
POSES, REACH = 4, 0.4
"""Poses beside the assembled reference at which a choice is judged, and how far from it (rad or m) their assembly begins."""

Pose = tuple[np.ndarray, float]
"""Coordinates in which the mechanism is assembled, and the time."""


@dataclass(frozen=True, eq=False)
class Reduction:
    """w = T w_i + c, ẇ = T ẇ_i + d."""

    choice: PivotChoice
    T: np.ndarray
    c: np.ndarray
    d: np.ndarray


def reduced(B: np.ndarray, b: np.ndarray, gamma: np.ndarray, choice: PivotChoice) -> Reduction:
    n, rows = B.shape[1], list(choice.rows)
    independent, dependent = list(choice.independent), list(choice.dependent)
    kind: Any = object if object in (B.dtype, b.dtype, gamma.dtype) else float
    T, c, d = np.zeros((n, len(independent)), dtype=kind), np.zeros(n, dtype=kind), np.zeros(n, dtype=kind)
    T[independent] = np.eye(len(independent))
    if rows:
        right = np.column_stack([-choice.independent_block(B), b[rows], gamma[rows]])
        solved = solve_in_order(choice.dependent_block(B), right)
        T[dependent], c[dependent], d[dependent] = solved[:, :-2], solved[:, -2], solved[:, -1]
    return Reduction(choice, T, c, d)


def row_lengths(B: np.ndarray) -> np.ndarray:
    """Lengths by which rows can be compared; not nothing where a row vanishes."""
    norms = np.linalg.norm(B, axis=1)
    return np.maximum(norms, VANISHING * norms.max(initial=0.0) or 1.0)


def pivot_ratio(B: np.ndarray, choice: PivotChoice, lengths: np.ndarray) -> float:
    """The smallest pivot of the elimination of B_d beside the length of its row; 1 where there is nothing to eliminate."""
    with np.errstate(all="ignore"):
        sizes = np.abs(pivots_in_order(choice.dependent_block(B)) / lengths[list(choice.rows)])
    return float(np.nan_to_num(sizes, nan=0.0, posinf=0.0).min(initial=1.0))


class InIndependentSpeeds(ChoosesSpeeds):
    """A formulation in some of its speeds w, of which constraints determine the others; `choice` says which, if that is settled."""

    title: str
    takes_variables = "all"

    def __init__(self, choice: PivotChoice | None = None, decay: float = 0.0):
        self.choice, self.decay = choice, decay
        self._usual: WeakKeyDictionary[Mechanism, Self] = WeakKeyDictionary()

    # -- what a formulation brings ----------------------------------------------------------------------------------------
    def rows(self, s: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(B, b, γ) of B w = b and B ẇ = γ."""
        raise NotImplementedError

    def gaps(self, s: State) -> np.ndarray:
        """g of the rows that have one, 0 for the others."""
        raise NotImplementedError

    def every(self, s: State) -> np.ndarray:
        """All of w."""
        raise NotImplementedError

    def names(self, m: Mechanism) -> tuple[str, ...]:
        """Names of all of w."""
        raise NotImplementedError

    def moving(self, m: Mechanism, t: Any, q: Any, every: np.ndarray) -> State:
        """The state with all these w."""
        raise NotImplementedError

    # -- the contract -------------------------------------------------------------------------------------------------------
    def refusal(self, m: Mechanism) -> str | None:
        """Every mechanism can be written in a pose where it is assembled."""
        return None

    def speeds(self, m: Mechanism) -> tuple[str, ...]:
        choice = self.settled(m).choice
        assert choice is not None
        return tuple(self.names(m)[i] for i in choice.independent)

    def first_order(self, m: Mechanism) -> int:
        return m.n_q + len(self.speeds(m))

    def formulation_speeds(self, s: State) -> np.ndarray:
        return np.asarray(self.every(s)[list(self.chosen(s, self.rows(s)[0]).independent)])

    def state(self, m: Mechanism, t: Any, q: Any, w: Any) -> State:
        """w = T w_i + c."""
        made = self.reduction(State(m, t, q, np.zeros(m.n_u)))
        return self.moving(m, t, q, made.T @ np.asarray(w) + made.c)

    # -- the choice -----------------------------------------------------------------------------------------------------------
    def settled(self, m: Mechanism, poses: Sequence[Pose] = ()) -> Self:
        """Formulation with one choice for all states, the best at the worst of these poses; without poses, of some near the
        reference."""
        if self.choice is not None:
            return self
        if poses:
            return self.chosen_so(self._best(m, poses))
        if m not in self._usual:
            self._usual[m] = self.chosen_so(self._best(m, _near_reference(m)))
        return self._usual[m]

    def chosen_so(self, choice: PivotChoice) -> Self:
        return type(self)(choice, self.decay)

    def with_gains(self, alpha: float, beta: float) -> Self:
        """Formulation in which gaps decay as fast as the slower solution of Baumgarte's law."""
        root = alpha * alpha - 4.0 * beta
        if root < 0.0:
            raise FormulationError(
                f'Baumgarte\'s gains alpha={alpha:g}, beta={beta:g} make gaps swing, and in "{self.title}", whose speeds close them, '
                f"gaps can only decay: give alpha of at least {2.0 * math.sqrt(beta):g} (2 √beta), or choose a formulation with "
                "multipliers"
            )
        slower = 2.0 * beta / (alpha + math.sqrt(root)) if beta else 0.0
        return type(self)(self.choice, slower)

    def anew(self, s: State, lengths: np.ndarray) -> Self:
        """Formulation with the choice that suits this state, rows measured by these lengths."""
        return self.chosen_so(choose(self.rows(s)[0] / lengths[:, None]))

    def _best(self, m: Mechanism, poses: Sequence[Pose]) -> PivotChoice:
        every = [self.rows(m.state(q, np.zeros(m.n_u), t))[0] for q, t in poses]
        lengths = np.max([row_lengths(B) for B in every], axis=0)
        proposed = [choose(B / lengths[:, None]) for B in every]
        rank = max(len(c.rows) for c in proposed)
        regular = [B for B, c in zip(every, proposed) if len(c.rows) == rank]
        candidates = list(dict.fromkeys(c for c in proposed if len(c.rows) == rank))
        worst = [min(pivot_ratio(B, c, lengths) for B in regular) for c in candidates]
        return candidates[first_of_largest(np.array(worst))]

    def chosen(self, s: State, B: np.ndarray) -> PivotChoice:
        if self.choice is not None:
            return self.choice
        return choose(B / row_lengths(B)[:, None]) if not s.traced else self.settled(s.mechanism).chosen(s, B)

    def reduction(self, s: State) -> Reduction:
        B, b, gamma = self.rows(s)
        if self.decay:
            closing = self.decay * self.gaps(s)  # −ġ
            b, gamma = b - closing, gamma + self.decay * closing
        return reduced(B, b, gamma, self.chosen(s, B))

    def pivots(self, s: State) -> np.ndarray:
        """What the elimination divides by."""
        B = self.rows(s)[0]
        return pivots_in_order(self.chosen(s, B).dependent_block(B))

    def lengths(self, s: State) -> np.ndarray:
        return row_lengths(self.rows(s)[0])

    def pivot_ratio(self, s: State, lengths: np.ndarray) -> float:
        B = self.rows(s)[0]
        return pivot_ratio(B, self.chosen(s, B), lengths)


def _near_reference(m: Mechanism) -> list[Pose]:
    if not m.constraint_rows:
        return [(m.admissible(m.reference), 0.0)]
    rng, found = np.random.default_rng(0), []
    try:
        base, _ = m.assemble(m.reference)
    except LoopError as problem:
        raise FormulationError(
            f'the independent speeds of mechanism "{m.name}" could not be chosen, as it could not be assembled near its reference '
            f"({problem}); simulate it from an assembled pose, or choose a formulation with multipliers"
        ) from problem
    for _ in range(POSES):
        try:
            found.append((m.assemble(m.admissible(base + m.somewhere(rng, REACH) - m.reference))[0], 0.0))
        except LoopError:  # there is no pose that way
            continue
    return [(base, 0.0), *found]
