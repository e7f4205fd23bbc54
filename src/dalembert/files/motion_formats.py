"""The formats a motion can be kept in, by the ending of the file's name: one list for Python and the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.tables import Columns, check_ending, write_table

if TYPE_CHECKING:
    from dalembert.motion.motion import Motion


def save(motion: Motion, path: str | Path) -> None:
    """Write the file in the format its name asks for."""
    FORMATS[check_ending(path, FORMATS, "motion")](motion, Path(path))


def _netcdf(motion: Motion, path: Path) -> None:
    from dalembert.files.motion_file import save

    save(motion, path)


def _page(motion: Motion, path: Path) -> None:
    motion.page(path)


def _csv(motion: Motion, path: Path) -> None:
    write_table(path, motion_columns(motion), "motion")


def motion_columns(motion: Motion) -> Columns:
    """Time, coordinates, speeds, and, where the mechanism is known, the model's outputs, energies and laws."""
    made = Columns()
    made.add("time", "t", motion.t, "s")
    for name, unit in zip(motion.coordinates, motion.coordinate_units):
        made.add("coordinate", name, motion[name], unit)
    for name, unit in zip(motion.speeds, motion.speed_units):
        made.add("speed", f"{name}'", motion[f"{name}'"], unit)
    for name, unit in zip(motion.states, motion.state_units):
        made.add("state", name, motion[name], unit)
    m = motion.mechanism
    if m is None:
        return made
    for name, values in motion.outputs().items():
        unit = m.plan.outputs[name].unit
        if values.ndim == 1:
            made.add("output", name, values, unit)
            continue
        parts = "xyz" if values.shape[1] == 3 else [str(i + 1) for i in range(values.shape[1])]
        for part, row in zip(parts, values.T):
            made.add("output", f"{name}.{part}", row, unit)
    energy = motion.energy()
    made.add("energy", "kinetic", energy.kinetic, "J")
    made.add("energy", "potential", energy.potential, "J")
    _add_laws(made, motion)
    return made


def _add_laws(made: Columns, motion: Motion) -> None:
    """Forces, gaps and losses of every law, numbered where it has several; states of its elements as 0 off, 1 open, 2 slips, 3 sticks,
    4 engaged, 5 closed."""
    h = motion.history
    if h is None:
        return
    for name in motion.contacts:
        x = motion.contacts[name]
        for word, values in (("normal", x.normal), ("friction", x.friction), ("hold", x.hold), ("gap", x.gap)):
            for k, column in enumerate(values.T, start=1):
                made.add("law", f"{name}.{word}{k if values.shape[1] > 1 else ''}", column)
        made.add("law", f"{name}.loss", x.loss, "J")
    for k, element in enumerate(h.elements):
        made.add("law", f"{element}.state", h.state[:, k])


def _gltf(motion: Motion, path: Path) -> None:
    motion.gltf(path)


def _mcap(motion: Motion, path: Path) -> None:
    from dalembert.files.mcap_file import write_mcap

    write_mcap(motion, path)


FORMATS: dict[str, Callable[[Motion, Path], None]] = {
    ".nc": _netcdf, ".csv": _csv, ".html": _page, ".glb": _gltf, ".mcap": _mcap,
}  # fmt: skip
