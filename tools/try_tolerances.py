"""What hangs on a tuning number: it is made ten times larger and ten times smaller, and what reads it is asked again.

    OPENBLAS_NUM_THREADS=1 python -m tools.try_tolerances reach [TEST ...] which questions and tests read which numbers, in what
                                                                           time; of these files alone, if some are named
    OPENBLAS_NUM_THREADS=1 python -m tools.try_tolerances [FILE:NAME ...]  those named, or all not tried yet; goes to tools/tried.json

Asked are the questions of `tools/probes.py` (verdicts, motions, equilibria of the gallery and of random mechanisms) and the tests of
the package, of each number those that read it, up to `EFFORT`. Every attempt has a process of its own, in which the
module that holds the number is read with it scaled (`tools/scaled.py`). A difference of numbers below `SAME` is rounding and is not
counted. It can be ended and begun again at any time. What was tried holds for the value it was tried with: a new one is tried anew.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import pickle
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
import pytest
import scipy.linalg
import yaml

from tools import reached, scaled
from tools.answers import Answers, differences
from tools.tolerances import TRIED, constants, values

ROOT = Path(__file__).resolve().parents[1]
REACH = ROOT / "out" / "reach.pickle"
"""What `reach` found."""
ROOMS = (
    "constraints", "kinematics", "simulation", "kernels", "analysis", "laws", "elements", "trace", "elastic", "formulations", "system",
    "importers", "recursive", "topology", "files",
)  # fmt: skip
"""Tests that are asked."""
SAME = 1e-10
"""Of the largest number of an answer."""
EFFORT = 0.9
"""Seconds for the questions of one attempt, and as much for the tests."""
ENOUGH = 8
"""Questions that read a number, from which on no tests are run besides."""
MOST = 20
"""Questions of one attempt at most, and tests."""
GROUPS = 25
"""Processes in which questions are first asked: those about one mechanism in several, as what is kept in memory is not read again."""
LONGEST_FILE = 6.0
"""Seconds after which a file of tests is left, when reach is measured."""
PATIENCE = 60.0
"""Seconds of processor time after which an attempt is ended."""
WAYS = {"larger": 10.0, "smaller": 0.1}
FIRST = (
    "pivoting",
    "mechanism/",
    "kinematics/",
    "constraints/",
    "kernels/",
    "simulation/",
    "analysis/equilibrium",
    "laws",
    "analysis/",
)
"""Numbers that decide verdicts are tried before others."""


@dataclass
class Found:
    """What came of a question or a test."""

    seconds: float
    reads: frozenset[str] = frozenset()
    answers: Answers | None = None
    passed: bool = True


@dataclass
class Outcome:
    """Of several, by name; and how it ended if not well."""

    found: dict[str, Found] = field(default_factory=dict)
    ended: str | None = None


# -- in a process of its own ------------------------------------------------------------------------------------------
def alone(work: Callable[[Callable[[str, Found], None]], None], seconds: float) -> Outcome:
    """What `work` sends from a process of its own within so many seconds of its processor time; the package is imported there only."""
    fork = multiprocessing.get_context("fork")
    receiving, sending = fork.Pipe(duplex=False)

    def child() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        os.environ["CI"] = "true"
        os.chdir(ROOT)
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        try:
            work(lambda name, found: sending.send((name, found)))
            sending.send(None)
        except BaseException as problem:
            sending.send(f"{type(problem).__name__}: {problem}")
        sending.close()
        os._exit(0)

    process = fork.Process(target=child)
    process.start()
    sending.close()
    outcome = Outcome(ended=f"no end in {seconds:g} s")
    with contextlib.suppress(EOFError):
        while receiving.poll(1.0) or process.is_alive():
            message = receiving.recv() if receiving.poll() else ()
            if message is None or isinstance(message, str):
                outcome.ended = message
                break
            outcome.found |= dict([message] if message else [])
    process.kill()
    process.join()
    return outcome


class Told:
    """Sends what comes of each test."""

    def __init__(self, send: Callable[[str, Found], None], seen: set[str], longest: float):
        self.send, self.seen, self.longest, self.began = send, seen, longest, time.process_time()

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.process_time() - self.began > self.longest:
            item.session.shouldstop = "enough"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.seen.clear()
        self.passed, before = True, time.process_time()
        result = yield
        self.send(item.nodeid, Found(time.process_time() - before, frozenset(self.seen), None, self.passed))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed = self.passed and report.passed


def run_tests(names: Iterable[str], send: Callable[[str, Found], None], seen: set[str], longest: float) -> None:
    """Run tests by their names, or all of a file."""
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:playwright", "--tb=no", "-q"]
    pytest.main([*options, *names], plugins=[Told(send, seen, longest)])


def run_probes(names: Iterable[str], send: Callable[[str, Found], None], seen: set[str]) -> None:
    """Ask questions by their names."""
    from tools.probes import probes

    every = probes()
    for name in names:
        seen.clear()
        before = time.process_time()
        answers = every[name]()
        send(name, Found(time.process_time() - before, frozenset(seen), answers))


# -- which reads which ------------------------------------------------------------------------------------------------
def reach(jobs: int, only: list[str]) -> None:
    """Ask everything once, with notes taken, and once without; what differs then hangs on rounding and is left out."""
    known: dict[str, Found] = pickle.loads(REACH.read_bytes()) if REACH.exists() else {}
    REACH.parent.mkdir(exist_ok=True)
    every = [str(p.relative_to(ROOT)) for room in ROOMS for p in sorted((ROOT / "tests" / room).glob("test_*.py"))]
    files = only or every
    done = {name.partition("::")[0] for name in known}
    names = {} if only else alone(_list_probes, PATIENCE).found
    left = [name for name in names if name not in known]
    groups = [left[k::GROUPS] for k in range(GROUPS)]

    def asked(group: list[str]) -> dict[str, Found]:
        def work(send: Callable[[str, Found], None]) -> None:
            seen: set[str] = set()
            reached.install(seen)
            run_probes(group, send, seen)

        first = alone(work, 3 * PATIENCE).found
        again = alone(lambda send: run_probes(list(first), send, set()), 3 * PATIENCE).found
        steady = {name: x for name, x in first.items() if name in again and not changed(x, again[name])}
        return {name: Found(again[name].seconds, x.reads, x.answers) for name, x in steady.items()}

    def tested(file: str) -> dict[str, Found]:
        def work(send: Callable[[str, Found], None]) -> None:
            seen: set[str] = set()
            reached.install(seen)
            run_tests([file], send, seen, LONGEST_FILE)

        return {name: x for name, x in alone(work, 3 * LONGEST_FILE).found.items() if x.passed}

    with ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(asked, filter(None, groups)):
            known |= found
            REACH.write_bytes(pickle.dumps(known))
            print(f"{len(known)} of {len(names)} questions", flush=True)
        left = [file for file in files if file not in done]
        for file, found in zip(left, pool.map(tested, left)):
            known |= found
            REACH.write_bytes(pickle.dumps(known))
            print(f"{file}: {len(found)} tests", flush=True)
    read = {k for x in known.values() for k in x.reads}
    print(f"{len(known)} questions and tests read {len(read)} numbers")


def _list_probes(send: Callable[[str, Found], None]) -> None:
    from tools.probes import probes

    for name in probes():
        send(name, Found(0.0))


# -- trying -----------------------------------------------------------------------------------------------------------
def chosen_for(where: str, known: dict[str, Found], tests: bool) -> list[str]:
    """Questions or tests that read a number, of all kinds or from many files: first those that read much in little time."""
    readers = [n for n, x in known.items() if where in x.reads and (x.answers is None) == tests]
    by_file: dict[str, list[str]] = {}
    for name in sorted(readers, key=lambda n: known[n].seconds / len(known[n].reads)):
        by_file.setdefault(name.partition("::" if tests else " of ")[0], []).append(name)
    room = where.partition("/")[0]
    files = sorted(by_file.values(), key=lambda names: (f"/{room}/" not in names[0], known[names[0]].seconds))
    picked: list[str] = []
    effort = 0.0
    for turn in range(max(map(len, files), default=0)):
        for names in files:
            if (
                turn < len(names)
                and len(picked) < MOST
                and (not picked or effort + known[names[turn]].seconds <= EFFORT)
            ):
                picked.append(names[turn])
                effort += known[names[turn]].seconds
    return picked


def attempt(where: str, factor: float, questions: list[str], tests: list[str]) -> Outcome:
    """Ask with a number scaled."""

    def work(send: Callable[[str, Found], None]) -> None:
        scaled.install(where, factor)
        run_probes(questions, send, set())
        if tests:
            run_tests(tests, send, set(), PATIENCE)

    return alone(work, PATIENCE)


def changed(before: Found, after: Found) -> list[Any]:
    """Differences of answers that are more than rounding."""
    assert before.answers is not None and after.answers is not None
    return [d for d in differences(before.answers, after.answers) if d.off is None or d.off > SAME]


def said(known: dict[str, Found], questions: list[str], tests: list[str], outcome: Outcome) -> str:
    """What came of it, in a clause."""
    if outcome.ended is not None and not outcome.found:
        return f"nothing works ({outcome.ended.splitlines()[0][:90]})"
    parts = []
    differing = {n: changed(known[n], outcome.found[n]) for n in questions if n in outcome.found}
    differing = {n: d for n, d in differing.items() if d}
    if differing:
        parts.append(_of_answers(differing, len(questions)))
    failed = [n for n in tests if n in outcome.found and not outcome.found[n].passed]
    if failed:
        names = dict.fromkeys(
            n.rpartition("::")[2].partition("[")[0].removeprefix("test_").replace("_", " ") for n in failed
        )
        more = ", …" if len(names) > 2 else ""
        parts.append(f"{len(failed)} of {len(tests)} tests fail ({', '.join(list(names)[:2])}{more})")
    missing = len([n for n in (*questions, *tests) if n not in outcome.found])
    if missing:
        parts.append(f"{missing} of {len(questions) + len(tests)} are not answered ({outcome.ended})")
    counted = [f"{len(x)} {what}{'s'[: len(x) != 1]}" for x, what in ((questions, "answer"), (tests, "test")) if x]
    return "; ".join(parts) or f"no change ({', '.join(counted)})"


def _of_answers(differing: dict[str, list[Any]], count: int) -> str:
    """Answers that changed: verdicts in words, or numbers and by how much."""
    words = [n for n, found in differing.items() if any(d.off is None for d in found)]
    numbers = [n for n in differing if n not in words]
    steps = [d for n in numbers for d in differing[n] if d.key.endswith("/steps")]
    values = [d.off for n in numbers for d in differing[n] if not d.key.endswith("/steps")]
    parts = []
    if words:
        parts.append(
            f"{len(words)} of {count} answers say otherwise ({', '.join(words[:2])}{', …' if len(words) > 2 else ''})"
        )
    if values:
        parts.append(f"{len(numbers)} of {count} answers change by up to {max(values):.0e}")
    elif steps:
        parts.append(f"{len(numbers)} of {count} motions take other steps")
    return "; ".join(parts)


def numbers() -> dict[str, str]:
    """Every real number by "file.py:NAME", and its value as written; those that decide verdicts first."""
    found = {f"{c.file}:{name}": value for c in constants() for name, value in values(c).items()}
    return dict(sorted(found.items(), key=lambda x: next((i for i, f in enumerate(FIRST) if x[0].startswith(f)), 99)))


def try_all(wanted: list[str], jobs: int) -> None:
    """Try numbers and write what came of it."""
    known: dict[str, Found] = pickle.loads(REACH.read_bytes())
    tried = json.loads(TRIED.read_text(encoding="utf-8"))
    every = numbers()
    read = {where for x in known.values() for where in x.reads}
    left = wanted or [w for w, value in every.items() if w in read and tried.get(w, {}).get("value") != value]

    def one(where: str) -> dict[str, str]:
        questions = chosen_for(where, known, tests=False)
        tests = chosen_for(where, known, tests=True) if len(questions) < ENOUGH else []
        made = {"value": every[where]}
        if not questions and not tests:
            return made | {"unread": "none of the questions and tests reads it"}
        return made | {
            how: said(known, questions, tests, attempt(where, x, questions, tests)) for how, x in WAYS.items()
        }

    with ThreadPoolExecutor(jobs) as pool:
        for where, made in zip(left, pool.map(one, left)):
            tried = json.loads(TRIED.read_text(encoding="utf-8")) | {where: made}
            kept = {w: x for w, x in sorted(tried.items()) if w in every}
            TRIED.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            print(f"{where}: {made}", flush=True)


def main() -> None:
    assert numpy and scipy.linalg and yaml  # imported once, before processes are forked
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    os.environ.setdefault("DALEMBERT_CACHE_DIR", str(ROOT / "out" / "tolerance-cache"))
    if chosen.numbers[:1] == ["reach"]:
        reach(chosen.jobs, chosen.numbers[1:])
    else:
        try_all(chosen.numbers, chosen.jobs)


if __name__ == "__main__":
    main()
