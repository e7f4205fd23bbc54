"""Tables of numbers with names and units, as files of comma-separated values."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dalembert.atomic import write_whole
from dalembert.errors import FileError, FileWarning

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How a cell begins that a spreadsheet would compute instead of showing it."""


@dataclass(eq=False)
class Columns:
    """Columns of different kinds, no two of one name: the first keeps it, a later one says in parentheses what kind it is."""

    values: dict[str, Any] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    renamed: list[str] = field(default_factory=list)

    def add(self, kind: str, name: str, column: Any, unit: str = "") -> None:
        title, k = name, 1
        while title in self.values:
            title, k = f"{name} ({kind})" if k == 1 else f"{name} ({kind} {k})", k + 1
        if title != name:
            self.renamed.append(f'{kind} "{name}" is the column "{title}"')
        self.values[title], self.units[title] = column, unit


def write_table(path: str | Path, columns: Columns, what: str = "table") -> None:
    """A column for each name, "name [unit]" above it, every number exact; with a warning about names that were taken."""
    if columns.renamed:
        words = "; ".join(columns.renamed)
        warnings.warn(f'"{path}": {words}, because another column has that name already', FileWarning, stacklevel=3)
    text = io.StringIO()
    text.write(",".join(_head(name, columns.units[name]) for name in columns.values) + "\n")
    for row in zip(*(list(map(float, column)) for column in columns.values.values())):
        text.write(",".join(map(repr, row)) + "\n")
    write_whole(path, text.getvalue().encode(errors="backslashreplace"), what)


def check_ending(path: str | Path, known: Iterable[str], what: str) -> str:
    """The ending of a file's name, which says what is written into it."""
    ending, endings = Path(path).suffix.lower(), tuple(known)
    if ending not in endings:
        raise FileError(f'{what} "{path}": the name of the file must end in {" or ".join(endings)}')
    return ending


def _head(name: str, unit: str) -> str:
    said = f"{name} [{unit}]" if unit and unit != "1" else name
    if said.startswith(FORMULAS):
        said = f"'{said}"
    return '"' + said.replace('"', '""') + '"'  # always: what separates cells depends on who opens the table
