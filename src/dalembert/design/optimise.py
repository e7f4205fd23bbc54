"""Optimisation of motions: the objective and what is limited are answers of a study, with their exact gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dalembert.arguments import numbers, real, refused
from dalembert.cached import cached_property
from dalembert.design.multi_start import searched
from dalembert.design.optimum import Optimum
from dalembert.design.trust_region import Evaluated, squares
from dalembert.errors import ArgumentError, SimulationError
from dalembert.mechanism import Mechanism
from dalembert.portable import Portable
from dalembert.studies.answers.output_gradients import Differentiable, OutputGradients
from dalembert.studies.inputs import Inputs
from dalembert.studies.spreads import Range
from dalembert.studies.study import Study
from dalembert.trace import Expr, evaluate, jacobian, symbol, tracing

Answers = Mapping[str, Differentiable]
LEAST_SIZE = 1e-3
"""Size, in an answer's own unit, by which limits at zero and near it are measured."""


class Smallest:
    """One answer, as small as can be, or as large."""

    squares = False

    def __init__(self, name: str, sign: float):
        self.name, self.sign = name, sign

    def of(self, answers: Answers) -> tuple[np.ndarray, np.ndarray]:
        """Parts (P,) of which the largest counts, and their gradients (P, n)."""
        x = answers[self.name]
        if x.over_time is not None and x.over_time.sign == self.sign:
            x = Differentiable(x.over_time.value, x.over_time.gradient)
        return self.sign * x.value, self.sign * x.gradient


class Combined:
    """A user's function of the answers by name, traced for its gradient."""

    squares = False

    def __init__(self, function: Callable[[Any], Any], sign: float):
        self.function, self.sign = function, sign

    def of(self, answers: Answers) -> tuple[np.ndarray, np.ndarray]:
        """Value (1,) and its gradient (1, n)."""
        with tracing():
            named = {name: symbol(name) for name, x in answers.items() if len(x.value) == 1}
            y = self.function(named)
            if not isinstance(y, (Expr, int, float, np.number)):
                raise refused("optimise: what the objective gives", "one number", y)
            rows = [np.array([y], dtype=object), jacobian(np.array([y], dtype=object), list(named.values()))]
            value, slope = evaluate(rows, {x: float(answers[name].value[0]) for name, x in named.items()})
        gradient = np.vstack([answers[name].gradient for name in named])
        return self.sign * np.asarray(value, dtype=float), self.sign * np.asarray(slope, dtype=float) @ gradient


class Nearest:
    """Answers as near as can be to what is wanted of them: residuals (R,), by their sizes."""

    squares = True

    def __init__(self, wanted: Mapping[str, np.ndarray], sizes: Mapping[str, float]):
        self.wanted, self.sizes = wanted, sizes

    def of(self, answers: Answers) -> tuple[np.ndarray, np.ndarray]:
        """Residuals (R,) and their gradients (R, n)."""
        r = [(answers[k].value - y) / self.sizes.get(k, 1.0) for k, y in self.wanted.items()]
        J = [answers[k].gradient / self.sizes.get(k, 1.0) for k in self.wanted]
        return np.concatenate(r), np.vstack(J)


Objective = Smallest | Combined | Nearest


class MotionSearch(Portable):
    """Values of a study's inputs, sought within their ranges."""

    def __init__(self, study: Study, objective: Objective, limits: Mapping[str, tuple[float, float]]):
        self.study, self.objective, self.limits = study, objective, dict(limits)
        self.names, self.squares = study.inputs.names, objective.squares
        self.low, self.high = ranges(study.inputs, "optimise")

    @cached_property
    def answers(self) -> OutputGradients:
        """Compiled once in every process."""
        return OutputGradients(self.study)

    def begun(self, start: np.ndarray) -> tuple[MotionSearch, np.ndarray]:
        """See `Sought`: a motion is begun anew every time."""
        return self, start

    def keep(self) -> None:
        """See `Sought`."""

    def reached(self) -> np.ndarray:
        """See `Sought`."""
        return np.zeros(0)

    def evaluate(self, x: np.ndarray) -> Evaluated:
        """See `Sought`."""
        answers = self.answers.at(x)
        value, gradient = self.objective.of(answers)
        over = [
            beyond(answers[name], sign, end)
            for name, (low, high) in self.limits.items()
            for sign, end in ((-1.0, low), (1.0, high))
            if np.isfinite(end)
        ]
        excess = np.concatenate([np.zeros(0), *(a for a, _ in over)])
        of_excess = np.vstack([np.zeros((0, len(x))), *(b for _, b in over)])
        if self.squares:
            return squares(value, gradient, excess, of_excess)
        return Evaluated(value, gradient, excess, of_excess)


