"""Files of others, read no further than is sensible: no device and no file without end can fill the memory."""

from __future__ import annotations

from pathlib import Path


def read_limited(path: Path, largest: int) -> bytes | None:
    """The content; None where there is more than `largest` bytes of it."""
    with open(path, "rb") as file:
        content = file.read(largest + 1)
    return content if len(content) <= largest else None
