"""Expressions and whole computations in LaTeX (amsmath)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dalembert.trace import ops
from dalembert.trace.canonical import canonical
from dalembert.trace.expr import Expr, tracing
from dalembert.trace.text.intermediates import Naming, expanded_length, program
from dalembert.trace.text.latex_atoms import name_in_latex
from dalembert.trace.text.latex_notation import NOTATION
from dalembert.trace.text.notation import Write
from dalembert.trace.text.routine import as_scalars

WHOLE = 300
"""An expression of about this many characters is written as one, however often its parts occur in it."""

ROW = 160
"""Longest row of a matrix, in characters; a matrix with longer ones is given element by element."""


def latex(e: Any) -> str:
    """One expression: in a single formula where it is short, else as lines of named intermediates with it as the last."""
    with tracing():
        e = canonical(e)
    steps = program(e)
    names = {s: name_in_latex(s.name) for s in steps.inputs}
    if expanded_length(e) <= WHOLE:
        return NOTATION.writer(names)(e).text
    return _block([*_assigned(steps.assignments, names), f"& {NOTATION.writer(names)(e).text}"], "aligned")


def latex_program(outputs: Mapping[str, Any], environment: str = "aligned", naming: Naming = program) -> str:
    """Aligned lines: the named intermediates in evaluation order, then every output, arrays as matrices where they fit."""
    with tracing():
        results = dict(zip(outputs, canonical([as_scalars(values) for values in outputs.values()])))
    steps = naming(list(results.values()), results)
    names = {s: name_in_latex(s.name) for s in steps.inputs}
    lines = list(_assigned(steps.assignments, names))
    for name, values in results.items():
        lines += _output(name_in_latex(name), values, NOTATION.writer(names))
    return _block(lines, environment)


def _assigned(assignments: tuple[tuple[str, Expr], ...], names: dict[Expr, str]) -> Iterator[str]:
    """A line for every intermediate, whose LaTeX name joins `names` on the way."""
    write = NOTATION.writer(names)
    for name, e in assignments:
        text = NOTATION.define(e, write).text
        names[e] = name_in_latex(name)
        relation = r"\Leftrightarrow" if e.op in ops.BOOLEAN else "="
        yield f"{names[e]} &{relation} {text}"


def _output(name: str, values: np.ndarray, write: Write) -> list[str]:
    if values.size == 0:
        shape = r" \times ".join(map(str, values.shape))
        return [rf"{name} &= [\;]_{{{shape}}}"]
    texts = np.vectorize(lambda x: write(x).text, otypes=[object])(values)
    if values.ndim == 0:
        return [f"{name} &= {texts}"]
    table = texts.reshape(len(texts), -1)
    if values.ndim <= 2 and max(sum(map(len, row)) for row in table) <= ROW:
        return [f"{name} &= {_matrix(table)}"]
    place = f"[{name}]" if "_" in name else name
    return [f"{place}_{{{','.join(str(k + 1) for k in index)}}} &= {text}" for index, text in np.ndenumerate(texts)]


def _matrix(table: np.ndarray) -> str:
    rows = [" & ".join(row) for row in table]
    body = (" \\\\ " if sum(map(len, rows)) <= ROW else " \\\\\n").join(rows)
    return rf"\left[\begin{{array}}{{{'c' * table.shape[1]}}} {body} \end{{array}}\right]"


def _block(lines: list[str], environment: str) -> str:
    return "\n".join([rf"\begin{{{environment}}}", " \\\\\n".join(lines), rf"\end{{{environment}}}"])
