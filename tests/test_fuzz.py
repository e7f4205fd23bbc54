"""A slice of the fuzz gate: spoilt files and strange calls work or are refused in words. `make bench` runs a million of them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import dalembert as da
from benchmarks.fuzz_cases import KINDS, NEWER_FROM, Case, pendulum
from benchmarks.reliability_report import replace_section

SLICE = (*range(200), *range(NEWER_FROM, NEWER_FROM + 150))
LONGEST = 120.0
"""Seconds after which a case hangs, on the slowest machine."""


class Hangs(BaseException):
    """No loader takes it for an error of the file."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Ended by an alarm, where the system has one."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(*_: object) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", KINDS)
def test_spoilt_files_and_strange_calls_are_refused_in_words(kind):
    for number in SLICE:
        case = Case(number)
        if case.kind != kind:
            continue
        try:
            with bounded(LONGEST):
                case.run()
        except da.DalembertError as problem:
            assert str(problem).strip(), number
        except (Exception, Hangs) as problem:
            raise AssertionError(f"python -m benchmarks.fuzz --one {number}") from problem


@pytest.mark.parametrize("huge", [10**400, [10**400, 0], {"A": 10**400}])
def test_whole_numbers_beyond_every_number_are_refused_in_words(huge):
    m = pendulum()
    calls = (lambda: m.state(huge), lambda: m.solve(huge, [0, 0]), lambda: m.forward_dynamics(huge, [0, 0]))
    odd = (lambda: m.simulate(0.1, output=huge), lambda: m.simulate(0.1, output=5e-324))
    for call in (*calls, lambda: m.simulate(0.1, huge), lambda: m.simulate(huge), *odd):
        with pytest.raises(da.DalembertError):
            call()


@pytest.mark.parametrize("size", [1e155, 1e300, 1.7e308])
def test_inertia_beyond_computing_is_refused_in_words(size):
    for inertia in ((size, size, size), [[size, size / 2, 0], [size / 2, size, 0], [0, 0, size]]):
        s = da.System("heavy")
        s.add_body("b", mass=1.0, inertia=inertia)
        s.add_joint("A", da.Revolute(), "ground", "b")
        with pytest.raises(da.ModelError, match="too large"):
            s.build()


def test_a_case_is_always_the_same():
    for number in range(50):
        assert Case(number).kind == Case(number).kind
        assert Case(number).rng.random() == Case(number).rng.random()


def test_a_gate_replaces_its_own_section_only(tmp_path):
    report = tmp_path / "report.md"
    replace_section("One", "1 case", report)
    replace_section("Two", "| a |\n\nwords", report)
    replace_section("One", "2 cases", report)
    text = report.read_text(encoding="utf-8")
    assert text.index("## One\n\n2 cases\n") < text.index("## Two\n\n| a |\n\nwords\n") and "1 case\n" not in text
    assert sorted(tmp_path.iterdir()) == [report]
