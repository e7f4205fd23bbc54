"""Writing a model for elsewhere into files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dalembert.aliases import FilePath
from dalembert.arguments import file_path
from dalembert.atomic import write_whole
from dalembert.errors import ArgumentError
from dalembert.exporters.c_library import CLibrary
from dalembert.exporters.exported_model import ExportedModel
from dalembert.exporters.fmu.archive import Fmu
from dalembert.exporters.fmu.compile_c import platforms_named
from dalembert.motion.motion import Motion
from dalembert.trace.text.routine import is_safe, safe_identifiers


def exported_name(motion: Motion, name: str | None = None) -> str:
    """The name of a model in C: the mechanism's own, or the nearest that C can say."""
    if name is None:
        return next(
            iter(safe_identifiers([str(motion.record["model"]).lower().replace(" ", "_").replace("-", "_")]).values())
        )
    if not is_safe(name):
        raise ArgumentError(
            f'export: "{name}" cannot be a name in C; use letters, digits and underscores, a letter first'
        )
    return name


def export_c(
    motion: Motion, folder: FilePath, name: str | None = None, reactions: Sequence[str] | None = None
) -> list[Path]:
    """Write the mechanism of a motion as a C99 library: NAME.h, NAME.c, test_NAME.c and CMakeLists.txt; returns their paths.

    It marches as the motion was marched, from the same start. `reactions` names joints whose reactions are among its outputs.
    """
    name = exported_name(motion, name)
    library = CLibrary(ExportedModel(motion, tuple(reactions or ())), name)
    into = file_path(folder, "export_c")
    made = {
        f"{name}.h": library.header,
        f"{name}.c": library.source,
        f"test_{name}.c": library.test,
        "CMakeLists.txt": library.cmake,
    }
    into.mkdir(parents=True, exist_ok=True)
    for file, text in made.items():
        write_whole(into / file, text.encode(), "C library")
    return [into / file for file in made]


def export_fmu(
    motion: Motion,
    path: FilePath,
    version: str = "3.0",
    name: str | None = None,
    reactions: Sequence[str] | None = None,
    platforms: Sequence[str] | None = None,
) -> Path:
    """Write the mechanism of a motion as an FMU for co-simulation and model exchange; returns its path.

    `platforms` names machines, "x86_64-linux", "x86_64-windows", …, or "all"; without it, this one; an empty list leaves binaries out,
    and whoever takes the FMU compiles its sources.
    """
    name = exported_name(motion, name)
    to = file_path(path, "export_fmu")
    fmu = Fmu(CLibrary(ExportedModel(motion, tuple(reactions or ()), differentiated=True), name), version)
    write_whole(to, fmu.archive(platforms_named(platforms)), "FMU")
    return to
