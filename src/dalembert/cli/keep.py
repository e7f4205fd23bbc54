"""Keeping a motion in the format a file's name asks for."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer

if TYPE_CHECKING:
    from dalembert.simulation.motion import Motion


def check_endings(paths: Sequence[Path]) -> None:
    """Before anything is computed."""
    for path in paths:
        if path.suffix.lower() not in FORMATS:
            known = ", ".join(FORMATS)
            raise typer.BadParameter(f"{path}: its name must end in one of {known}", param_hint="--output")


def keep(motion: Motion, path: Path) -> None:
    FORMATS[path.suffix.lower()](motion, path)


def _netcdf(motion: Motion, path: Path) -> None:
    motion.save(path)


def _page(motion: Motion, path: Path) -> None:
    motion.page(path)


def _csv(motion: Motion, path: Path) -> None:
    """Time, coordinates, speeds, the model's outputs and energies, every number exact."""
    from dalembert.files.atomic import write_whole

    columns = {"t": motion.t} | {c: motion[c] for c in motion.coordinates}
    columns |= {f"{c}'": motion[f"{c}'"] for c in motion.speeds}
    for name, values in motion.outputs().items():
        parts = [""] if values.ndim == 1 else [".x", ".y", ".z"]
        columns |= {f"{name}{part}": row for part, row in zip(parts, np.atleast_2d(values.T))}
    energy = motion.energy()
    columns |= {"kinetic": energy.kinetic, "potential": energy.potential}
    text = io.StringIO()
    text.write(",".join(f'"{name}"' for name in columns) + "\n")
    for row in zip(*(column.tolist() for column in columns.values())):
        text.write(",".join(map(repr, row)) + "\n")
    write_whole(path, text.getvalue().encode(), "motion")


FORMATS: dict[str, Callable[[Motion, Path], None]] = {".nc": _netcdf, ".csv": _csv, ".html": _page}
