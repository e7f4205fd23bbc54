"""`Optimum`: the best values that were found, what they give, and where every search ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.tabular import Tabular
from dalembert.cached import cached_property
from dalembert.design.trust_region import SearchEnd
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.parts.names import unknown
from dalembert.words import counted

if TYPE_CHECKING:
    from dalembert.design.optimise import MotionSearch

SAME = 1e-4
"""Distance of values, in their ranges, at which they are one."""


@dataclass(frozen=True, eq=False)
class Optimum(Tabular):
    """The best `values` by name; `objective` there; `answers` by name; `searches`, best first, those that failed last."""

    names: tuple[str, ...]
    values: Mapping[str, float]
    objective: float
    answers: Mapping[str, np.ndarray]
    gradients: Mapping[str, np.ndarray]
    """(inputs,) of every answer at the best values; (T, inputs) of series."""
    searches: tuple[SearchEnd, ...]
    problem: MotionSearch

    @classmethod
    def of(cls, problem: MotionSearch, ends: list[SearchEnd]) -> Optimum:
        """The best of where the searches ended."""
        order = sorted(ends, key=lambda x: (not x.good, x.value))
        x = order[0].x
        found = problem.answers.at(x)
        sign = getattr(problem.objective, "sign", 1.0)
        return cls(
            problem.names, dict(zip(problem.names, x.tolist())), sign * order[0].value,
            {k: a.value if a.series else a.value[0] for k, a in found.items()},
            {k: a.gradient if a.series else a.gradient[0] for k, a in found.items()}, tuple(order), problem,
        )  # fmt: skip

    def __getitem__(self, name: str) -> Any:
        known = {**self.answers, **self.values}
        if name not in known:
            raise unknown(name, "value or answer", known, "optimum")
        return known[name]

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism with the best values of its parameters."""
        plan = self.problem.study.plan
        parameters, _, _ = plan.values(self.searches[0].x)
        return plan.mechanism.with_parameters(**parameters) if parameters else plan.mechanism

    def motion(self) -> Motion:
        """The motion at the best values."""
        return self.problem.study.plan.motion(self.searches[0].x)

    @property
    def settled(self) -> bool:
        """Whether the best search ended because nothing near it is better."""
        return self.searches[0].settled

    @property
    def agreed(self) -> int:
        """How many searches came to the same values: one alone may have missed better ones."""
        p, best = self.problem, self.searches[0].x
        return sum(x.good and bool(np.all(np.abs(x.x - best) <= SAME * (p.high - p.low))) for x in self.searches)

    def at_ends(self) -> tuple[str, ...]:
        """Values at an end of their range, where wider ranges may be better."""
        p, x = self.problem, self.searches[0].x
        off = np.minimum(x - p.low, p.high - x) / (p.high - p.low)
        return tuple(n for n, d in zip(self.names, off) if d <= SAME)

    def columns(self) -> dict[str, Any]:
        """A row for every search, best first: values, objective, by how much limits are exceeded."""
        found: dict[str, Any] = {n: np.array([e.x[i] for e in self.searches]) for i, n in enumerate(self.names)}
        found["objective"] = np.array([e.value for e in self.searches]) * getattr(self.problem.objective, "sign", 1.0)
        found["exceeded"] = np.array([e.exceeded for e in self.searches])
        return found | {
            "evaluations": [e.evaluations for e in self.searches],
            "problem": [e.problem for e in self.searches],
        }

    def __str__(self) -> str:
        verdict = "Found" if self.settled else "Not settled, best so far"
        of = counted(len(self.searches), "start")
        lines = [f"{verdict}: objective {self.objective:.8g}; {self.agreed} of {of} came to it."]
        lines += [f"  {n} = {v:.8g}" for n, v in self.values.items()]
        lines += [f"  {n}: {x:.8g}" for n, x in self.answers.items() if np.ndim(x) == 0]
        if self.at_ends():
            lines.append(f"At an end of its range: {', '.join(self.at_ends())}.")
        failed = [x for x in self.searches if x.problem]
        if failed:
            lines.append(f"{counted(len(failed), 'start')} could not be simulated; the first: {failed[0].problem}")
        return "\n".join(lines)
