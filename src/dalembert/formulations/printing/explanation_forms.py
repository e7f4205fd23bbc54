"""An explanation as plain text, LaTeX and HTML.

A matrix is set as a table where its rows fit into a line, else element by element, those that are 0 left out. Long expressions share
named intermediates, which come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.formulations.printing.element_tables import element_lines, latex_block, latex_lines
from dalembert.formulations.printing.quantity import Quantity
from dalembert.formulations.printing.readable import readable
from dalembert.trace.text.latex_atoms import name_in_latex
from dalembert.trace.text.latex_notation import NOTATION
from dalembert.trace.text.latex_sentence import sentence_in_latex
from dalembert.trace.text.mathml import mathml
from dalembert.trace.text.notation import Notation
from dalembert.trace.text.plain import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from dalembert.formulations.printing.explanation import Explanation

LINE = 110
"""Characters of a row of a table."""
DIGITS = 6
ROUNDING = 1e-14
"""Part of a matrix's largest number below which another is printed as 0."""

Table = np.ndarray
"""Texts of all elements; "0" where there is nothing."""


def _written(
    x: Explanation, notation: Notation, name: Callable[[str], str]
) -> tuple[list[tuple[str, str]], list[Table]]:
    """Named intermediates, and the texts of every quantity."""
    symbolic = {str(i): each.value for i, each in enumerate(x.quantities) if each.symbolic}
    made = readable(symbolic, x.algebra, list(x)).texts(notation, name)
    numbers = {str(i): _numbers(each.value, notation) for i, each in enumerate(x.quantities) if not each.symbolic}
    return made.assigned, [(made.tables | numbers)[str(i)] for i in range(len(x.quantities))]


def _numbers(values: np.ndarray, notation: Notation) -> Table:
    least = ROUNDING * np.abs(values).max(initial=0.0)
    made = np.empty(values.shape, dtype=object)
    rounded = [0.0 if abs(v) < least else float(f"{v:.{DIGITS}g}") for v in values.ravel()]
    made.ravel()[:] = [f"{v:.{DIGITS}g}" if notation is PLAIN else notation.number(v).text for v in rounded]
    return made


# -- plain text ------------------------------------------------------------------------------------------------------------
def text(x: Explanation) -> str:
    assigned, tables = _written(x, PLAIN, str)
    out = [f"{x.mechanism}, {x.title}", "", *x.principle.splitlines()]
    out += ["", *x.notes] if x.notes else []
    out += ["", "with", *(f"  {name} = {value}" for name, value in assigned)] if assigned else []
    for each, table in zip(x.quantities, tables):
        out += ["", _heading(each), *(f"  {line}" for line in _plain_lines(each, _zeros_short(table)))]
    return "\n".join(out)


def plain_data(x: Explanation) -> dict[str, Any]:
    assigned, tables = _written(x, PLAIN, str)
    found = {
        each.name: {
            "meaning": each.meaning,
            "value": (table if each.symbolic else each.value).tolist(),
            "rows": list(each.rows),
            "columns": list(each.columns),
        }
        for each, table in zip(x.quantities, tables)
    }
    return {"method": x.method, "title": x.title, "principle": x.principle, "with": dict(assigned), "quantities": found}


def _heading(x: Quantity) -> str:
    """The meaning, which often begins with the name."""
    begins = re.match(rf"{re.escape(x.name)}\b", x.meaning) is not None
    return x.meaning if begins else f"{x.name}: {x.meaning}"


def _zeros_short(table: Table) -> Table:
    """Numbers without a point that says nothing."""
    made = np.empty(table.shape, dtype=object)
    made.ravel()[:] = [re.sub(r"^(-?\d+)\.0$", r"\1", t) for t in table.ravel()]
    made[made == "-0"] = "0"
    return made


def _plain_lines(x: Quantity, table: Table) -> list[str]:
    if not table.size:
        return [f"none ({' x '.join(map(str, table.shape))})"]
    if table.ndim == 0:
        return [f"{x.name} = {table}"]
    cells = table.reshape(len(table), -1).tolist()
    if x.columns:
        cells.insert(0, list(x.columns))
    if x.rows:
        cells = [[label, *row] for label, row in zip([*[""] * bool(x.columns), *x.rows], cells)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    if sum(widths) + 2 * len(widths) <= LINE:
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths)) for row in cells]
        return [line.rstrip() for line in lines]
    return element_lines(x.name, table, (x.rows, x.columns)) or ["0"]


# -- LaTeX -----------------------------------------------------------------------------------------------------------------
def latex(x: Explanation) -> str:
    assigned, tables = _written(x, NOTATION, name_in_latex)
    lines = [f"{name} &= {value}" for name, value in assigned]
    for each, table in zip(x.quantities, tables):
        lines += [rf"& {sentence_in_latex(each.meaning)}", *latex_lines(each.name, table)]
    return latex_block(lines)


# -- HTML ------------------------------------------------------------------------------------------------------------------
STYLE = """
.dalembert-mathematics { overflow-x: auto; }
.dalembert-mathematics p { margin: .6em 0 .2em; }
.dalembert-mathematics math { text-align: left; }
.dalembert-mathematics mtable.aligned mtd { padding: .28em .1em; text-align: left; }
.dalembert-mathematics mtable.aligned mtd:first-child { text-align: right; padding-right: 0; }
.dalembert-mathematics mtable.array mtd { padding: .2em .5em; text-align: center; }
.dalembert-mathematics mrow.matrix { border: solid currentColor; border-width: 0 1px; border-radius: 6px; padding: 0 .2em; }
.dalembert-mathematics mtable.cases mtd { padding: .15em .4em; text-align: left; }
"""


def html(x: Explanation) -> str:
    assigned, tables = _written(x, NOTATION, name_in_latex)
    out = [*_paragraphs(x.principle), *(f"<p>{escape(note)}</p>" for note in x.notes)]
    if assigned:
        out += ["<p>with</p>", _block([f"{name} &= {value}" for name, value in assigned])]
    for each, table in zip(x.quantities, tables):
        out += [f"<p>{escape(each.meaning)}</p>", _block(latex_lines(each.name, table))]
    return in_page(f"{x.mechanism}: {x.title}", out)


def in_page(title: str, parts: Iterable[str]) -> str:
    """A piece to stand in a page or a notebook, with the style it needs."""
    head = [f"<style>{STYLE}</style>", '<div class="dalembert-mathematics">', f"<h3>{escape(title)}</h3>"]
    return "\n".join([*head, *parts, "</div>"])


def _block(lines: list[str]) -> str:
    return mathml(latex_block(lines))


def _paragraphs(words: str) -> list[str]:
    return [f"<p>{escape(' '.join(part.split()))}</p>" for part in re.split(r"\n\s*\n", words)]


def page(x: Explanation) -> str:
    """The piece as a whole page."""
    title = escape(f"{x.mechanism}: {x.title}")
    return f'<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n<body>\n{x.html()}\n</body>\n</html>\n'
