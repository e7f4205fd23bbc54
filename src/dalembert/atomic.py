"""Files written whole or not at all."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path

from dalembert.errors import FileError
from dalembert.words import short


def make_folder(path: Path, what: str) -> None:
    """A folder for what is going to be written, and those around it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileError(f"{what}: the folder {short(str(path))} could not be made: {reason}") from problem


def write_whole(path: str | Path, content: bytes, what: str, error: type[FileError] = FileError) -> None:
    """Write beside the place, then move in: a reader, a crash or a full disk never meets half a file."""
    target = Path(path)
    temporary = target.parent / f".{uuid.uuid4().hex}.part"
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except (OSError, ValueError) as problem:
        with suppress(OSError, ValueError):
            os.unlink(temporary)
        reason = getattr(problem, "strerror", None) or problem
        raise error(
            f"{what} {short(str(target))} could not be written: {reason}; nothing was left behind, and a file that was "
            "there before is as it was"
        ) from problem
