"""What Python does between compiled stretches of a run: note Ctrl-C, say how far it is, see whether it still gets anywhere."""

from __future__ import annotations

import signal
import sys
import threading
import time
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, TextIO

from dalembert.simulation.run_options import Options

REFRESH = 0.1
"""Seconds between two lines of progress."""


class Interrupts:
    """While it is open, Ctrl-C sets `asked`. Threads other than the main one, and handlers of a program itself, are left alone."""

    def __init__(self) -> None:
        self.asked = False
        self._replaced = False

    def __enter__(self) -> Interrupts:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._replaced = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._replaced:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._replaced = False

    def raise_if_asked(self) -> None:
        if self.asked:
            self.asked = False
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            signal.default_int_handler(number, frame)
        self.asked = True


WINDOW = 5_000
"""Steps over which the pace is taken."""
HOPELESS = 100.0
"""Times the most steps of a run that, at this pace, the rest of it would take. Patience falls as steps are used up: to the most steps
themselves when half of them are made."""


@dataclass
class Pace:
    """Examined now and then; a short stretch of short steps, such as next to a singular pose, does not count."""

    options: Options
    t: float
    steps: int = 0
    slow: int = 0

    def creeps(self, t: float, steps: int) -> bool:
        """Whether two windows in a row were hopelessly slow."""
        if not self.options.method.adaptive or steps - self.steps < WINDOW:
            return False
        ahead, most = (self.options.end - t) * (steps - self.steps), self.options.max_steps
        hopeless = not (t - self.t) * HOPELESS ** max(0.0, 1.0 - 2.0 * steps / most) * most > ahead
        self.t, self.steps, self.slow = t, steps, self.slow + 1 if hopeless and ahead > 0.0 else 0
        return self.slow >= 2


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
        if not self.wanted or now - self.began < PATIENCE or now - self.shown < REFRESH:
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
