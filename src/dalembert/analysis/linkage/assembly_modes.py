"""The assembly modes of a mechanism that were found, and how sure it is that there are no others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.words import counted

OFTEN = 4
"""How often each mode must have been found for the list to count as complete."""


class Branches(list[np.ndarray]):
    """Coordinates of each assembly mode, a pose in which the loops close, nearest first: a list, and how often each was found."""

    def __init__(self, poses: Sequence[np.ndarray] = (), found: Sequence[int] = (), starts: int = 0):
        super().__init__(poses)
        self.found = tuple(found)
        """How many of the starts led to each."""
        self.starts = starts
        """How many there were; 0 where no start was needed."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Branches, (list(self), self.found, self.starts)

    @property
    def sure(self) -> bool:
        """Whether there are any and each was found several times, so that another one would hardly have been missed."""
        return bool(self) and all(n >= OFTEN for n in self.found)

    @property
    def missing(self) -> float:
        """Part of the starts that lead anywhere which would lead to modes not listed, as Good and Turing estimate it."""
        return sum(n == 1 for n in self.found) / max(sum(self.found), 1)

    def __str__(self) -> str:
        lines = [f"{counted(len(self), 'assembly mode')}."]
        if not self:
            lines[0] += f" None of {self.starts} starts led to one. Hold fewer joints, or begin elsewhere."
        elif self.starts and self.sure:
            lines[0] += (
                f" Each was found at least {min(self.found)} times from {self.starts} starts: hardly one is missing."
            )
        elif self.starts:
            seldom = sum(n < OFTEN for n in self.found)
            led = f": about {100.0 * self.missing:.2g} % of the starts would lead to them" if self.missing else ""
            lines[0] += (
                f" {seldom} of them {'was' if seldom == 1 else 'were'} found fewer than {OFTEN} times from {self.starts} starts, "
                f"so that others may be missing{led}. Hold more joints, or begin elsewhere."
            )
        counts = [f", found {n} times" if n > 1 else ", found once" for n in self.found] or [""] * len(self)
        return "\n".join([*lines, *(f"  q = {np.array2string(q, precision=6)}{n}" for q, n in zip(self, counts))])
