"""Where a study's answers are kept: in memory, in NetCDF files of a folder, a file for each block, or in a Zarr group.

A block is there whole or not at all. What a folder holds is checked to be the same study before it is gone on with.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dalembert.atomic import make_folder, write_whole
from dalembert.errors import FileError
from dalembert.limited_read import Unreadable, read_whole
from dalembert.optional import optional
from dalembert.studies.unit_runs import UnitResult

if TYPE_CHECKING:
    from dalembert.studies.study import Study

DESCRIPTION = "study.json"
STORES = ("netcdf", "zarr")


@dataclass(eq=False)
class RunBlock:
    """What is kept of consecutive runs."""

    first: int
    inputs: np.ndarray
    columns: dict[str, np.ndarray]
    failures: dict[int, str] = field(default_factory=dict)
    """Why runs failed, by their numbers in the study."""
    remarks: dict[int, str] = field(default_factory=dict)
    steps: int = 0

    def __len__(self) -> int:
        return len(self.inputs)


def joined(first: int, units: list[UnitResult]) -> RunBlock:
    """Units one after the other; columns that a unit has nothing of are nan there."""
    inputs = np.concatenate([x.inputs for x in units])
    made = RunBlock(first, inputs, {})
    at = 0
    for x in units:
        for name, values in x.columns.items():
            if name not in made.columns:
                made.columns[name] = np.full((len(inputs), *values.shape[1:]), np.nan)
            made.columns[name][at : at + len(x.inputs)] = values
        made.failures |= {first + at + k: why for k, why in x.failures.items()}
        made.remarks |= {first + at + k: why for k, why in x.remarks.items()}
        made.steps += x.steps
        at += len(x.inputs)
    return made


class Store(Protocol):
    """Blocks by number."""

    size: int
    """Runs of a block."""

    def done(self) -> set[int]: ...
    def write(self, k: int, block: RunBlock) -> None: ...
    def blocks(self) -> Iterator[RunBlock]:
        """Those that are there, in their order."""

    def column(self, name: str, rows: int) -> np.ndarray:
        """One column of all runs, nan where there is nothing."""


class InMemory:
    """Everything stays with the process."""

    def __init__(self, size: int):
        self.size = size
        self._kept: dict[int, RunBlock] = {}

    def done(self) -> set[int]:
        return set(self._kept)

    def write(self, k: int, block: RunBlock) -> None:
        self._kept[k] = block

    def blocks(self) -> Iterator[RunBlock]:
        return (self._kept[k] for k in sorted(self._kept))

    def column(self, name: str, rows: int) -> np.ndarray:
        return column_of(self.blocks(), name, rows)


def column_of(blocks: Iterator[RunBlock], name: str, rows: int) -> np.ndarray:
    made: np.ndarray | None = None
    for block in blocks:
        values = block.columns.get(name)
        if values is None:
            continue
        if made is None:
            made = np.full((rows, *values.shape[1:]), np.nan)
        made[block.first : block.first + len(values)] = values
    return np.full(rows, np.nan) if made is None else made


class NetcdfFolder:
    """A sealed NetCDF file for each block."""

    def __init__(self, folder: Path, size: int):
        self.folder, self.size = folder, size
        make_folder(folder / "blocks", "study")
        self._known: tuple[set[int], dict[str, np.ndarray]] = (set(), {})

    def _path(self, k: int) -> Path:
        return self.folder / "blocks" / f"{k:09d}.nc"

    def done(self) -> set[int]:
        return {int(p.stem) for p in (self.folder / "blocks").glob("*.nc")}

    def write(self, k: int, block: RunBlock) -> None:
        import xarray

        from dalembert.files.sealed_netcdf import sealed

        variables = {
            f"column_{i}": (("run", *[f"time_{i}"] * (values.ndim - 1)), values)
            for i, values in enumerate(block.columns.values())
        }
        told = {
            "columns": list(block.columns),
            "failures": block.failures,
            "remarks": block.remarks,
            "steps": block.steps,
        }
        about = {"first": block.first, "told": json.dumps(told)}
        data = xarray.Dataset({"inputs": (("run", "input"), block.inputs), **variables}, attrs=about)
        content = io.BytesIO()
        data.to_netcdf(content, engine="h5netcdf")
        write_whole(self._path(k), sealed(content.getvalue()), "study: block")

    def _read(self, k: int) -> RunBlock:
        from dalembert.files.sealed_netcdf import LARGEST, opened

        path = self._path(k)
        try:
            data = opened(read_whole(path, LARGEST))
        except (OSError, Unreadable, ValueError) as problem:
            raise FileError(
                f"study: block {path} cannot be read: {problem}; remove it, and run the study again to make it anew"
            ) from None
        told = json.loads(data.attrs["told"])
        columns = {name: np.array(data[f"column_{i}"].values) for i, name in enumerate(told["columns"])}
        failures, remarks = ({int(n): why for n, why in told[x].items()} for x in ("failures", "remarks"))
        return RunBlock(
            int(data.attrs["first"]), np.array(data["inputs"].values), columns, failures, remarks, told["steps"]
        )

    def blocks(self) -> Iterator[RunBlock]:
        return (self._read(k) for k in sorted(self.done()))

    def column(self, name: str, rows: int) -> np.ndarray:
        if self._known[0] != self.done():  # a file for each block: all columns are read in one pass
            names = dict.fromkeys(name for block in self.blocks() for name in block.columns)
            every = list(self.blocks())
            self._known = self.done(), {x: column_of(iter(every), x, rows) for x in names}
        return self._known[1].get(name, np.full(rows, np.nan))


class ZarrFolder:
    """An array for each column, a chunk for each block; a block counts once what is told of it is there, which is written last."""

    def __init__(self, folder: Path, size: int, runs: int):
        self._zarr = optional("zarr", 'store="zarr"')
        self.folder, self.size, self.runs = folder, size, runs
        make_folder(folder / "told", "study")
        self._group = self._zarr.open_group(str(folder / "data.zarr"), mode="a")

    def done(self) -> set[int]:
        return {int(p.stem) for p in (self.folder / "told").glob("*.json")}

    def _array(self, name: str, like: np.ndarray) -> Any:
        if name not in self._group:
            shape, chunks = (self.runs, *like.shape[1:]), (self.size, *like.shape[1:])
            self._group.create_array(name, shape=shape, chunks=chunks, dtype="float64", fill_value=float("nan"))
        return self._group[name]

    def write(self, k: int, block: RunBlock) -> None:
        rows = slice(block.first, block.first + len(block))
        try:
            self._array("inputs", block.inputs)[rows] = block.inputs
            for name, values in block.columns.items():
                self._array(key_of(name), values)[rows] = values
        except OSError as problem:
            raise FileError(f"study: block {k} could not be written to {self.folder}: {problem}") from problem
        told = {"first": block.first, "rows": len(block), "columns": list(block.columns), "failures": block.failures,
                "remarks": block.remarks, "steps": block.steps}  # fmt: skip
        write_whole(self.folder / "told" / f"{k:09d}.json", json.dumps(told).encode(), "study: block")

    def _read(self, k: int) -> RunBlock:
        told = json.loads(read_whole(self.folder / "told" / f"{k:09d}.json", 2**30))
        rows = slice(told["first"], told["first"] + told["rows"])
        columns = {name: np.asarray(self._group[key_of(name)][rows]) for name in told["columns"]}
        failures, remarks = ({int(n): why for n, why in told[x].items()} for x in ("failures", "remarks"))
        return RunBlock(
            told["first"], np.asarray(self._group["inputs"][rows]), columns, failures, remarks, told["steps"]
        )

    def blocks(self) -> Iterator[RunBlock]:
        return (self._read(k) for k in sorted(self.done()))

    def column(self, name: str, rows: int) -> np.ndarray:
        key = key_of(name)
        return np.asarray(self._group[key][:]) if key in self._group else np.full(rows, np.nan)


def key_of(column: str) -> str:
    """A column's name as the name of an array."""
    return "column " + column.replace("/", "∕")


