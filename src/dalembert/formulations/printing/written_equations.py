"""Equations written out: expressions of t, q, the formulation's speeds and the parameters, with their text, count and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import FormulationError
from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import Formulation
from dalembert.formulations.partial_linearisation import SmallCoordinates, Truncation, small_speeds
from dalembert.formulations.printing.force_parts import ForceParts, parts
from dalembert.kinematics import totals
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import shortest
from dalembert.mechanism import Mechanism
from dalembert.trace import Operations, count_operations, evaluate, symbol, symbols, tracing
from dalembert.words import counted

if TYPE_CHECKING:
    import casadi as ca
    from numpy.typing import ArrayLike

    from dalembert.constraints.methods.solution import Solution
    from dalembert.formulations.printing.readable import Readable
    from dalembert.kernels.compiled_equations import CompiledEquations
    from dalembert.trace import Expr


MOST_IN_A_NOTEBOOK, CHARACTERS_IN_A_NOTEBOOK = 3000, 60_000
"""Operations, and characters of LaTeX, that a notebook is given to draw."""


@dataclass(frozen=True, eq=False)
class WrittenEquations:
    """q̇ = N(q) u, A u̇ + Bᵀλ = f and B u̇ = γ in the formulation speeds u; B has no rows where nothing is constrained.

    f = velocity_terms + gravity + applied. Where some coordinates are `small`, all is of first degree in these, their speeds and their
    accelerations, and A need not be symmetric.
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
    small: SmallCoordinates | None = None
    exact: WrittenEquations | None = None
    """What partly linear equations were truncated from."""

    @staticmethod
    def traced(name: str, method: Formulation, m: Mechanism) -> WrittenEquations:
        """On the symbols t, q_… and the formulation's letter with the names of its speeds."""
        q = symbols("q_", m.coordinates)
        w = symbols(f"{getattr(method, 'letter', 'u')}_", method.speeds(m))

        def written() -> list[np.ndarray]:
            s = method.state(m, symbol("t"), q, w)
            e = method.equations(s)
            return [np.asarray(x) for x in (s.rates, e.A, e.f, e.B, e.gamma)]

        qdot, A, f, B, gamma = shortest(written, list)
        return WrittenEquations(name, method, m, q, w, qdot, A, f, B, gamma)

    def truncated(self, small: SmallCoordinates) -> WrittenEquations:
        """The same to first degree in what is small: accelerations of small speeds meet A of degree 0, the others A of degree 1."""
        places = small_speeds(self.method, self.mechanism, small)
        keep = self._truncation(small, places)
        A = np.array(keep.up_to(self.A, 1))
        A[:, places] = keep.up_to(self.A[:, places], 0)
        first = (keep.up_to(x, 1) for x in (self.qdot, self.f, self.B, self.gamma))
        qdot, f, B, gamma = first
        return replace(self, qdot=qdot, A=A, f=f, B=B, gamma=gamma, small=small, exact=self)

    def _truncation(self, small: SmallCoordinates, speeds: Sequence[int]) -> Truncation:
        return Truncation({self.q[at]: value for at, value in small.nominal} | {self.u[at]: 0.0 for at in speeds})

    @cached_property
    def _kept(self) -> Truncation:
        assert self.small is not None
        return self._truncation(self.small, small_speeds(self.method, self.mechanism, self.small))

    def __reduce__(self) -> tuple[Any, ...]:
        """Written anew, which takes less than keeping all expressions."""
        method = self.method.__name__ if isinstance(self.method, ModuleType) else self.method
        return _written_again, (self.formulation, method, self.mechanism, self.small)

    def __repr__(self) -> str:
        rows = f", {counted(len(self.B), 'row')} of constraints" if len(self.B) else ""
        by = self.formulation if self.small is None else f"{self.formulation}, {', '.join(self.small.names)} small"
        return f"<Equations of {self.mechanism.name!r} by {by}: {counted(len(self.u), 'speed')}{rows}; print them>"

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

    @cached_property
    def symmetric(self) -> bool:
        """Whether A is, as that of all exact equations; of partly linear ones, where both sides of the diagonal are the same."""
        if self.small is None:
            return True
        from dalembert.trace.collect import Powers, collected

        with tracing():
            sides = [
                x.ravel() if (short := collected(x.ravel(), Powers)) is None else short for x in (self.A, self.A.T)
            ]
            return all(a is b or (isinstance(a, (int, float)) and a == b) for a, b in zip(*sides))

    # -- the right-hand side in parts -----------------------------------------------------------------------------------
    @cached_property
    def _parts(self) -> ForceParts:
        with tracing():
            made = shortest(
                lambda: parts(self.method, self.mechanism, self.t, self.q, self.u),
                lambda x: [x.velocity, x.gravity, x.applied],
            )
            if self.small is None:
                return made
            return ForceParts(*(self._kept.up_to(x, 1) for x in (made.velocity, made.gravity, made.applied)))

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

    @cached_property
    def zdot(self) -> np.ndarray:
        """Rates of the states of elements."""
        m = self.mechanism
        if not m.n_z:
            return np.zeros(0)
        with tracing():
            return np.array(m.state_rates(self.method.state(m, self.t, self.q, self.u)), dtype=object)

    # -- energies -------------------------------------------------------------------------------------------------------
    @cached_property
    def kinetic_energy(self) -> Expr | float:
        """T in the formulation speeds; where coordinates are small, to second degree in these and their speeds [C 300]."""
        return self._energy(totals.kinetic_energy)

    @cached_property
    def potential_energy(self) -> Expr | float:
        """V of gravity, of strains and of the forces that have a potential; likewise to second degree."""
        return self._energy(totals.potential_energy)

    def _energy(self, of: Callable[[State], Any]) -> Expr | float:
        with tracing():
            energy = of(self.method.state(self.mechanism, self.t, self.q, self.u))
            return cast("Expr | float", energy if self.small is None else self._kept.up_to(energy, 2))

    # -- for people -----------------------------------------------------------------------------------------------------
    @cached_property
    def _in_print(self) -> WrittenEquations:
        from dalembert.formulations.printing.in_print import in_print

        return in_print(self)

    @cached_property
    def sections(self) -> Readable:
        """What there is to read, in the form in which it is read most easily."""
        from dalembert.formulations.printing.render import sections

        return sections(self)

    def text(self) -> str:
        """Plain text by headings; written out where that can be read, else with named intermediates first."""
        from dalembert.formulations.printing.render import text

        return text(self._in_print)

    def latex(self) -> str:
        """LaTeX (amsmath) of the same."""
        from dalembert.formulations.printing.render import latex

        return latex(self._in_print)

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
        return {
            "qdot": self.qdot,
            "A": self.A,
            "f": self.f,
            **closed,
            **({"zdot": self.zdot} if len(self.zdot) else {}),
        }

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

    def compiled(self) -> CompiledEquations:
        """Machine code of the same: `compiled(q, u, t)` gives A, f, B and γ of one state or many, `compiled.rates(q, u, t)` q̇ and u̇,
        with u the formulation speeds."""
        from dalembert.kernels.compiled_equations import CompiledEquations

        return CompiledEquations(self)

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
        self, q: ArrayLike, u: ArrayLike, t: float = 0.0, constraints: str | None = None, **parameters: float
    ) -> Solution:
        """The rates of the speeds, the multipliers and the rank of B at numbers, by the named constraint method, "range_space" unless
        another is named; partly linear equations by "augmented" alone, because their A is not symmetric."""
        from dalembert.constraints import method
        from dalembert.kinematics.bending import check_positive

        usual = "range_space" if self.small is None else "augmented"
        if self.small is not None and constraints not in (None, usual):
            raise FormulationError(
                f'A of partly linear equations is not symmetric, as constraints={constraints!r} would need it; choose "augmented"'
            )
        check_positive(self.mechanism.with_parameters(**parameters), q, t, where="solve")
        return method(constraints or usual)(self.evaluate(q, u, t, **parameters))


def _written_again(name: str, method: Any, m: Mechanism, small: SmallCoordinates | None) -> WrittenEquations:
    form = cast(Formulation, import_module(method)) if isinstance(method, str) else method
    with tracing():
        made = WrittenEquations.traced(name, form, m)
        return made if small is None else made.truncated(small)
