"""The ledger of the gates: what each run examined, on which code and machine. Runs add up, each with numbers that no run has had.

A run writes what it has so far, so that nothing is lost where it is stopped. What went wrong in earlier runs is tried again by the next
one; where it goes well now, the ledger says since which commit.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import reporting

EVERY = 20.0
"""Seconds between two writings."""
SHOWN = 40
"""Faults that are listed one by one."""


@dataclass
class Run:
    """Numbers from `first` up to `after`, of which `cases` were examined."""

    first: int
    after: int
    commit: str
    about: dict[str, Any]
    day: str
    cases: int = 0
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    """What went wrong, by number."""
    mended: dict[str, str] = field(default_factory=dict)
    """Commit at which a number of `faults` first went well, by number."""


class Ledger:
    """The runs of one gate."""

    def __init__(self, gate: str, path: Path = reporting.RESULTS / "reliability.json"):
        self.gate, self.path = gate, path
        self._saved = time.monotonic()

    def runs(self) -> list[Run]:
        return [Run(**{**x, "counts": Counter(x["counts"])}) for x in self._read().get(self.gate, [])]

    def begun(self, first: int | None = None) -> Run:
        """A run from the first number that none has had, or from this one."""
        runs = self.runs()
        start = max((run.after for run in runs), default=0) if first is None else first
        day = time.strftime("%Y-%m-%d", time.gmtime())
        return Run(start, start, commit(), reporting.about(), day)

    def save(self, run: Run, *, now: bool = False) -> bool:
        """Write the run in its place, now or where the last time is long ago."""
        if not now and time.monotonic() - self._saved < EVERY:
            return False
        self._saved = time.monotonic()
        with _locked(self.path.parent):
            every = self._read()
            others = [x for x in every.get(self.gate, []) if x["first"] != run.first]
            every[self.gate] = sorted([*others, dict(vars(run))], key=lambda x: x["first"])
            temporary = self.path.with_suffix(".json.part")
            temporary.write_text(json.dumps(reporting.rounded(every), indent=1) + "\n", encoding="utf-8")
            os.replace(temporary, self.path)
        return True

    def open_faults(self) -> list[tuple[Run, str]]:
        """Numbers that went wrong and have not gone well since, with their runs."""
        return [(run, number) for run in self.runs() for number in run.faults if number not in run.mended]

    def mended(self, run: Run, number: str) -> None:
        """This number goes well now."""
        own = next(x for x in self.runs() if x.first == run.first)
        own.mended[number] = commit()
        self.save(own, now=True)

    def _read(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = (
            json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        )
        return found


def total(runs: list[Run]) -> Run:
    """All of them as one."""
    found = Run(0, 0, "", {}, "")
    for run in runs:
        found.cases += run.cases
        found.seconds += run.seconds
        found.counts.update(run.counts)
        found.faults |= run.faults
        found.mended |= run.mended
        for name, value in run.worst.items():
            found.worst[name] = max(value, found.worst.get(name, 0.0))
    return found


def table(runs: list[Run]) -> str:
    """One line for each run: its numbers, its code, its machine."""
    lines = [
        "| numbers | cases | seconds | went wrong | of these mended | code | machine |",
        "|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        about = {k: v for k, v in run.about.items() if k in ("cpu", "lanes", "system", "python", "numpy")}
        lines.append(
            f"| {run.first}–{run.after - 1} | {run.cases} | {run.seconds:.0f} | {len(run.faults)} | {len(run.mended)} | "
            f"{run.about['dalembert']}, {run.commit}, {run.day} | {reporting.in_words(about)} |"
        )
    return "\n".join(lines)


def faults(runs: list[Run], how: str) -> str:
    """What went wrong, alike ones together; `how` shows a number again."""
    alike: dict[str, list[tuple[int, str]]] = {}
    for run in runs:
        for number, what in run.faults.items():
            alike.setdefault(what, []).append((int(number), run.mended.get(number, "")))
    if not alike:
        return "Nothing went wrong."
    lines = []
    for what, found in sorted(alike.items(), key=lambda x: -len(x[1])):
        last = sorted({m for _, m in found if m})
        left = sum(not m for _, m in found)
        state = f"mended, tried again on {', '.join(last)}" if not left else f"{left} open"
        lines.append(f"- {len(found)} × {what} ({how} {found[0][0]}): {state}")
    more = [f"- and {len(lines) - SHOWN} more kinds"] if len(lines) > SHOWN else []
    return "\n".join(["What went wrong:", "", *lines[:SHOWN], *more])


@cache
def commit() -> str:
    """The commit that is checked out, with a mark where code differs from it."""
    here, code = Path(__file__).parents[1], ("src", "tests", "benchmarks", ":!benchmarks/results")
    try:
        name, changed = (
            subprocess.run(["git", *command], cwd=here, capture_output=True, text=True, check=True).stdout.strip()
            for command in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain", "--", *code))
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name}, changed" if changed else name


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Gates may run at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
