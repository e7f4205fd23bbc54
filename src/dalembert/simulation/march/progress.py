"""A line that says how far a long run is and how long it will take."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

PATIENCE = 1.0
"""Seconds before the line appears."""
WIDTH = 30


class Progress:
    """Shown on a terminal after the first second, or always or never if `wanted` says so."""

    def __init__(self, wanted: bool | None, stream: TextIO | None = None):
        self.stream = sys.stderr if stream is None else stream
        terminal = bool(getattr(self.stream, "isatty", lambda: False)())
        self.wanted = terminal if wanted is None else wanted
        self.began = time.monotonic()
        self.shown = 0.0

    def tell(self, share: float, what: str) -> None:
        """`share` of the work is done."""
        now = time.monotonic()
        if not self.wanted or now - self.began < PATIENCE or now - self.shown < 0.1:
            return
        self.shown = now
        done = int(WIDTH * share)
        left = (now - self.began) * (1.0 - share) / share if share > 0.0 else float("inf")
        bar = "█" * done + "·" * (WIDTH - done)
        self.stream.write(f"\r{bar} {100 * share:5.1f} %  {what}  {_duration(left)} left ")
        self.stream.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: Any) -> None:
        if self.shown:
            self.stream.write("\r\033[K")
            self.stream.flush()


def _duration(seconds: float) -> str:
    if seconds == float("inf"):
        return "?"
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
