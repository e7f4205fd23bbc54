"""The files that a command writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from dalembert.errors import FileError
from dalembert.tables import check_ending


def check_endings(paths: Sequence[Path], known: Sequence[str]) -> None:
    """Before anything is computed."""
    for path in paths:
        try:
            check_ending(path, known, "output")
        except FileError as problem:
            raise typer.BadParameter(str(problem), param_hint="--output") from None
