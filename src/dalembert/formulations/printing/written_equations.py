"""Equations written out: expressions of t, q, the formulation's speeds and the parameters, with their text, count and values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dalembert.errors import FormulationError
from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import Formulation
from dalembert.formulations.printing.force_parts import ForceParts, parts
from dalembert.formulations.traced import shortest
from dalembert.mechanism import Mechanism
from dalembert.trace import Operations, count_operations, evaluate, symbol, symbols, tracing
from dalembert.words import counted

if TYPE_CHECKING:
    import casadi as ca
    from numpy.typing import ArrayLike

    from dalembert.constraints.methods.solution import Solution
    from dalembert.trace import Expr


MOST_IN_A_NOTEBOOK, CHARACTERS_IN_A_NOTEBOOK = 3000, 60_000
"""Operations, and characters of LaTeX, that a notebook is given to draw."""


@dataclass(frozen=True, eq=False)
class WrittenEquations:
    """q̇ = N(q) u, A u̇ + Bᵀλ = f and B u̇ = γ in the formulation speeds u; B has no rows where nothing is constrained.

    f = velocity_terms + gravity + applied.
    """

    formulation: str
    method: Formulation
    mechanism: Mechanism
    q: np.ndarray
    u: np.ndarray
    qdot: np.ndarray
    A: np.ndarray
    f: np.ndarray
    B: np.ndarray
    gamma: np.ndarray

    @staticmethod
    def traced(name: str, method: Formulation, m: Mechanism) -> WrittenEquations:
        """On the symbols t, q_… and the formulation's letter with the names of its speeds."""
        q = symbols("q_", m.coordinates)
        w = symbols(f"{getattr(method, 'letter', 'u')}_", method.speeds(m))

        def written() -> list[np.ndarray]:
            s = method.state(m, symbol("t"), q, w)
            e = method.equations(s)
            return [np.asarray(x) for x in (s.rates, e.A, e.f, e.B, e.gamma)]

        return WrittenEquations(name, method, m, q, w, *shortest(written, list))

    def __reduce__(self) -> tuple[Any, ...]:
        """Written anew, which takes less than keeping all expressions."""
        method = self.method.__name__ if isinstance(self.method, ModuleType) else self.method
        return _written_again, (self.formulation, method, self.mechanism)

    def __repr__(self) -> str:
        rows = f", {counted(len(self.B), 'row')} of constraints" if len(self.B) else ""
        return f"<Equations of {self.mechanism.name!r} by {self.formulation}: {counted(len(self.u), 'speed')}{rows}; print them>"

    def __str__(self) -> str:
        return self.text()

    @property
    def t(self) -> Expr:
        return symbol("t")

    @property
    def parameters(self) -> list[Any]:
        """The symbols of the mechanism's parameters."""
        return [symbol(name) for name in self.mechanism.parameters]

    @cached_property
    def operations(self) -> Operations:
        """Operations to compute A, f, B and γ together, each shared value once."""
        return count_operations([self.A, self.f, self.B, self.gamma])

    # -- the right-hand side in parts -----------------------------------------------------------------------------------
    @cached_property
    def _parts(self) -> ForceParts:
        with tracing():
            return shortest(
                lambda: parts(self.method, self.mechanism, self.t, self.q, self.u),
                lambda x: [x.velocity, x.gravity, x.applied],
            )

    @property
    def velocity_terms(self) -> np.ndarray:
        """f with neither gravity nor forces: quadratic in the speeds, and what prescribed motion demands."""
        return self._parts.velocity

    @property
    def gravity(self) -> np.ndarray:
        return self._parts.gravity

    @property
    def applied(self) -> np.ndarray:
        """What the mechanism's forces put into f."""
        return self._parts.applied

    # -- for people -----------------------------------------------------------------------------------------------------
    def text(self) -> str:
        """Plain text by headings; written out where that can be read, else with named intermediates first."""
        from dalembert.formulations.printing.render import text

        return text(self)

    def latex(self) -> str:
        """LaTeX (amsmath) of the same."""
        from dalembert.formulations.printing.render import latex

        return latex(self)

    def _repr_latex_(self) -> str | None:
        """What a notebook shows; None, which makes it print one line, where that would be too long to read."""
        latex = self._readable()
        return latex and f"$$\n{latex}\n$$"

    def _repr_html_(self) -> str | None:
        from dalembert.formulations.printing.explanation_forms import in_page
        from dalembert.trace.text.mathml import mathml

        latex = self._readable()
        return latex and in_page(f"{self.mechanism.name}: {self.method.title}", [mathml(latex)])

    def _readable(self) -> str | None:
        """LaTeX, where it is not too long to be drawn."""
        latex = self.latex() if self.operations.total <= MOST_IN_A_NOTEBOOK else ""
        return latex if 0 < len(latex) <= CHARACTERS_IN_A_NOTEBOOK else None

    def sympy(self) -> tuple[list[tuple[Any, Any]], dict[str, Any]]:
        """(replacements as of `sympy.cse`, matrices by name): qdot, A, f_velocity, f_gravity, f_applied, B and gamma.

        Parts that are zero are left out. Small systems are written out and need no replacements.
        """
        from dalembert.formulations.printing.render import in_sympy

        return in_sympy(self)

    # -- for machines ---------------------------------------------------------------------------------------------------
    @property
    def inputs(self) -> dict[str, Any]:
        """Arguments of the equations as a function, by name."""
        arguments: dict[str, Any] = {"t": self.t, "q": list(self.q), "u": list(self.u), "parameters": self.parameters}
        return {name: symbols for name, symbols in arguments.items() if symbols != []}

    @property
    def results(self) -> dict[str, np.ndarray]:
        """What that function gives, by name."""
        closed = {"B": self.B, "gamma": self.gamma} if len(self.gamma) else {}
        return {"qdot": self.qdot, "A": self.A, "f": self.f, **closed}

    def code(self, language: str = "c", name: str = "equations") -> str:
        """Self-contained source of a function of (t, q, u, parameters) that gives qdot, A and f: "c", "python" or "numpy"."""
        from dalembert.trace.text import c_source, numpy_source, python_source

        writers = {"c": c_source, "python": python_source, "numpy": numpy_source}
        if language not in writers:
            raise FormulationError(f"there is no code in {language!r}; choose one of {', '.join(writers)}")
        return writers[language](name, self.inputs, self.results)

    def casadi(self, name: str = "equations") -> ca.Function:
        """A CasADi function of (t, q, u, parameters) with the results qdot, A and f (and B, gamma); needs CasADi."""
        from dalembert.trace.text.casadi_form import casadi_function

        made: ca.Function = casadi_function(name, self.inputs, self.results)
        return made

    def evaluate(self, q: ArrayLike, u: ArrayLike, t: float = 0.0, **parameters: float) -> Equations:
        """A, f, B and γ at a state given in the mechanism's coordinates and speeds; parameters not given have its values."""
        m = self.mechanism.with_parameters(**parameters)
        state = m.state(q, u, t)
        own = self.method.formulation_speeds(state)
        values: dict[Any, Any] = m.parameter_values
        values |= {self.t: state.t, **dict(zip(self.q, state.coordinates)), **dict(zip(self.u, own))}
        made = evaluate([self.A, self.f, self.B, self.gamma], values)
        return Equations(*(np.asarray(x, dtype=float) for x in made))

    def solve(
        self, q: ArrayLike, u: ArrayLike, t: float = 0.0, constraints: str = "range_space", **parameters: float
    ) -> Solution:
        """The rates of the speeds, the multipliers and the rank of B at numbers, by the named constraint method."""
        from dalembert.constraints import method
        from dalembert.kinematics.bending import check_positive

        check_positive(self.mechanism.with_parameters(**parameters), q, t, where="solve")
        return method(constraints)(self.evaluate(q, u, t, **parameters))


def _written_again(name: str, method: Any, m: Mechanism) -> WrittenEquations:
    form = cast(Formulation, import_module(method)) if isinstance(method, str) else method
    with tracing():
        return WrittenEquations.traced(name, form, m)
