"""Keeping a motion in the format a file's name asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dalembert.cli.tables import write_table

if TYPE_CHECKING:
    from dalembert.simulation.motion import Motion


def keep(motion: Motion, path: Path) -> None:
    FORMATS[path.suffix.lower()](motion, path)


def _netcdf(motion: Motion, path: Path) -> None:
    motion.save(path)


def _page(motion: Motion, path: Path) -> None:
    motion.page(path)


def _csv(motion: Motion, path: Path) -> None:
    """Time, coordinates, speeds, the model's outputs and energies."""
    columns, units = motion_columns(motion)
    energy = motion.energy()
    columns |= {"kinetic": energy.kinetic, "potential": energy.potential}
    write_table(path, columns, units | {"kinetic": "J", "potential": "J"}, "motion")


def motion_columns(motion: Motion) -> tuple[dict[str, Any], dict[str, str]]:
    """Columns by name, and their units."""
    columns = {"t": motion.t} | {c: motion[c] for c in motion.coordinates}
    columns |= {f"{c}'": motion[f"{c}'"] for c in motion.speeds}
    units = {"t": "s", **dict(zip(motion.coordinates, motion.coordinate_units))}
    units |= {f"{c}'": unit for c, unit in zip(motion.speeds, motion.speed_units)}
    named = motion.samples.mechanism.plan.outputs
    for name, values in motion.outputs().items():
        parts = {name: values} if values.ndim == 1 else {f"{name}.{c}": row for c, row in zip("xyz", values.T)}
        columns |= parts
        units |= dict.fromkeys(parts, named[name].unit)
    return columns, units


FORMATS: dict[str, Callable[[Motion, Path], None]] = {".nc": _netcdf, ".csv": _csv, ".html": _page}
