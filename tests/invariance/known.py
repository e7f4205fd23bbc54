"""Answers that are known to hang on how a mechanism is said, with the reason: to be emptied."""

from __future__ import annotations

KNOWN: dict[tuple[str, str], str] = {}
"""(kind, way) → why."""


def known(kind: str, how: str) -> str | None:
    return KNOWN.get((kind, how))
