"""Names as users give them, and what they may have meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable

from dalembert.errors import ModelError

_ALLOWED = re.compile(r"[^\s.\"'/\\]+")


def check_new_name(name: object, kind: str, *taken: Container[str]) -> str:
    """A name not yet used among its kind."""
    if not isinstance(name, str) or not _ALLOWED.fullmatch(name):
        raise ModelError(f"{kind} name {name!r} must be a non-empty text without spaces, dots, quotes or slashes")
    if any(name in names for names in taken):
        raise ModelError(f'{kind} "{name}" is defined twice; give one of them another name')
    return name


def nearest(name: object, known: Iterable[str], otherwise: str = "known:") -> str:
    """What may have been meant, or all there is."""
    names = list(dict.fromkeys(known))
    asked = str(name)[:60]
    near = [x for x in names if x.lower() == asked.lower()] or difflib.get_close_matches(asked, names, n=2)
    return f"did you mean {' or '.join(map(repr, near))}?" if near else f"{otherwise} {', '.join(names) or 'none'}"


def unknown(name: object, kind: str, known: Iterable[str], where: str) -> ModelError:
    """The error for a name nobody defined, with the nearest ones that exist."""
    return ModelError(f"{where}: there is no {kind} {str(name)!r}; {nearest(name, known)}")


def text(given: object, where: str) -> str:
    """A name."""
    if not isinstance(given, str):
        raise ModelError(f"{where} must be a name in quotes, not {given!r}")
    return given
