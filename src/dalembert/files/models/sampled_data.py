"""Sampled data between model files and `da.Table`."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.files.models.layout import Sampled
from dalembert.files.models.records import fields_of, write_fields
from dalembert.parts.data_file import DataFile
from dalembert.trace.table import Table


def table_of(
    times: list[float] | None = None,
    values: Any = None,
    file: DataFile | None = None,
    kind: str = "cubic",
    outside: str = "nan",
) -> Table:
    """A table from what a model file says."""
    if (file is None) == (times is None or values is None) or (file is not None and (times or values)):
        raise ModelError("a table needs either times and values, or a file")
    if file is not None:
        made = Table.read(file.path, kind, outside)
        made.file = file
        return made
    assert times is not None
    if not isinstance(values, dict):
        return Table(times, values, kind, outside)
    for name, column in values.items():
        if len(column) != len(times or ()):
            raise ModelError(f"column {name!r} has {len(column)} values for {len(times or ())} times")
    return Table(times, np.array(list(values.values())).T, kind, outside, names=tuple(values))


def said_of(table: Table, where: str) -> dict[str, Any]:
    """What a model file says of a table."""
    said = Sampled(kind=table.kind, outside=table.outside)  # type: ignore[arg-type]
    if table.file is not None:
        said.file = table.file
    else:
        said.times = table.times.tolist()
        said.values = (
            table.values.tolist()
            if table.values.ndim == 1
            else {n: column.tolist() for n, column in zip(table.names, table.values.T)}
        )
    return write_fields(said, fields_of(Sampled), where)
