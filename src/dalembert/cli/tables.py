"""Tables of numbers with names and units, as files of comma-separated values."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer


def check_endings(paths: Sequence[Path], known: Sequence[str]) -> None:
    """Before anything is computed."""
    for path in paths:
        if path.suffix.lower() not in known:
            raise typer.BadParameter(f"{path}: its name must end in {' or '.join(known)}", param_hint="--output")


def write_table(path: Path, columns: Mapping[str, Any], units: Mapping[str, str], what: str = "table") -> None:
    """A column for each name, "name [unit]" above it, every number exact."""
    from dalembert.files.atomic import write_whole

    text = io.StringIO()
    text.write(",".join(_head(name, units.get(name, "")) for name in columns) + "\n")
    for row in zip(*(list(map(float, column)) for column in columns.values())):
        text.write(",".join(map(repr, row)) + "\n")
    write_whole(path, text.getvalue().encode(), what)


def _head(name: str, unit: str) -> str:
    said = f"{name} [{unit}]" if unit and unit != "1" else name
    return '"' + said.replace('"', '""') + '"'