def beyond(x: Differentiable, sign: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Excess of an answer above (`sign` 1) or below (−1) an end, by its size: for an extreme over time, that of every stretch."""
    value, gradient = x.value, x.gradient
    if x.over_time is not None and x.over_time.sign == sign:
        value, gradient = x.over_time.value, x.over_time.gradient
    size = max(abs(end), LEAST_SIZE)
    return sign * (value - end) / size, sign * gradient / size


def ranges(inputs: Inputs, what: str) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of each input; anything but a range is refused."""
    for name, spread in zip(inputs.names, inputs.spreads):
        if not isinstance(spread, Range):
            raise ArgumentError(
                f'{what}: vary {name!r} must be a range in which to look, such as (0.3, 0.5) or "0.3..0.5", not {spread.described}'
            )
    return tuple(np.array([getattr(x, end) for x in inputs.spreads]) for end in ("low", "high"))  # type: ignore[return-value]


def starts_of(study: Study, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The model's own values first, then those of the design."""
    own = np.array([i.nominal for i in study.inputs.every])
    drawn = study.values()
    drawn[0] = np.clip(own, low, high)
    return drawn


def optimise(
    m: Mechanism, objective: Any, vary: Any, subject_to: Mapping[str, Any], outputs: Mapping[str, Any], sizes: Mapping[str, float],
    maximise: bool, starts: int, seed: int, threads: int | None, executor: Any, **motion: Any,
) -> Optimum:  # fmt: skip
    """See `Mechanism.optimise`."""
    said = [objective] if isinstance(objective, str) else list(objective) if isinstance(objective, Mapping) else []
    if not said and not callable(objective):
        raise refused(
            "optimise: objective",
            'an output such as "peak motor M", {output: what it shall be}, or a function of outputs by name', objective,
        )  # fmt: skip
    wanted = dict(outputs) | {name: name for name in (*said, *subject_to) if name not in outputs}
    if not wanted:
        raise ArgumentError(
            'optimise: a function as objective needs outputs={"name": output, …}, which it is given by name'
        )
    design = "latin_hypercube" if starts > 1 else "random"
    study = Study(m, vary, wanted, starts, design=design, seed=seed, **motion)
    problem = MotionSearch(
        study, _objective(objective, sizes, maximise), {k: _limits(k, x) for k, x in subject_to.items()}
    )
    _check(problem, study, objective)
    ends = searched(problem, starts_of(study, problem.low, problem.high), threads, executor, "optimise")
    best = [x for x in ends if x.good]
    if not best:
        raise SimulationError(_nowhere(problem, ends))
    return Optimum.of(problem, ends)


def _objective(objective: Any, sizes: Mapping[str, float], maximise: bool) -> Objective:
    if isinstance(objective, Mapping):
        if maximise:
            raise ArgumentError("optimise: maximise=True is for one output or a function, not for values to come near")
        targets = {k: np.ravel(numbers(x, f"optimise: what {k!r} shall be")) for k, x in objective.items()}
        for name, size in sizes.items():
            if name not in targets or not real(size, f"optimise: the size of {name!r}") > 0.0:
                raise refused("optimise: sizes", "positive numbers by names that the objective has", dict(sizes))
        return Nearest(targets, sizes)
    sign = -1.0 if maximise else 1.0
    return Smallest(objective, sign) if isinstance(objective, str) else Combined(objective, sign)


def _limits(name: str, given: Any) -> tuple[float, float]:
    """(least, largest), None where there is none; a single number is both."""
    where = f"optimise: subject_to {name!r}"
    if isinstance(given, tuple) and len(given) == 2 and given != (None, None):
        low, high = (end if x is None else real(x, where) for x, end in zip(given, (-np.inf, np.inf)))
        if not low <= high or (low == high and not np.isfinite(low)):
            raise refused(where, "(least, largest), with None where there is none", given)
        return low, high
    if given is None or isinstance(given, (tuple, list)):
        raise refused(where, "a number, or (least, largest) with None where there is none", given)
    value = real(given, where)
    return value, value


def _check(problem: MotionSearch, study: Study, objective: Any) -> None:
    """Everything that is asked for must have derivatives, and as many numbers as are wanted of it."""
    if problem.answers.left_out:
        raise ArgumentError(
            f"optimise: {', '.join(map(repr, problem.answers.left_out))} has no derivatives here; ask for coordinates, speeds, motors "
            "or functions of the state"
        )
    several = [x.name for x in study.outputs if x.series and x.name in problem.limits]
    if several:
        raise ArgumentError(f"optimise: {several[0]!r} has many values; limit its least or its largest")
    if isinstance(objective, str) and any(x.series and x.name == objective for x in study.outputs):
        raise ArgumentError(
            f"optimise: {objective!r} has many values; say what they shall be, {{{objective!r}: values}}"
        )
    if isinstance(problem.objective, Nearest):
        for x in study.outputs:
            n = 1 if not x.series else len(study.times if x.times is None else x.times)
            given = problem.objective.wanted.get(x.name)
            if given is not None and len(given) not in (1, n):
                raise ArgumentError(f"optimise: {x.name!r} has {n} values, and {len(given)} were said")


def _nowhere(problem: MotionSearch, ends: list[Any]) -> str:
    failed = [x for x in ends if x.problem]
    if len(failed) == len(ends):
        return f"optimise: none of {len(ends)} starts can be simulated; the first: {failed[0].problem}"
    best = min((x for x in ends if not x.problem), key=lambda x: x.exceeded)
    at = ", ".join(f"{n} = {v:.6g}" for n, v in zip(problem.names, best.x))
    return (
        f"optimise: nothing was found from {len(ends)} starts that keeps the limits; the nearest, {at}, exceeds one by "
        f"{best.exceeded:.3g} of its size. Let vary be wider, the limits looser, or give more starts"
    )
