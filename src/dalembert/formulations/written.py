"""Equations written out: expressions of t, q, u and the parameters, with their text, their count and their values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.errors import FormulationError
from dalembert.formulations.equations import Equations
from dalembert.mechanism import Mechanism
from dalembert.trace import Operations, count_operations, evaluate, symbol


@dataclass(frozen=True, eq=False)
class WrittenEquations:
    """q̇ = N(q) u, A(q, t) u̇ + Bᵀλ = f(q, u, t) and B u̇ = γ; B has no rows where nothing is constrained."""

    formulation: str
    mechanism: Mechanism
    q: np.ndarray
    u: np.ndarray
    qdot: np.ndarray
    A: np.ndarray
    f: np.ndarray
    B: np.ndarray
    gamma: np.ndarray

    @property
    def _results(self) -> dict[str, np.ndarray]:
        """By name, what the text gives."""
        closed = {"B": self.B, "gamma": self.gamma} if len(self.gamma) else {}
        return {"qdot": self.qdot, "A": self.A, "f": self.f, **closed}

    @cached_property
    def operations(self) -> Operations:
        """Operations to compute A, f, B and γ together, each shared value once."""
        return count_operations([self.A, self.f, self.B, self.gamma])

    @property
    def parameters(self) -> list[Any]:
        """The symbols of the mechanism's parameters."""
        return [symbol(name) for name in self.mechanism.parameters]

    # -- text ---------------------------------------------------------------------------------------------------------
    def text(self) -> str:
        """Plain text: named intermediates, then q̇, A and f element by element."""
        from dalembert.trace.text import plain_text

        n = range(len(self.f))
        lines = {f"d/dt {x.name}": rate for x, rate in zip(self.q, self.qdot)}
        lines |= {f"A[{i}, {j}]": self.A[i, j] for i in n for j in n if j <= i} | {f"f[{i}]": self.f[i] for i in n}
        rows = range(len(self.gamma))
        lines |= {f"B[{i}, {j}]": self.B[i, j] for i in rows for j in n} | {f"gamma[{i}]": self.gamma[i] for i in rows}
        return plain_text(lines)

    def latex(self) -> str:
        """LaTeX (amsmath): named intermediates, then q̇, A and f."""
        from dalembert.trace.text import latex_program

        return latex_program(self._results)

    def sympy(self) -> Any:
        """(replacements, [qdot, A, f], and B, gamma where there are any) as SymPy expressions, like the output of `sympy.cse`."""
        from dalembert.trace.text import to_sympy

        return to_sympy(list(self._results.values()))

    def code(self, language: str = "c", name: str = "equations") -> str:
        """Self-contained source of a function of (t, q, u, parameters) that gives qdot, A and f: "c", "python" or "numpy"."""
        from dalembert.trace.text import c_source, numpy_source, python_source

        writers = {"c": c_source, "python": python_source, "numpy": numpy_source}
        if language not in writers:
            raise FormulationError(f"there is no code in {language!r}; choose one of {', '.join(writers)}")
        inputs: dict[str, Any] = {"t": symbol("t"), "q": list(self.q), "u": list(self.u)}
        if self.parameters:
            inputs["parameters"] = self.parameters
        return writers[language](name, inputs, self._results)

    def evaluate(self, q: Any, u: Any, t: float = 0.0, **parameters: float) -> Equations:
        """A and f at numbers; parameters not given have the mechanism's values."""
        state = self.mechanism.state(q, u, t)
        values: dict[Any, Any] = self.mechanism.with_parameters(**parameters).parameter_values
        values |= {symbol("t"): state.t, **dict(zip(self.q, state.coordinates)), **dict(zip(self.u, state.speeds))}
        made = evaluate([self.A, self.f, self.B, self.gamma], values)
        return Equations(*(np.asarray(x, dtype=float) for x in made))
