"""Files written whole or not at all."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path

from dalembert.errors import FileError


def write_whole(path: str | Path, content: bytes, what: str, error: type[FileError] = FileError) -> None:
    """Write beside the place, then move in: a reader, a crash or a full disk never meets half a file."""
    target = Path(path)
    temporary = target.parent / f".{target.name}.{uuid.uuid4().hex}.part"
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as problem:
        with suppress(OSError):
            os.unlink(temporary)
        raise error(
            f'{what} "{target}" could not be written: {problem.strerror or problem}; nothing was left behind, and a file that was '
            "there before is as it was"
        ) from problem
