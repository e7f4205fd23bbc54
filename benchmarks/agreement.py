"""Every formulation with every constraint method on random mechanisms: one motion, or a refusal in words.

All pairs are solved on numbers; now and then one of them in machine code. What is compared are the accelerations of all
bodies and the reactions Bᵀλ, which do not hang on the choice of dependent rows.
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

import dalembert as da
from benchmarks.ledger import Run
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.formulation import LosesDigits
from dalembert.formulations.tree import kane
from tests.constraints.penalised import penalised, rounding
from tests.invariance.cases import KINDS, LUMPED, Case, drawn

LARGEST = 1e-8
"""Difference of accelerations or reactions, by the largest of them, that would be a disagreement."""
APPROXIMATE = 1e-2
"""The same for the formulation `gauss_penalty`, which says of itself that it is an approximation. The method `penalty` is compared with
what it should give in exact arithmetic."""
OTHER_ROWS = 3.0
"""How many times the penalty's own error may lie between its answers on two sets of rows that say the same."""
SAME_SPEEDS = 1e-10
"""Difference of speeds, by the largest of them, after a formulation's own speeds were computed from them and back; more where
momenta lose digits."""
FULL_SIZE = 8
"""One in so many mechanisms is of full size."""
COMPILED = 28
"""One in so many mechanisms is asked one pair in machine code."""
FREE = "range_space"
"""Solves equations without rows."""


@dataclass
class Tally:
    """How many pairs agreed, refused in words, failed without, or differed; with the worst of those that agreed."""

    mechanisms: int = 0
    pairs: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    worst: dict[str, float] = field(default_factory=lambda: {"exact": 0.0, "approximate": 0.0})

    def told(self, number: int, run: Run) -> None:
        """Add this mechanism to a run of the gate."""
        run.cases += self.mechanisms
        run.counts.update({f"pair: {k}": n for k, n in self.pairs.items()})
        run.counts.update({f"refusal: {k}": n for k, n in self.refusals.items()})
        for name, value in self.worst.items():
            run.worst[name] = max(value, run.worst.get(name, 0.0))
        if self.faults:
            more = f" (and {len(self.faults) - 1} more pairs)" if len(self.faults) > 1 else ""
            run.faults[str(number)] = self.faults[0] + more


def examine(case: Case, compiled: bool = False) -> Tally:
    """All pairs on one mechanism in one state; `compiled` adds one random pair in machine code, for a batch of states too."""
    tally = Tally(mechanisms=1)
    m = case.mechanism.numeric
    s = m.state(case.q, case.u, case.t)
    e = kane.equations(s)
    truth = METHODS["range_space"](e)
    moved = BodyAccelerations(s)
    rng = np.random.default_rng(case.seed)
    chosen = str(rng.choice(list(FORMULATIONS))), str(rng.choice(list(METHODS)))
    expected = Expected(moved(truth.udot), e.B.T @ truth.lam, _size(e, truth.udot))
    for name, form in FORMULATIONS.items():
        if form.refusal(m) is not None:
            tally.pairs["refused"] += 1
            tally.refusals[f"{name}: this kind of mechanism"] += 1
            continue
        try:
            own = _own_state(form, s)
            equations = form.equations(own)
        except da.DalembertError as problem:
            _refused(tally, name, problem)
            continue
        except Exception as problem:  # any other is a fault
            _failed(tally, f"{case}: {name}: {type(problem).__name__}: {problem}")
            continue
        for by in METHODS if len(equations.gamma) else [FREE]:
            wanted = expected if by != "penalty" else _by_penalty(form, own, equations, moved, expected)
            if isinstance(form, LosesDigits):
                wanted = replace(wanted, allowed=max(wanted.allowed, _announced(form, own)))
            _judge(tally, f"{case}: {name} by {by}", partial(_by, form, own, equations, by, moved, e), wanted)
            if compiled and (name, by) == chosen:
                wanted = _on_other_rows(wanted, expected) if by == "penalty" else wanted
                _judge(tally, f"{case}: {name} by {by}, compiled", partial(_compiled, case, *chosen, moved, e), wanted)
    return tally


def _by_penalty(form: Any, own: Any, equations: Any, moved: BodyAccelerations, expected: Expected) -> Expected:
    """What the penalty method gives in exact arithmetic, and how far rounding may take it from that."""
    closed, off = penalised(equations).udot, rounding(equations)
    allowed = LARGEST + float(np.abs(off).max(initial=0.0) / max(1.0, np.abs(closed).max(initial=0.0)))
    return replace(expected, accelerations=moved(form.udot(own, closed)), reactions=np.zeros(0), allowed=allowed)


def _on_other_rows(penalised: Expected, exact: Expected) -> Expected:
    """Machine code leaves out rows that say nothing new, and takes all of Kane's where the answer breaks those. A penalty's error hangs
    on which rows share a force, but not its size."""
    found, wanted = penalised.accelerations, exact.accelerations
    off = _relative(found, wanted, max(1.0, np.abs(found).max(initial=0.0)))
    return replace(penalised, allowed=max(penalised.allowed, OTHER_ROWS * off))