def store_of(study: Study, folder: Path | None, kind: str | None, block: int) -> Store:
    """Where the study is kept; a folder that holds something else is refused."""
    if kind is not None and kind not in STORES:
        raise FileError(f"study: store={kind!r} is not known; choose one of {', '.join(map(repr, STORES))}")
    if folder is None:
        if kind is not None:
            raise FileError(f"study: store={kind!r} needs a folder to write to; say folder=")
        return InMemory(block)
    described = folder / DESCRIPTION
    wanted = study.recorded()
    if described.exists():
        return _there_already(study, folder, kind)
    make_folder(folder, "study")
    if any(p for p in folder.iterdir() if not p.name.startswith(".")):
        raise FileError(f"study: the folder {folder} holds other things; name a new one, or one that holds this study")
    kind = kind or "netcdf"
    if kind == "zarr":
        optional("zarr", 'store="zarr"')
    about = {"identity": study.identity, "store": kind, "block": block, "study": wanted, **labels(study)}
    write_whole(described, json.dumps(about, indent=1, default=str).encode(), "study")
    return opened_store(folder, kind, block, study.runs)


def labels(study: Study) -> dict[str, Any]:
    """Names and units, for whoever reads the folder without the study."""
    return {
        "input_names": list(study.inputs.names),
        "described": study.inputs.described(),
        "units": {x.name: x.unit for x in study.outputs},
        "series_times": {
            x.name: (study.times if x.times is None else x.times).tolist() for x in study.outputs if x.series
        },
    }


def opened_store(folder: Path, kind: str, block: int, runs: int) -> Store:
    return NetcdfFolder(folder, block) if kind == "netcdf" else ZarrFolder(folder, block, runs)


def description(folder: Path) -> dict[str, Any]:
    """What a study's folder says of itself."""
    try:
        found = json.loads(read_whole(folder / DESCRIPTION, 2**28))
        assert {"identity", "store", "block", "study"} <= set(found)
    except (OSError, Unreadable, ValueError, AssertionError, TypeError):
        raise FileError(
            f"study: {folder} is not the folder of a study: its {DESCRIPTION} is missing or damaged"
        ) from None
    return dict(found)


def _there_already(study: Study, folder: Path, kind: str | None) -> Store:
    found = description(folder)
    if found["identity"] != study.identity:
        mine, theirs = study.recorded(), found["study"]
        mine = json.loads(json.dumps(mine, default=str))
        differ = [k for k in mine if mine[k] != theirs.get(k)]
        raise FileError(
            f"study: the folder {folder} holds another study, which differs in {', '.join(differ) or 'its functions'}; name another "
            "folder, or ask the same again"
        )
    if kind is not None and kind != found["store"]:
        raise FileError(f"study: the folder {folder} is kept as {found['store']!r}; leave out store={kind!r}")
    return opened_store(folder, found["store"], found["block"], study.runs)
