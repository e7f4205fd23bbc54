"""Small words: numbers of things, lists that do not run on, values without a sign of nothing."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 12
"""Names in a list before the rest is only counted."""


def counted(n: int, thing: str, several: str | None = None) -> str:
    """1 row, 2 rows."""
    return f"{n} {thing}" if n == 1 else f"{n} {several or thing + 's'}"


def listed(names: Sequence[str], most: int = MOST) -> str:
    """All of a few; of many, the first."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def shown(x: float, digits: int = 6) -> str:
    """A value in text, 0 for what rounding leaves of it."""
    return f"{round(float(x), 12) + 0.0:.{digits}g}"


def short(text: str) -> str:
    """What somebody wrote, in quotes, its beginning where it is long."""
    return repr(text if len(text) < 60 else text[:57] + "…")
