"""Cached properties: one value for everybody, no lock that threads could wait for."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import dalembert as da
from dalembert.cached import cached_property
from dalembert.trace.expr import tracing


class Asked:
    """A property that waits for whatever the test says."""

    def __init__(self, wait):
        self.wait = wait

    @cached_property
    def value(self):
        """A new object."""
        self.wait()
        return object()


def test_a_value_is_worked_out_once_and_documented():
    calls = []
    x = Asked(lambda: calls.append(1))
    assert x.value is x.value and len(calls) == 1
    assert Asked.value.__doc__ == "A new object."


def test_an_override_may_ask_for_what_it_overrides():
    class Base:
        @cached_property
        def n(self):
            return 1

    class More(Base):
        @cached_property
        def n(self):
            return super().n + 1

    x = More()
    assert (x.n, x.n, Base().n) == (2, 2, 1)


def test_threads_that_ask_together_get_one_object():
    barrier, found = threading.Barrier(4, timeout=60), []
    x = Asked(barrier.wait)
    threads = [threading.Thread(target=lambda: found.append(x.value)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 4 and len(set(map(id, found))) == 1


def test_a_property_that_traces_and_a_trace_that_asks_do_not_wait_for_each_other():
    """One thread holds the lock of tracing and asks for the property, the other works the property out and wants to trace."""
    asking, within = threading.Event(), threading.Event()

    def traces() -> None:
        within.set()
        assert asking.wait(60)
        with tracing():
            pass

    def holds() -> None:
        with tracing():
            assert within.wait(60)
            asking.set()
            assert Asked(lambda: None).value is not None

    threads = [threading.Thread(target=f, daemon=True) for f in (holds, lambda: Asked(traces).value)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(timeout=60)
    assert not any(t.is_alive() for t in threads)


def test_the_package_uses_no_other_cached_property():
    home = Path(da.cached.__file__)
    others = [p for p in home.parent.rglob("*.py") if p != home]
    assert not [
        p for p in others if re.search(r"from functools import .*cached_property", p.read_text(encoding="utf-8"))
    ]
