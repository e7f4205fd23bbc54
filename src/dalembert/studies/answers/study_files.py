"""The formats a study's answers can be kept in, by the ending of the file's name."""

from __future__ import annotations

import io
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.atomic import write_whole
from dalembert.errors import FileError
from dalembert.optional import optional
from dalembert.tables import Columns, check_ending, write_table

if TYPE_CHECKING:
    from dalembert.studies.answers.study_result import StudyResult


def save(result: StudyResult, path: Path) -> None:
    """Write the file in the format its name asks for."""
    FORMATS[check_ending(path, FORMATS, "study")](result, path)


def _netcdf(result: StudyResult, path: Path) -> None:
    from dalembert.files.sealed_netcdf import sealed

    content = io.BytesIO()
    data = result.to_xarray()
    data = data.rename({name: name.replace("/", "∕") for name in map(str, data.variables) if "/" in name})
    data.to_netcdf(content, engine="h5netcdf")
    write_whole(path, sealed(content.getvalue()), "study")


def _zarr(result: StudyResult, path: Path) -> None:
    optional("zarr", "a study in a .zarr group", FileError)
    if path.exists():
        raise FileError(f"study: {path} is there already; name another, or remove it first")
    beside = path.parent / f".{uuid.uuid4().hex}.part"
    try:
        result.to_xarray().to_zarr(beside)
        beside.rename(path)
    except OSError as problem:
        shutil.rmtree(beside, ignore_errors=True)
        raise FileError(f"study: {path} could not be written: {problem}; nothing was left behind") from problem


def _csv(result: StudyResult, path: Path) -> None:
    made = Columns()
    for name, values in result.numeric_columns().items():
        kind = "input" if name in result.input_names else "run" if name == "run" else "output"
        made.add(kind, name, values, "" if kind == "run" else result.unit_of(name))
    made.add("run", "failed", result.failed)
    write_table(path, made, "study")


def _page(result: StudyResult, path: Path) -> None:
    from dalembert.studies.answers.study_page import write_study_page

    write_study_page(result, path)


FORMATS: dict[str, Callable[[StudyResult, Path], None]] = {".nc": _netcdf, ".zarr": _zarr, ".csv": _csv, ".html": _page}
