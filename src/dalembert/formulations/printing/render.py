"""Written equations for people: plain text, LaTeX and SymPy, collected as mass matrix, velocity terms, gravity, forces, constraints.

Where the collected form is short it is written out; else shared values get names, in whichever form takes fewer operations.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.optional import optional
from dalembert.trace import count_operations, substitute, tracing
from dalembert.trace.collect import collected
from dalembert.trace.text import latex_program, plain_text, to_sympy
from dalembert.trace.text.intermediates import Intermediates, Naming, expanded_length, program, whole
from dalembert.trace.text.latex_atoms import name_in_latex

if TYPE_CHECKING:
    from dalembert.formulations.printing.written_equations import WrittenEquations

MOST_OPERATIONS = 1000
"""Beyond as many operations the collected form is not tried."""
LONGEST, LONGEST_RATE = 500, 1000
"""Characters of an element that is still written out; rates of coordinates, which are read less, may be longer."""
SMALL_MATRIX, SHORT_ELEMENT = 6, 30
"""Rows of a mass matrix, and characters of its elements, that are set as a matrix in LaTeX."""

HEADINGS = {
    "qdot": "rates of the coordinates",
    "A": "mass matrix, symmetric, where it is not 0",
    "f_velocity": "velocity terms",
    "f_gravity": "gravity",
    "f_applied": "applied forces",
    "B": "constraints, where they are not 0",
    "gamma": "constraint accelerations",
}


def sections(eq: WrittenEquations) -> tuple[dict[str, np.ndarray], Naming]:
    """What there is to read, by the names of HEADINGS, and whether intermediates are named in it."""
    found = {
        "qdot": eq.qdot,
        "A": eq.A,
        "f_velocity": eq.velocity_terms,
        "f_gravity": eq.gravity,
        "f_applied": eq.applied,
    }
    found = {name: x for name, x in found.items() if name in ("qdot", "A") or _present(x)}
    found |= {"B": eq.B, "gamma": eq.gamma} if len(eq.gamma) else {}
    with tracing():  # traced one by one, they share nothing yet
        found = dict(zip(found, substitute(list(found.values()), {})))
    if eq.operations.total > MOST_OPERATIONS:
        return found, program
    with tracing():
        short = collected(list(found.values()))
    if short is None:
        return found, program
    longest = {name: max(map(expanded_length, part.ravel()), default=0) for name, part in zip(found, short)}
    if all(length <= LONGEST for name, length in longest.items() if name != "qdot"):
        rates = _fewer(short[0], found["qdot"]) if longest["qdot"] > LONGEST_RATE else short[0]
        return dict(zip(found, short)) | {"qdot": rates}, whole if rates is short[0] else rates_named
    shorter = count_operations(short).total < count_operations(list(found.values())).total
    return dict(zip(found, short)) if shorter else found, program


def rates_named(outputs: Any, taken: Collection[str] = ()) -> Intermediates:
    """Names for what the rates of coordinates are made of, where all the rest is short; one program where it must be in one piece."""
    return program(outputs, taken)


def _fewer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A copy of that which takes fewer operations."""
    return np.array(min((a, b), key=lambda x: count_operations(x).total))


def _present(values: np.ndarray) -> bool:
    return any(not _zero(x) for x in values)


def _zero(x: Any) -> bool:
    return isinstance(x, (int, float)) and x == 0.0


def balance(eq: WrittenEquations, found: dict[str, np.ndarray]) -> tuple[str, list[str]]:
    """Left-hand side in letters, and the names of the parts of f that are there."""
    return "A du/dt" + (" + B^T lambda" if len(eq.gamma) else ""), [n for n in found if n.startswith("f_")] or ["0"]


