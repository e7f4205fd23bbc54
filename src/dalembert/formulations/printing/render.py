"""Written equations for people: plain text, LaTeX and SymPy, collected as mass matrix, velocity terms, gravity, forces, constraints.

What is 0 is left out, and so is a mass matrix that is 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.formulations.printing.element_tables import element_lines, is_zero, latex_block, latex_lines
from dalembert.formulations.printing.in_print import rows_on_rates
from dalembert.formulations.printing.readable import Algebra, Readable, Texts, readable
from dalembert.optional import optional
from dalembert.trace.text import to_sympy
from dalembert.trace.text.intermediates import program, whole
from dalembert.trace.text.latex_atoms import name_in_latex
from dalembert.trace.text.latex_notation import NOTATION

if TYPE_CHECKING:
    from dalembert.formulations.printing.written_equations import WrittenEquations

HEADINGS = {
    "qdot": "rates of the coordinates",
    "A": "mass matrix, symmetric, where it is not 0",
    "f_velocity": "velocity terms, where they are not 0",
    "f_gravity": "gravity, where it is not 0",
    "f_applied": "applied forces, where they are not 0",
    "B": "constraints, where they are not 0",
    "gamma": "constraint accelerations, where they are not 0",
    "zdot": "rates of the states of elements",
}
SMALL_MATRIX, SHORT_ELEMENT = 6, 60
"""Rows of a mass matrix, and characters of its elements in LaTeX, that are set as a matrix."""


def sections(eq: WrittenEquations) -> Readable:
    """What there is to read, by the names of HEADINGS."""
    found = {
        "qdot": eq.qdot,
        "A": eq.A,
        "f_velocity": eq.velocity_terms,
        "f_gravity": eq.gravity,
        "f_applied": eq.applied,
    }
    found = {name: x for name, x in found.items() if name in ("qdot", "A") or _present(x)}
    found |= {"B": eq.B, "gamma": eq.gamma} if len(eq.gamma) else {}
    found |= {"zdot": eq.zdot} if len(eq.zdot) else {}
    if eq.symmetric:
        found["A"] = np.tril(eq.A)
    return readable(found, Algebra.of(eq.mechanism, eq.u), found)


def _present(values: np.ndarray) -> bool:
    return any(not is_zero(x) for x in values)


def _is_one(A: np.ndarray) -> bool:
    return all(isinstance(x, (int, float)) and x == (i == j) for (i, j), x in np.ndenumerate(A))


def sides(eq: WrittenEquations, found: dict[str, np.ndarray]) -> tuple[str, list[str]]:
    """Left-hand side in letters, and the names of the parts of f that are there."""
    left = ("" if _is_one(eq.A) else "A ") + "du/dt" + (" + B^T lambda" if len(eq.gamma) else "")
    return left, [n for n, x in found.items() if n.startswith("f_") and any(t != "0" for t in x)] or ["0"]


def text(eq: WrittenEquations) -> str:
    written = eq.sections.plain
    left, right = sides(eq, written.tables)
    out = [f"{eq.mechanism.name}, {eq.method.title}", f"{left} = {' + '.join(right)}"]
    if len(eq.gamma):
        rates, known = ("dq/dt", "b") if rows_on_rates(eq.method) else ("du/dt", "gamma")
        out.append(f"B {rates} = {known if _shown(eq, written, 'gamma') else '0'}")
    out += [f"to first degree in {', '.join(eq.small.names)}"] if eq.small is not None else []
    if written.assigned:
        out += ["", "with", *(f"  {name} = {value}" for name, value in written.assigned)]
    for name in written.tables:
        lines = _shown(eq, written, name)
        heading = HEADINGS[name] if name != "A" or eq.symmetric else "mass matrix, where it is not 0"
        if name == "gamma" and rows_on_rates(eq.method):
            heading = "what prescribed motion adds to the constraints"
        out += ["", heading, *(f"  {line}" for line in lines)] if lines else []
    return "\n".join(out)


def _shown(eq: WrittenEquations, written: Texts, name: str) -> list[str]:
    """The lines of a section; none where there is nothing to say."""
    names, rows = [w.name for w in eq.u], [f"row {k + 1}" for k in range(len(eq.gamma))]
    table = written.tables[name]
    if name == "qdot":
        return [f"d/dt {q} = {t}" for q, t in _rates(eq, table)]
    if name == "zdot":
        return [f"d/dt {state} = {t}" for state, t in zip(eq.mechanism.states, table)]
    if name == "A" and _is_one(eq.A):
        return []
    on_rates = rows_on_rates(eq.method)
    columns = [x.name for x in eq.q] if name == "B" and on_rates else names
    labels = (rows if name in ("B", "gamma") else names, columns)
    return element_lines("b" if name == "gamma" and on_rates else name, table, labels)


def _rates(eq: WrittenEquations, table: np.ndarray) -> list[tuple[str, str]]:
    """Coordinates with the texts of their rates; in one line where each rate is a speed by itself."""
    if len(eq.q) > 1 and len(eq.q) == len(eq.u) and all(x is w for x, w in zip(eq.qdot, eq.u)):
        return [("q", eq.u[0].name.partition("_")[0])]
    return [(x.name, t) for x, t in zip(eq.q, table)]


def latex(eq: WrittenEquations) -> str:
    written = eq.sections.texts(NOTATION, name_in_latex)
    left = ("" if _is_one(eq.A) else "A ") + r"\dot{u}" + (r" + B^{T} \lambda" if len(eq.gamma) else "")
    right = " + ".join(name_in_latex(name) for name in sides(eq, written.tables)[1])
    speeds = r", \quad u = " + _column([name_in_latex(w.name) for w in eq.u]) if len(eq.u) else ""
    symmetric = "" if _is_one(eq.A) or not eq.symmetric else r", \quad A = A^{T}"
    lines = [f"{left} &= {right}{symmetric}{speeds}", *(f"{name} &= {value}" for name, value in written.assigned)]
    for name, table in written.tables.items():
        if name == "A":
            lines += [] if _is_one(eq.A) else _mass_matrix(table, eq.symmetric)
        elif name == "gamma" and all(t == "0" for t in table):
            lines.append(r"B \dot{q} &= 0" if rows_on_rates(eq.method) else r"\gamma &= 0")
        else:
            lines += latex_lines("b" if name == "gamma" and rows_on_rates(eq.method) else name, table)
    return latex_block(lines)


def _mass_matrix(lower: np.ndarray, symmetric: bool) -> list[str]:
    """A small one as a matrix, a large one as its elements, of a symmetric one those of the lower half."""
    whole_one = np.where(np.tri(len(lower), dtype=bool), lower, lower.T) if symmetric else lower
    if len(lower) <= SMALL_MATRIX and max(map(len, lower.ravel()), default=0) <= SHORT_ELEMENT:
        return latex_lines("A", whole_one)
    return [f"A_{{{i + 1},{j + 1}}} &= {t}" for (i, j), t in np.ndenumerate(lower) if t != "0"]


def _column(names: list[str]) -> str:
    return r"\left[\begin{array}{c} " + r" \\ ".join(names) + r" \end{array}\right]"


def in_sympy(eq: WrittenEquations) -> tuple[list[tuple[Any, Any]], dict[str, Any]]:
    sympy = optional("sympy", "writing equations in SymPy", TraceError)
    found = eq.sections
    values = found.values
    if eq.symmetric:
        values["A"] = np.where(np.tri(len(eq.A), dtype=bool), values["A"], values["A"].T)
    named = any(x.any() for x in found.is_long.values())
    replacements, made = to_sympy(list(values.values()), program if named else whole)
    return replacements, {name: sympy.Matrix(x) for name, x in zip(values, made)}
