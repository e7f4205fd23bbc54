"""Samples from a file: comma-separated numbers, times in the first column; a first line may name the columns."""

from __future__ import annotations

import csv
import io
import re
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import TraceError
from dalembert.limited_read import MB, Unreadable, read_whole

LARGEST = 64 * MB
"""Bytes of a file."""


@dataclass(frozen=True, eq=False)
class SampledColumns:
    """`times` (n), `values` (n, columns), and the columns' names: as they stand, and as an expression can hold them."""

    times: np.ndarray
    values: np.ndarray
    columns: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(re.sub(r"\W+", "_", name) for name in self.columns)


def read_samples(path: Any) -> SampledColumns:
    """What is wrong is said with file and line."""
    file = Path(path)
    try:
        text = read_whole(file, LARGEST).decode("utf-8-sig")
    except Unreadable as problem:
        raise TraceError(f"{file.name}: {problem}") from problem
    except UnicodeDecodeError as problem:
        raise TraceError(f"{file.name}: it is not a text in UTF-8 ({problem.reason})") from problem
    return _parsed(text, file.name)


def _parsed(text: str, file: str) -> SampledColumns:
    header: list[str] = []
    numbers = array("d")
    width = 0
    try:
        reader = csv.reader(io.StringIO(text), skipinitialspace=True)
        for words in reader:
            if not any(word.strip() for word in words) or words[0].startswith("#"):
                continue
            if not numbers and not header and not _is_number(words[0]):
                header = [_bare(word) for word in words]
                continue
            width = width or len(header) or len(words)
            numbers.extend(_row(words, width, f"{file}:{reader.line_num}"))
    except csv.Error as problem:
        raise TraceError(f"{file}: it is not a table of comma-separated numbers ({problem})") from problem
    if not numbers or width < 2:
        raise TraceError(
            f"{file}: a table has times in its first column and values in at least one more, with commas between"
        )
    table = np.frombuffer(numbers).reshape(-1, width).copy()
    columns = tuple(header[1:]) or tuple(str(k + 1) for k in range(table.shape[1] - 1))
    if len(set(columns)) != len(columns) or not all(columns):
        raise TraceError(f"{file}: the columns need different names, not {', '.join(map(repr, columns))}")
    return SampledColumns(table[:, 0], table[:, 1:], columns)


def _row(words: list[str], count: int, where: str) -> list[float]:
    if len(words) != count:
        raise TraceError(f"{where}: {count} numbers are expected in this line, not {len(words)}")
    for word in words:
        if not _is_number(word):
            raise TraceError(f"{where}: {word.strip()[:40]!r} is not a number")
    return [float(word) for word in words]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _bare(word: str) -> str:
    """A column's name without its unit: "knee [rad]" is knee."""
    return re.sub(r"\[.*", "", word).strip()
