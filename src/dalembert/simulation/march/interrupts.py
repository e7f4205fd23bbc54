"""Ctrl-C at a safe moment: the first one is noted and acted on between stretches, a second one acts at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


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
