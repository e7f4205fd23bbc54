"""Tables and lists of elements, in plain text and in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.trace.text.latex_atoms import name_in_latex

LATEX_LINE = 220
"""Characters of a row of a matrix in LaTeX."""
NOTHING = ("0", "0.0", "-0", "-0.0")
"""Texts of what is zero."""


def is_zero(x: Any) -> bool:
    """Whether an expression or number is zero for good."""
    return isinstance(x, (int, float)) and x == 0.0


def element_lines(name: str, table: np.ndarray, labels: Sequence[Sequence[str]]) -> list[str]:
    """A line for every element that is not 0."""
    return [
        f"{name}[{', '.join(_place(index, labels))}] = {t}" for index, t in np.ndenumerate(table) if t not in NOTHING
    ]


def _place(index: tuple[int, ...], labels: Sequence[Sequence[str]]) -> list[str]:
    return [labels[k][i] if k < len(labels) and labels[k] else str(i + 1) for k, i in enumerate(index)]


def latex_lines(name: str, table: np.ndarray) -> list[str]:
    """A matrix where its rows fit into a line, else its elements that are not 0."""
    letter = name_in_latex(name)
    if not table.size:
        shape = r" \times ".join(map(str, table.shape))
        return [rf"{letter} &= [\;]_{{{shape}}}"]
    if table.ndim == 0:
        return [f"{letter} &= {table}"]
    rows = table.reshape(len(table), -1)
    if max(sum(len(t) + 3 for t in row) for row in rows) <= LATEX_LINE:
        body = r" \\ ".join(" & ".join(row) for row in rows)
        return [rf"{letter} &= \left[\begin{{array}}{{{'c' * rows.shape[1]}}} {body} \end{{array}}\right]"]
    place = f"[{letter}]" if "_" in letter else letter
    found = [
        f"{place}_{{{','.join(str(i + 1) for i in index)}}} &= {t}" for index, t in np.ndenumerate(table) if t != "0"
    ]
    return found or [f"{letter} &= 0"]


def latex_block(lines: Sequence[str]) -> str:
    """Aligned lines."""
    return "\n".join([r"\begin{aligned}", " \\\\\n".join(lines), r"\end{aligned}"])
