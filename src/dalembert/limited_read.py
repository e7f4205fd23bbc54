"""Files of others, read no further than is sensible: no pipe, no device and no file without end can hold up or fill the reader."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from dalembert.errors import ModelError

MB = 2**20


class Unreadable(Exception):
    """Why a file cannot be read, in words that follow its name."""


def read_whole(path: str | Path, largest: int) -> bytes:
    """The content of an ordinary file of at most `largest` bytes."""
    try:
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode):
            what = "a folder" if stat.S_ISDIR(about.st_mode) else "a pipe or a device"
            raise Unreadable(f"it cannot be read: it is {what}, not a file")
        with open(path, "rb") as file:
            content = file.read(about.st_size + 1) if about.st_size <= largest else b""
    except OSError as problem:
        raise Unreadable(f"it cannot be read: {problem.strerror or problem}") from problem
    except ValueError as problem:
        raise Unreadable(f"its name is none that a file can have ({problem})") from problem
    if about.st_size > largest or len(content) > about.st_size:
        grew = " or grows while it is read" if about.st_size <= largest else ""
        raise Unreadable(f"it is larger than the {largest // MB} MB that are read{grew}")
    return content


def is_file(path: Path) -> bool:
    """Whether an ordinary file is there; no name is too long or too strange to ask for."""
    return _kind(path) == stat.S_IFREG


def is_folder(path: Path) -> bool:
    return _kind(path) == stat.S_IFDIR


def is_there(path: Path) -> bool:
    return _kind(path) is not None


def _kind(path: Path) -> int | None:
    try:
        return stat.S_IFMT(os.stat(path).st_mode)
    except (OSError, ValueError):
        return None


@contextmanager
def data_of(path: str | Path) -> Iterator[None]:
    """What goes wrong while data are taken out of a file is said with the file's name."""
    try:
        yield
    except Unreadable as problem:
        raise ModelError(f"{path}: {problem}") from problem
    except MemoryError as problem:
        raise ModelError(f"{path}: its data do not fit into the memory") from problem
    except _DAMAGED as problem:
        raise ModelError(f"{path} holds no data that can be used here: {problem}") from problem


_DAMAGED = (
    ValueError, KeyError, TypeError, IndexError, ArithmeticError, EOFError, NotImplementedError, RuntimeError, OSError, SyntaxError,
    zipfile.BadZipFile, zlib.error, np.linalg.LinAlgError,
)  # fmt: skip
"""What readers of NumPy and SciPy raise where a file is not what it says."""
