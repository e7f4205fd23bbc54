"""A run put aside: the integrator's whole memory and the output so far, so that it goes on as if it had never stopped."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.atomic import write_whole
from dalembert.errors import MotionFileError
from dalembert.limited_read import Unreadable, read_whole
from dalembert.pivoting import PivotChoice

LARGEST = 2**34
"""Bytes of a file."""
_FORMAT = b"dalembert checkpoint 6\n"


@dataclass(frozen=True)
class SpeedChoiceInterval:
    """A part of a run in which one choice of independent speeds served: its last sample and event."""

    samples: int
    events: int
    choice: PivotChoice


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """`identity` says of which run: model, options, initial values, code. Only the same run can go on from it."""

    identity: str
    memory: np.ndarray
    inputs: np.ndarray
    """What the equations read besides the state: forces of a controller, parameters, scales."""
    counters: np.ndarray
    rows: np.ndarray
    forces: np.ndarray
    events: np.ndarray
    """A row per event so far: which, time, state."""
    calls: int
    """How often the controller has been called."""
    kept_rows: tuple[int, ...] = ()
    """The independent rows by which loops and constraints were kept last."""
    choices: tuple[SpeedChoiceInterval, ...] = ()
    """Choices of speeds, where they are chosen: those given up, then the last."""

    lengths: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Lengths of the rows that dependent speeds are solved from, the greatest yet."""
    impacts: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """Impacts of laws so far, a row each."""
    modes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """Modes of laws so far: the time from which each lasted, and its numbers."""
    changes: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    """Parameters that events have set: time, number and value."""

    def save(self, path: str | Path) -> None:
        content = io.BytesIO()
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        about = {
            "identity": self.identity,
            "calls": self.calls,
            "kept_rows": self.kept_rows,
            "choices": [asdict(x) for x in self.choices],
        }
        np.savez(content, about=np.array(json.dumps(about)), **arrays)
        packed = content.getvalue()
        write_whole(path, _FORMAT + hashlib.sha256(packed).digest() + packed, "checkpoint", MotionFileError)


_ARRAYS = ("memory", "inputs", "counters", "rows", "forces", "events", "lengths", "impacts", "modes", "changes")


def load_checkpoint(path: str | Path) -> Checkpoint:
    """The checkpoint in a file, or an error if it is not exactly what was written."""
    try:
        content = read_whole(path, LARGEST)
    except Unreadable as problem:
        raise MotionFileError(f'checkpoint "{path}": {problem}') from problem
    packed = content[len(_FORMAT) + 32 :]
    if (
        content[: len(_FORMAT)] != _FORMAT
        or hashlib.sha256(packed).digest() != content[len(_FORMAT) : len(_FORMAT) + 32]
    ):
        raise MotionFileError(f'checkpoint "{path}" is damaged or not a checkpoint; start the run from the beginning')
    try:
        return _unpacked(packed)
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, OSError, zipfile.BadZipFile) as problem:
        raise MotionFileError(
            f'checkpoint "{path}" is not a complete checkpoint; start the run from the beginning'
        ) from problem


def _unpacked(packed: bytes) -> Checkpoint:
    with zipfile.ZipFile(io.BytesIO(packed)) as parts:
        if any(part.compress_type != zipfile.ZIP_STORED for part in parts.infolist()):
            raise ValueError("what is compressed may be of any size")
    with np.load(io.BytesIO(packed), allow_pickle=False) as content:
        about: dict[str, Any] = json.loads(str(content["about"]))
        arrays = {name: np.asarray(content[name], dtype=np.int64 if name == "counters" else float) for name in _ARRAYS}
        intervals = tuple(
            SpeedChoiceInterval(
                whole(x["samples"]),
                whole(x["events"]),
                PivotChoice(**{k: _numbers(v) for k, v in x["choice"].items()}),
            )
            for x in about["choices"]
        )
        return Checkpoint(
            identity=str(about["identity"]),
            calls=whole(about["calls"]),
            kept_rows=_numbers(about["kept_rows"]),
            choices=intervals,
            **arrays,
        )


def whole(x: Any) -> int:
    """A count, or the place of something."""
    if type(x) is not int or not 0 <= x < 2**40:
        raise ValueError(f"{x!r} is no count")
    return x


def _numbers(x: Any) -> tuple[int, ...]:
    return tuple(whole(k) for k in x)