def _announced(form: LosesDigits, own: Any) -> float:
    """What a formulation says of itself that rounding may take of its accelerations; nothing where it does not say so."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        form.warn_of_rounding(own)
    return 1.0 if any(issubclass(w.category, da.RoundingWarning) for w in told) else 0.0


def _own_state(form: Any, s: Any) -> Any:
    """The state that the formulation makes of its own speeds. Where that is `s` again, `s` stands for it: what is computed once in it
    serves all formulations."""
    own = form.state(s.mechanism, s.t, s.coordinates, form.formulation_speeds(s))
    if not _relative(own.speeds, s.speeds, max(1.0, np.abs(s.speeds).max(initial=0.0))) <= s.view(_allowed):
        raise AssertionError("its speeds are those of another motion")
    return s if type(own) is type(s) else own


def _allowed(s: Any) -> float:
    """What rounding may do to speeds that come back from momenta: n ε times the condition of A, speeds measured by √A_ii."""
    A = kane.mass_matrix(s)
    by = 1.0 / np.sqrt(np.where(np.diag(A) > 0.0, np.diag(A), 1.0))
    return max(SAME_SPEEDS, len(A) * 2.0**-52 * float(np.linalg.cond(by[:, None] * A * by))) if len(A) else SAME_SPEEDS


@dataclass(frozen=True, eq=False)
class Expected:
    """Accelerations of all bodies, generalized reactions, the size of the forces, and what difference of these is allowed."""

    accelerations: np.ndarray
    reactions: np.ndarray
    size: float
    allowed: float = LARGEST


class BodyAccelerations:
    """Accelerations of all bodies as a function of u̇: J u̇ + the bias, both of one state."""

    def __init__(self, s: Any):
        self._bias = np.concatenate([x for a in s.bias_accelerations[1:] for x in (a.w, a.v)])
        self._J = np.zeros((len(self._bias), s.mechanism.n_u))
        for k, P in enumerate(s.partials[1:], start=1):
            self._J[6 * k - 6 : 6 * k, list(s.mechanism.path_columns[k])] = np.vstack([P.W, P.V])

    def __call__(self, udot: np.ndarray) -> np.ndarray:
        return self._J @ udot + self._bias


def _by(
    form: Any, own: Any, equations: Any, by: str, moved: BodyAccelerations, e: Any
) -> tuple[np.ndarray, np.ndarray]:
    solved = METHODS[by](equations)
    rows = len(e.gamma)
    reactions = e.B.T @ solved.lam[-rows:] if rows and len(solved.lam) >= rows else np.zeros(0)
    return moved(form.udot(own, solved.udot)), reactions


def _compiled(case: Case, name: str, by: str, moved: BodyAccelerations, e: Any) -> tuple[np.ndarray, np.ndarray]:
    found = case.mechanism.solve(
        np.stack([case.q] * 3), np.stack([case.u] * 3), t=case.t, constraints=by, formulation=name
    )
    if not np.array_equal(found.udot[0], found.udot[2]):
        raise AssertionError("equal states of a batch differ")
    reactions = e.B.T @ found.lam[1] if len(e.gamma) and found.lam.shape[1] == len(e.gamma) else np.zeros(0)
    return moved(found.udot[1]), reactions


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
    approximate = "gauss_penalty" in what
    if not off <= max(expected.allowed, APPROXIMATE if approximate else 0.0):
        tally.pairs["disagreed"] += 1
        tally.faults.append(f"{what}: off by {off:.1e}")
    elif approximate or expected.allowed > LARGEST:
        tally.pairs["agreed, approximately"] += 1
        tally.worst["approximate"] = max(tally.worst["approximate"], off)
    else:
        tally.pairs["agreed"] += 1
        tally.worst["exact"] = max(tally.worst["exact"], off)


def _relative(a: np.ndarray, b: np.ndarray, size: float) -> float:
    return float(np.abs(a - b).max(initial=0.0) / size)


def _size(e: Any, udot: np.ndarray) -> float:
    return max(1.0, float(np.abs(e.f).max(initial=0.0)), float(np.abs(e.A @ udot).max(initial=0.0)))


def _refused(tally: Tally, name: str, problem: Exception) -> None:
    tally.pairs["refused"] += 1
    tally.refusals[f"{name}: {type(problem).__name__}"] += 1


def _failed(tally: Tally, what: str) -> None:
    tally.pairs["failed"] += 1
    tally.faults.append(what)


def numbered(number: int) -> Case:
    """The mechanism of a number: kinds in turn, seven small ones for one of full size."""
    kinds = [*KINDS, *LUMPED]
    seed, kind = divmod(number, len(kinds))
    return drawn(kinds[kind], seed, small=seed % FULL_SIZE != 0)


def examined(number: int) -> Tally:
    """The mechanism of this number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return examine(numbered(number), compiled=number % COMPILED == 0)
        except Exception as problem:  # the mechanism itself, or the truth it is compared with
            return Tally(mechanisms=1, faults=[f"{type(problem).__name__}: {problem}"])
