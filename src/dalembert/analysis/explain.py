"""`m.explain(method)`: the matrices of a formulation or of a constraint method, in symbols or at a state.

A method tells what is its own beside its equations: a formulation by `explain(s)` of a traced state, a constraint method by
`explain(e)` of equations in symbols or in numbers. What all have, q̇, A, f, B and γ, is gathered here.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.constraints import EXPLAIN, METHODS, method
from dalembert.constraints.methods.explained import ConstrainedEquations, shortest_pivots
from dalembert.constraints.methods.solution import MeasuredEquations, sizes_of_speeds
from dalembert.errors import FormulationError
from dalembert.formulations import FORMULATIONS, write
from dalembert.formulations.equations import Equations
from dalembert.formulations.printing.explanation import Explanation
from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.formulations.printing.readable import Algebra
from dalembert.formulations.printing.written_equations import WrittenEquations
from dalembert.kinematics.traced import shortest
from dalembert.mechanism import Mechanism
from dalembert.parts.names import nearest
from dalembert.pivoting import PivotChoice, choose
from dalembert.trace import depends_on, evaluate, symbols, tracing


def explain(
    m: Mechanism, name: str, q: ArrayLike | None, u: ArrayLike | None, t: float, formulation: str
) -> Explanation:
    """The method's matrices; at a state where q is given."""
    if name in FORMULATIONS:
        return _formulation(m, name, q, u, t)
    if name in METHODS:
        return _constraint_method(m, name, q, u, t, formulation)
    known = [*FORMULATIONS, *METHODS]
    raise FormulationError(
        f"there is neither a formulation nor a constraint method {name!r}; {nearest(name, known, 'choose one of')}"
    )


def _formulation(m: Mechanism, name: str, q: ArrayLike | None, u: ArrayLike | None, t: float) -> Explanation:
    eq = write(m, name, "symbols")
    own: list[Quantity] = []
    tell = getattr(eq.method, "explain", None)
    if tell is not None:
        with tracing():
            own = shortest(
                lambda: list(tell(eq.method.state(eq.mechanism, eq.t, eq.q, eq.u))),
                lambda found: [x.value for x in found],
            )
    quantities = (*own, *_of_equations(eq))
    made = Explanation(m.name, name, eq.method.title, _principle(eq.method), quantities, algebra=_algebra(eq))
    if q is None:
        return made
    values = _values(eq, q, u, t)
    rates = symbols(f"{getattr(eq.method, 'letter', 'u')}dot_", eq.method.speeds(eq.mechanism))
    if depends_on([x.value for x in own], rates):
        values |= dict(zip(rates, method("range_space")(_at(eq, values)).udot))
    return made.evaluated(values)


def _constraint_method(
    m: Mechanism, name: str, q: ArrayLike | None, u: ArrayLike | None, t: float, formulation: str
) -> Explanation:
    eq = write(m, formulation, "symbols")
    speeds = tuple(w.name for w in eq.u)
    if not len(eq.gamma):
        raise FormulationError(
            f'{name} solves with constraints, and the equations of mechanism "{m.name}" by {formulation} have none: '
            "nothing closes a loop or constrains it"
        )
    before, e, choice = _of_equations(eq), Equations(eq.A, eq.f, eq.B, eq.gamma), None
    if q is not None:
        values = _values(eq, q, u, t)
        before = tuple(replace(x, value=np.asarray(evaluate(x.value, values), dtype=float)) for x in before)
        e = _at(eq, values)
        choice = _choice(e)
    settled = choice or _settled_choice(eq)

    def derived(of: Mapping[str, np.ndarray]) -> tuple[Quantity, ...]:
        order = settled if q is not None else shortest_pivots(of["B"], settled)
        x = ConstrainedEquations(Equations(of["A"], of["f"], of["B"], of["gamma"]), speeds, order)
        return tuple(EXPLAIN[name](x) if name in EXPLAIN else x.solution(METHODS[name]))

    with tracing():
        own = derived({"A": e.A, "f": e.f, "B": e.B, "gamma": e.gamma})
    title = f"{name.replace('_', ' ')}, with {eq.method.title}"
    symbolic = "In symbols. What needs numbers (ranks, eigenvalues, factors) is there where a state is given."
    notes = (symbolic,) if q is None else ()
    shown = (*before, *own)
    return Explanation(
        m.name, name, title, _principle(METHODS[name]), shown, notes, _algebra(eq), derived if q is None else None
    )


def _algebra(eq: WrittenEquations) -> Algebra:
    return Algebra.of(eq.mechanism, eq.u)


def _at(eq: WrittenEquations, values: dict[Any, Any]) -> Equations:
    made = evaluate([eq.A, eq.f, eq.B, eq.gamma], values)
    return Equations(*(np.asarray(x, dtype=float) for x in made))


def _choice(e: Equations) -> PivotChoice:
    """The dependent speeds that suit these numbers, as `partition` chooses them."""
    sizes = sizes_of_speeds(e.A)
    return choose(MeasuredEquations.of(e).scaled[0] / sizes)


def _settled_choice(eq: WrittenEquations) -> PivotChoice:
    """A choice in the assembled pose nearest the reference, for equations in symbols."""
    m = eq.mechanism
    q = m.assemble(m.reference)[0] if m.constraint_rows else m.reference
    return _choice(_at(eq, _values(eq, m.admissible(q), None, 0.0)))


def _of_equations(eq: WrittenEquations) -> tuple[Quantity, ...]:
    """What every method has."""
    speeds = [w.name for w in eq.u]
    coordinates, rows = [x.name for x in eq.q], [f"row {k + 1}" for k in range(len(eq.gamma))]
    found = [
        quantity("qdot", "rates of the coordinates, q̇ = N(q) u", eq.qdot, coordinates),
        quantity("A", "mass matrix", eq.A, speeds, speeds),
        quantity("f", "right-hand side: velocity terms, gravity and applied forces", eq.f, speeds),
    ]
    if len(eq.gamma):
        found += [
            quantity("B", "rows of the loops and constraints, B u̇ = γ", eq.B, rows, speeds),
            quantity("gamma", "right-hand sides of the rows", eq.gamma, rows),
        ]
    return tuple(found)


def _values(eq: WrittenEquations, q: ArrayLike, u: ArrayLike | None, t: float) -> dict[Any, Any]:
    """Every symbol's value at a state given in the mechanism's coordinates and speeds."""
    state = eq.mechanism.state(q, u, t)
    own = eq.method.formulation_speeds(state)
    return eq.mechanism.parameter_values | {
        eq.t: state.t, **dict(zip(eq.q, state.coordinates)), **dict(zip(eq.u, own))
    }  # fmt: skip


def _principle(thing: Any) -> str:
    """What the method's file says of it."""
    module: Any = (
        thing if inspect.ismodule(thing) else inspect.getmodule(thing if inspect.isfunction(thing) else type(thing))
    )
    return inspect.cleandoc(module.__doc__ or "")
