"""An expression's text, cut into numbers, names and signs; and what is wrong with one, at which character."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from dalembert.errors import ModelError

SHOWN = 60
"""Longest piece of an expression shown in a message."""


class ExpressionError(ModelError):
    """`at` is the place in the text, counted from 0."""

    def __init__(self, text: str, at: int, problem: str):
        self.text, self.at, self.problem = text, at, problem
        start = max(0, min(at - SHOWN // 2, len(text) - SHOWN))
        piece = text[start : start + SHOWN]
        shown = f"{'…' * (start > 0)}{piece}{'…' * (start + SHOWN < len(text))}"
        super().__init__(f"in the expression {shown!r}, at character {at + 1}: {problem}")


LONGEST = 4000
"""Characters of one expression."""

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d]\w*(?:\.\w+)*)
      | (?P<text>"[^"]*"|'[^']*')
      | (?P<sign>\*\*|<=|>=|[-+*/^()<>,\[\]])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """`kind` is "number", "name", "text", "sign" or "end"."""

    kind: str
    text: str
    at: int


def tokens(text: str) -> list[Token]:
    """All of them, with an "end" after the last."""
    if len(text) > LONGEST:
        raise ExpressionError(text, LONGEST, f"it is {len(text)} characters long; at most {LONGEST} are read")
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            hint = "; conditions use < <= > >=" if text[at] in "=!&|" else ""
            raise ExpressionError(text, at, f"{text[at]!r} has no meaning here{hint}")
        kind = str(match.lastgroup)
        if kind == "number" and not math.isfinite(float(match.group())):
            raise ExpressionError(text, at, f"the number {match.group()} is too large")
        if kind != "space":
            found.append(Token(kind, match.group(), at))
        at = match.end()
    return [*found, Token("end", "", len(text))]