def text(eq: WrittenEquations) -> str:
    found, naming = sections(eq)
    names = [w.name for w in eq.u]
    rows = [f"row {k + 1}" for k in range(len(eq.gamma))]
    labels = {"qdot": [x.name for x in eq.q], "B": rows, "gamma": rows}
    lines: dict[str, Any] = {}
    count: dict[str, int] = {}
    for name, values in found.items():
        half = name == "A" and _symmetric(eq, values)
        made = dict(_elements(name, values, labels.get(name, names), names, half))
        lines |= made
        count[name] = len(made)
    if naming is rates_named:
        apart = plain_text(dict(list(lines.items())[: count["qdot"]]), program).splitlines()
        written = apart + plain_text(dict(list(lines.items())[count["qdot"] :]), whole).splitlines()
    else:
        written = plain_text(lines, naming).splitlines()
    first = len(written) - len(lines)
    left, right = balance(eq, found)
    out = [f"{eq.mechanism.name}, {eq.method.title}", f"{left} = {' + '.join(right)}"]
    out += [f"to first degree in {', '.join(eq.small.names)}"] if eq.small is not None else []
    out += ["", "with", *(f"  {line}" for line in written[:first])] if first else []
    headings = HEADINGS if _symmetric(eq, found["A"]) else HEADINGS | {"A": "mass matrix, where it is not 0"}
    for name in found:
        out += ["", headings[name], *(f"  {line}" for line in written[first : first + count[name]])]
        first += count[name]
    return "\n".join(out)


def _elements(name: str, values: np.ndarray, rows: list[str], columns: list[str], half: bool) -> list[tuple[str, Any]]:
    if name == "qdot":
        return [(f"d/dt {row}", x) for row, x in zip(rows, values)]
    if values.ndim == 1:
        return [(f"{name}[{row}]", x) for row, x in zip(rows, values)]
    return [
        (f"{name}[{row}, {column}]", values[i, j])
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
        if (j <= i or not half) and not _zero(values[i, j])
    ]


def _symmetric(eq: WrittenEquations, A: np.ndarray) -> bool:
    """Whether A is, as that of all exact equations; of partly linear ones, where both sides of the diagonal are the same expression."""
    pairs = zip(A.ravel(), A.T.ravel())
    return eq.small is None or all(a is b or (isinstance(a, (int, float)) and a == b) for a, b in pairs)


def latex(eq: WrittenEquations) -> str:
    found, naming = sections(eq)
    left = r"A \dot{u}" + (r" + B^{T} \lambda" if len(eq.gamma) else "")
    right = " + ".join(name_in_latex(name) for name in balance(eq, found)[1])
    head, body = latex_program(_halved(found, _symmetric(eq, found["A"])), naming=naming).split("\n", 1)
    speeds = r", \quad u = " + _column([name_in_latex(w.name) for w in eq.u]) if len(eq.u) else ""
    same = r", \quad A = A^{T}" if _symmetric(eq, found["A"]) else ""
    return "\n".join([head, rf"{left} &= {right}{same}{speeds} \\", body])


def _halved(found: dict[str, np.ndarray], half: bool) -> dict[str, Any]:
    """A large or long A as its elements that are not 0, of a symmetric one those of the lower half."""
    A = found["A"]
    if len(A) <= SMALL_MATRIX and max(map(expanded_length, A.ravel()), default=0) <= SHORT_ELEMENT:
        return found
    lower = [(i, j) for i in range(len(A)) for j in range(i + 1 if half else len(A)) if not _zero(A[i, j])]
    elements = {f"A_{i + 1},{j + 1}": A[i, j] for i, j in lower}
    return {"qdot": found["qdot"], **elements, **{name: x for name, x in found.items() if name not in ("qdot", "A")}}


def _column(names: list[str]) -> str:
    return r"\left[\begin{array}{c} " + r" \\ ".join(names) + r" \end{array}\right]"


def in_sympy(eq: WrittenEquations) -> tuple[list[tuple[Any, Any]], dict[str, Any]]:
    sympy = optional("sympy", "writing equations in SymPy", TraceError)
    found, naming = sections(eq)
    replacements, values = to_sympy(list(found.values()), naming)
    return replacements, {name: sympy.Matrix(x) for name, x in zip(found, values)}
