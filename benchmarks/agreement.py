"""Every formulation with every constraint method on random mechanisms: one motion, or a refusal in words.

All pairs are solved on numbers; one pair of every mechanism drawn for it in machine code. What is compared are the accelerations of all
bodies and the reactions Bᵀλ, which do not hang on the choice of dependent rows.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.tree import kane
from tests.invariance.cases import KINDS, Case, drawn

LARGEST = 1e-8
"""Difference of accelerations or reactions, by the largest of them, that would be a disagreement."""
APPROXIMATE = 1e-2
"""Of pairs with `penalty` in their name, which say of themselves that they are approximations."""
FREE = "range_space"
"""Solves equations without rows."""


@dataclass
class Tally:
    """How many pairs agreed, refused in words, failed without, or differed; with the worst of those that agreed."""

    mechanisms: int = 0
    pairs: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    worst: float = 0.0
    approximate: float = 0.0
    """The worst of the approximations."""

    def add(self, other: Tally) -> None:
        self.mechanisms += other.mechanisms
        self.pairs.update(other.pairs)
        self.refusals.update(other.refusals)
        self.faults += other.faults
        self.worst = max(self.worst, other.worst)
        self.approximate = max(self.approximate, other.approximate)


def examine(case: Case, compiled: bool = False) -> Tally:
    """All pairs on one mechanism in one state; `compiled` adds one random pair in machine code, for a batch of states too."""
    tally = Tally(mechanisms=1)
    m = case.mechanism.numeric
    s = m.state(case.q, case.u, case.t)
    e = kane.equations(s)
    truth = METHODS["range_space"](e)
    expected = Expected(_of_bodies(s, truth.udot), e.B.T @ truth.lam, _size(e, truth.udot))
    for name, form in FORMULATIONS.items():
        if form.refusal(m) is not None:
            tally.pairs["refused"] += 1
            tally.refusals[f"{name}: this kind of mechanism"] += 1
            continue
        try:
            own = form.state(m, s.t, s.coordinates, form.formulation_speeds(s))
            equations = form.equations(own)
        except da.DalembertError as problem:
            _refused(tally, name, problem)
            continue
        except Exception as problem:  # any other is a fault
            _failed(tally, f"{case}: {name}: {type(problem).__name__}: {problem}")
            continue
        for by in METHODS if len(equations.gamma) else [FREE]:
            _judge(tally, f"{case}: {name} by {by}", partial(_by, form, own, equations, by, s, e), expected)
    if compiled:
        rng = np.random.default_rng(case.seed)
        name, by = str(rng.choice(list(FORMULATIONS))), str(rng.choice(list(METHODS)))
        _judge(tally, f"{case}: {name} by {by}, compiled", partial(_compiled, case, name, by, s, e), expected)
    return tally


@dataclass(frozen=True, eq=False)
class Expected:
    """Accelerations of all bodies, generalized reactions, and the size of the forces."""

    accelerations: np.ndarray
    reactions: np.ndarray
    size: float


def _by(form: Any, own: Any, equations: Any, by: str, s: Any, e: Any) -> tuple[np.ndarray, np.ndarray]:
    solved = METHODS[by](equations)
    rows = len(e.gamma)
    reactions = e.B.T @ solved.lam[-rows:] if rows and len(solved.lam) >= rows else np.zeros(0)
    return _of_bodies(s, form.udot(own, solved.udot)), reactions


def _compiled(case: Case, name: str, by: str, s: Any, e: Any) -> tuple[np.ndarray, np.ndarray]:
    found = case.mechanism.solve(
        np.stack([case.q] * 3), np.stack([case.u] * 3), t=case.t, constraints=by, formulation=name
    )
    if not np.array_equal(found.udot[0], found.udot[2]):
        raise AssertionError("equal states of a batch differ")
    reactions = e.B.T @ found.lam[1] if len(e.gamma) and found.lam.shape[1] == len(e.gamma) else np.zeros(0)
    return _of_bodies(s, found.udot[1]), reactions


def _judge(tally: Tally, what: str, solve: Any, expected: Expected) -> None:
    try:
        accelerations, reactions = solve()
    except da.DalembertError as problem:
        _refused(tally, what.split(": ")[1].split(",")[0], problem)
        return
    except Exception as problem:
        _failed(tally, f"{what}: {type(problem).__name__}: {problem}")
        return
    off = _relative(accelerations, expected.accelerations, max(1.0, np.abs(expected.accelerations).max(initial=0.0)))
    if len(reactions) and len(reactions) == len(expected.reactions):
        off = max(off, _relative(reactions, expected.reactions, expected.size))
    approximate = "penalty" in what
    if not off <= (APPROXIMATE if approximate else LARGEST):
        tally.pairs["disagreed"] += 1
        tally.faults.append(f"{what}: off by {off:.1e}")
    elif approximate:
        tally.pairs["agreed, approximately"] += 1
        tally.approximate = max(tally.approximate, off)
    else:
        tally.pairs["agreed"] += 1
        tally.worst = max(tally.worst, off)


def _relative(a: np.ndarray, b: np.ndarray, size: float) -> float:
    return float(np.abs(a - b).max(initial=0.0) / size)


def _size(e: Any, udot: np.ndarray) -> float:
    return max(1.0, float(np.abs(e.f).max(initial=0.0)), float(np.abs(e.A @ udot).max(initial=0.0)))


def _of_bodies(s: Any, udot: np.ndarray) -> np.ndarray:
    return np.concatenate([x for a in s.accelerations(udot)[1:] for x in (a.w, a.v)])


def _refused(tally: Tally, name: str, problem: Exception) -> None:
    tally.pairs["refused"] += 1
    tally.refusals[f"{name}: {type(problem).__name__}"] += 1


def _failed(tally: Tally, what: str) -> None:
    tally.pairs["failed"] += 1
    tally.faults.append(what)


def examined(numbers: range, compiled_every: int = 0) -> Tally:
    """The mechanisms of these numbers, their kinds in turn."""
    kinds, total = list(KINDS), Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in numbers:
            case = drawn(kinds[i % len(kinds)], i // len(kinds))
            total.add(examine(case, bool(compiled_every) and i % compiled_every == 0))
    return total
