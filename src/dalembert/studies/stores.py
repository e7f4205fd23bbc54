"""Where a study's answers are kept: in memory, in NetCDF files of a folder, a file for each block, or in a Zarr group.

A block is there whole or not at all. What a folder holds is checked to be the same study before it is gone on with.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

import numpy as np

from dalembert.atomic import make_folder, write_whole
from dalembert.errors import FileError
from dalembert.limited_read import Unreadable, read_whole
from dalembert.optional import optional
from dalembert.studies.unit_runs import UnitResult
from dalembert.trace.content import content_of

if TYPE_CHECKING:
    from dalembert.studies.study import Study

DESCRIPTION = "study.json"
LARGEST_TEXT = 2**28
"""Bytes of a description or a record."""
_DIGITS = 9
"""Digits of a block's number in its file's name."""


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


@dataclass(frozen=True)
class StudyFolder:
    """Where blocks are kept, and of which study they are."""

    folder: Path
    size: int
    runs: int
    study: str
    """The hash that every block carries."""

    def record(self, block: RunBlock) -> str:
        """What stands beside a block's numbers."""
        said = {name: getattr(block, name) for name in ("first", "failures", "remarks", "steps")}
        return json.dumps({"study": self.study, "columns": list(block.columns), **said})

    @contextmanager
    def reading(self, path: Path) -> Iterator[None]:
        """Whatever is wrong with a block is said with its name."""
        try:
            yield
        except Exception as problem:
            raise FileError(
                f"study: block {path} cannot be read: {problem}; remove it, and run the study again to make it anew"
            ) from None

    def block(self, k: int, record: dict[str, Any], inputs: np.ndarray, columns: dict[str, np.ndarray]) -> RunBlock:
        """A block as it was written: the k-th of this study, and whole."""
        rows = min(self.size, self.runs - k * self.size)
        if record["study"] != self.study or record["first"] != k * self.size:
            raise Unreadable("it is of another study, or of other runs")
        if any(len(x) != rows for x in (inputs, *columns.values())):
            raise Unreadable("it is damaged: runs are missing")
        failures, remarks = ({int(n): str(why) for n, why in record[x].items()} for x in ("failures", "remarks"))
        if not all(0 <= n - k * self.size < rows for n in (*failures, *remarks)):
            raise Unreadable("it is damaged: it tells of runs that are not in it")
        return RunBlock(k * self.size, inputs, columns, failures, remarks, int(record["steps"]))

    def numbers(self, folder: str, ending: str) -> set[int]:
        """Numbers of the blocks that are there."""
        every = -(-self.runs // self.size)
        found = (p.stem for p in (self.folder / folder).glob("*" + ending))
        return {int(x) for x in found if x.isdecimal() and len(x) == _DIGITS and int(x) < every}


class NetcdfFolder:
    """A sealed NetCDF file for each block."""

    def __init__(self, place: StudyFolder):
        self.place, self.size = place, place.size
        make_folder(place.folder / "blocks", "study")
        self._known: tuple[set[int], dict[str, np.ndarray]] = (set(), {})

    def _path(self, k: int) -> Path:
        return self.place.folder / "blocks" / f"{k:0{_DIGITS}d}.nc"

    def done(self) -> set[int]:
        return self.place.numbers("blocks", ".nc")

    def write(self, k: int, block: RunBlock) -> None:
        import xarray

        from dalembert.files.sealed_netcdf import sealed

        variables = {
            f"column_{i}": (("run", *[f"time_{i}"] * (values.ndim - 1)), values)
            for i, values in enumerate(block.columns.values())
        }
        about = {"record": self.place.record(block)}
        data = xarray.Dataset({"inputs": (("run", "input"), block.inputs), **variables}, attrs=about)
        content = io.BytesIO()
        data.to_netcdf(content, engine="h5netcdf")
        write_whole(self._path(k), sealed(content.getvalue()), "study: block")

    def _read(self, k: int) -> RunBlock:
        from dalembert.files.sealed_netcdf import LARGEST, opened

        path = self._path(k)
        with self.place.reading(path):
            data = opened(read_whole(path, LARGEST))
            record = json.loads(data.attrs["record"])
            columns = {str(name): _numbers(data[f"column_{i}"]) for i, name in enumerate(record["columns"])}
            return self.place.block(k, record, _numbers(data["inputs"]), columns)

    def blocks(self) -> Iterator[RunBlock]:
        return (self._read(k) for k in sorted(self.done()))

    def column(self, name: str, rows: int) -> np.ndarray:
        if self._known[0] != self.done():  # a file for each block: all columns are read in one pass
            every = list(self.blocks())
            names = dict.fromkeys(name for block in every for name in block.columns)
            self._known = self.done(), {x: column_of(iter(every), x, rows) for x in names}
        return self._known[1].get(name, np.full(rows, np.nan))


def _numbers(values: Any) -> np.ndarray:
    return np.array(values.values, dtype=float)


class ZarrFolder:
    """An array for each column, a chunk for each block; a block counts once its record is there, which is written last.

    Chunks are plain numbers, not packed: nothing of a folder is unfolded, and no chunk is read that is not as large as it says.
    """

    def __init__(self, place: StudyFolder):
        self._zarr = optional("zarr", 'store="zarr"')
        self.place, self.size = place, place.size
        make_folder(place.folder / "record", "study")
        self._path = place.folder / "data.zarr"
        with place.reading(self._path):
            self._group = self._zarr.open_group(str(self._path), mode="a", zarr_format=3)

    def done(self) -> set[int]:
        return self.place.numbers("record", ".json")

    def _array(self, name: str, like: np.ndarray) -> Any:
        if name not in self._group:
            shape, chunks = (self.place.runs, *like.shape[1:]), (self.size, *like.shape[1:])
            self._group.create_array(
                name,
                shape=shape,
                chunks=chunks,
                dtype="float64",
                fill_value=float("nan"),
                compressors=None,
                filters=None,
            )
        return self._group[name]

    def write(self, k: int, block: RunBlock) -> None:
        rows = slice(block.first, block.first + len(block))
        try:
            self._array("inputs", block.inputs)[rows] = block.inputs
            for name, values in block.columns.items():
                self._array(key_of(name), values)[rows] = values
        except OSError as problem:
            raise FileError(f"study: block {k} could not be written to {self.place.folder}: {problem}") from problem
        write_whole(self._record(k), self.place.record(block).encode(), "study: block")

    def _record(self, k: int) -> Path:
        return self.place.folder / "record" / f"{k:0{_DIGITS}d}.json"

    def _read(self, k: int, only: str | None = None) -> RunBlock:
        path = self._record(k)
        with self.place.reading(path):
            record = json.loads(read_whole(path, LARGEST_TEXT))
            names = [str(name) for name in record["columns"] if only in (None, name)]
            columns = {name: self._chunk(key_of(name), k) for name in names}
            return self.place.block(k, record, self._chunk("inputs", k), columns)

    def _chunk(self, key: str, k: int) -> np.ndarray:
        """Rows of a block; what an array says of itself is believed only where its file bears it out."""
        array = self._group[key]
        wide = math.prod(array.shape[1:])
        plain = array.metadata.zarr_format == 3 and [type(x).__name__ for x in array.metadata.codecs] == ["BytesCodec"]
        if not plain or array.dtype != np.float64 or array.chunks != (self.size, *array.shape[1:]):
            raise Unreadable(f"array {key!r} is not as this package writes it")
        file = self._path / key / array.metadata.encode_chunk_key((k, *(0,) * (array.ndim - 1)))
        if file.stat().st_size != 8 * wide * self.size or array.shape[0] != self.place.runs:
            raise Unreadable(f"array {key!r} is not as large as it says")
        return np.asarray(array[k * self.size : (k + 1) * self.size])

    def blocks(self) -> Iterator[RunBlock]:
        return (self._read(k) for k in sorted(self.done()))

    def column(self, name: str, rows: int) -> np.ndarray:
        return column_of((self._read(k, name) for k in sorted(self.done())), name, rows)


def key_of(column: str) -> str:
    """A column's name as the name of an array, another for every column."""
    return "column " + quote(column, safe=" '()[],")


def store_of(study: Study, folder: Path | None, kind: str | None, block: int) -> Store:
    """Where the study is kept; a folder that holds something else is refused."""
    if kind is not None and kind not in _STORES:
        raise FileError(f"study: store={kind!r} is not known; choose one of {', '.join(map(repr, _STORES))}")
    if folder is None:
        if kind is not None:
            raise FileError(f"study: store={kind!r} needs a folder to write to; say folder=")
        return InMemory(block)
    if (folder / DESCRIPTION).exists():
        return _there_already(study, folder, kind)
    make_folder(folder, "study")
    if any(p for p in folder.iterdir() if not p.name.startswith(".")):
        raise FileError(f"study: the folder {folder} holds other things; name a new one, or one that holds this study")
    kind = kind or "netcdf"
    if kind == "zarr":
        optional("zarr", 'store="zarr"')
    about = {"contents": study.contents, "store": kind, "block": block, "study": study.recorded(), **labels(study)}
    write_whole(folder / DESCRIPTION, json.dumps(about, indent=1, default=str).encode(), "study")
    return opened_store(folder, description(folder))


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


def opened_store(folder: Path, found: dict[str, Any]) -> Store:
    """The store that a folder describes."""
    place = StudyFolder(folder, found["block"], found["study"]["runs"], content_of(found["contents"]))
    return _STORES[found["store"]](place)


def description(folder: Path) -> dict[str, Any]:
    """What a study's folder says of itself."""
    try:
        found = json.loads(read_whole(folder / DESCRIPTION, LARGEST_TEXT))
        runs, size = found["study"]["runs"], found["block"]
        assert found["store"] in _STORES and all(type(x) is int and x > 0 for x in (runs, size))
        assert all(type(found[x]) is dict for x in ("contents", "units", "series_times")) and found["study"]["model"]
        assert all(type(x) is str for x in found["input_names"])
    except (OSError, Unreadable, ValueError, AssertionError, TypeError, KeyError):
        raise FileError(
            f"study: {folder} is not the folder of a study: its {DESCRIPTION} is missing or damaged"
        ) from None
    return dict(found)


def _there_already(study: Study, folder: Path, kind: str | None) -> Store:
    found = description(folder)
    differ = [what for what, mine in study.contents.items() if mine != found["contents"].get(what)]
    if differ:
        raise FileError(
            f"study: the folder {folder} holds another study, which differs in {', '.join(differ)}; name another folder, or ask the "
            "same again"
        )
    if kind is not None and kind != found["store"]:
        raise FileError(f"study: the folder {folder} is kept as {found['store']!r}; leave out store={kind!r}")
    return opened_store(folder, found)


_STORES: dict[str, Callable[[StudyFolder], Store]] = {"netcdf": NetcdfFolder, "zarr": ZarrFolder}
