"""What is wrong with an expression, and at which character."""

from __future__ import annotations

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
