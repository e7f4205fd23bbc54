"""Fuzz gate: spoilt files and strange calls, as many as asked for. Each must work or be refused in words, and soon.

    python benchmarks/fuzz.py [--cases 20000] [--first 0] [--workers 2] [--limit 20] [--quiet]
    python benchmarks/fuzz.py --one 12345

A fault is an exception that is no `DalembertError`, a case that takes longer than the limit, or the end of the process. Cases run in
processes of their own with 4 GB of memory each. `--one` runs a single case here, with its traceback. The counts go into
results/reliability.md under their own heading.
"""

from __future__ import annotations

import argparse
import os
import queue
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HEADING = "Fuzzed files and calls"
MEMORY = 4 * 2**30
BATCH = 500


@dataclass
class Tally:
    """Outcomes by kind of case, and the faults: number of the case → what happened."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: dict[int, str] = field(default_factory=dict)
    slowest: tuple[float, int] = (0.0, 0)

    def add(self, line: str) -> None:
        number, kind, outcome, seconds, what = line.rstrip("\n").split("\t", 4)
        self.outcomes[kind, outcome] += 1
        self.slowest = max(self.slowest, (float(seconds), int(number)))
        if outcome not in ("worked", "refused"):
            self.faults[int(number)] = f"{outcome}: {what}"


# -- in the worker -----------------------------------------------------------------------------------------------------------
class TooLong(BaseException):
    """The case has had its time."""


def outcome(number: int, limit: float) -> tuple[str, str, float, str]:
    """Kind, outcome, seconds and words for a case."""
    from fuzz_cases import Case

    from dalembert.errors import DalembertError

    case, began = Case(number), time.perf_counter()
    told, what = "worked", ""
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        case.run()
    except DalembertError as problem:
        told = "refused" if str(problem).strip() else "no words"
    except TooLong:
        told, what = "hang", _where(sys.exc_info()[2])
    except BaseException as problem:
        told, what = "traceback", f"{type(problem).__name__}: {str(problem)[:120]} at {_where(problem.__traceback__)}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    return case.kind, told, time.perf_counter() - began, " ".join(what.split())


def _ring(*_: object) -> None:
    raise TooLong


def _where(trace: object) -> str:
    """The innermost line of the package."""
    lines = [x for x in traceback.extract_tb(trace) if f"{os.sep}dalembert{os.sep}" in x.filename]  # type: ignore[arg-type]
    if not lines:
        return "outside the package"
    return f"{lines[-1].filename.rpartition(f'{os.sep}dalembert{os.sep}')[2]}:{lines[-1].lineno}"


def serve(first: int, count: int, limit: float) -> None:
    """One line for each case, before it begins its number alone."""
    from fuzz_cases import warm

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    warm()
    for number in range(first, first + count):
        out.write(f"{number}\n")
        kind, told, seconds, what = outcome(number, limit)
        out.write(f"{number}\t{kind}\t{told}\t{seconds:.3f}\t{what}\n")


# -- in the parent -----------------------------------------------------------------------------------------------------------
def work(jobs: queue.Queue[tuple[int, int]], tally: Tally, limit: float, lock: threading.Lock) -> None:
    """Takes batches; a batch whose process ends or stands still goes on after the case that did it."""
    while True:
        try:
            first, count = jobs.get_nowait()
        except queue.Empty:
            return
        while count:
            done, trouble = _batch(first, count, limit, tally, lock)
            if trouble:
                with lock:
                    tally.add(f"{first + done}\tunknown\t{trouble[0]}\t{limit:g}\t{trouble[1]}")
                done += 1
            first, count = first + done, count - done


def _batch(
    first: int, count: int, limit: float, tally: Tally, lock: threading.Lock
) -> tuple[int, tuple[str, str] | None]:
    command = [sys.executable, __file__, "--serve", str(first), str(count), "--limit", str(limit)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    still = threading.Timer(3600.0, process.kill)
    done, stopped = 0, threading.Event()

    def stop() -> None:
        stopped.set()
        process.kill()

    try:
        for line in process.stdout:
            still.cancel()
            still = threading.Timer(2.0 * limit + 30.0, stop)
            still.daemon = True
            still.start()
            if "\t" in line:
                done += 1
                with lock:
                    tally.add(line)
        code = process.wait()
    finally:
        still.cancel()
        process.kill()
    if done == count:
        return done, None
    return done, ("hang", "stood still in compiled code") if stopped.is_set() else (
        "crash",
        f"the process ended with {code}",
    )


def gate(cases: int, first: int, workers: int, limit: float) -> Tally:
    jobs: queue.Queue[tuple[int, int]] = queue.Queue()
    for start in range(first, first + cases, BATCH):
        jobs.put((start, min(BATCH, first + cases - start)))
    tally, lock = Tally(), threading.Lock()
    threads = [threading.Thread(target=work, args=(jobs, tally, limit, lock)) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tally


def report(tally: Tally, cases: int, first: int, seconds: float, limit: float) -> str:
    kinds = sorted({kind for kind, _ in tally.outcomes})
    columns = ("worked", "refused", "traceback", "hang", "crash", "no words")
    lines = [
        f"{cases:,} cases (numbers {first} to {first + cases - 1}), {seconds:.0f} s, {limit:g} s each at most; "
        f"the slowest took {tally.slowest[0]:.1f} s (number {tally.slowest[1]}).",
        "",
        f"| spoilt | {' | '.join(columns)} |",
        f"| --- |{' --- |' * len(columns)}",
        *(f"| {kind} | {' | '.join(str(tally.outcomes[kind, x]) for x in columns)} |" for kind in kinds),
        f"| all | {' | '.join(str(sum(tally.outcomes[k, x] for k in kinds)) for x in columns)} |",
    ]
    if tally.faults:
        alike: dict[str, list[int]] = {}
        for number, what in sorted(tally.faults.items()):
            alike.setdefault(what, []).append(number)
        lines += ["", "Faults:", ""]
        lines += [
            f"- {len(numbers)} × {what} (`--one {numbers[0]}`)"
            for what, numbers in sorted(alike.items(), key=lambda x: -len(x[1]))[:40]
        ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("--one", type=int)
    parser.add_argument("--quiet", action="store_true", help="print only; leave the report as it is")
    parser.add_argument("--serve", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(*given.serve, given.limit)
        return 0
    if given.one is not None:
        from fuzz_cases import Case

        case = Case(given.one)
        print(case.kind)
        case.run()
        return 0
    began = time.perf_counter()
    tally = gate(given.cases, given.first, given.workers, given.limit)
    text = report(tally, given.cases, given.first, time.perf_counter() - began, given.limit)
    print(text)
    if not given.quiet:
        sys.path.insert(0, str(Path(__file__).parent))
        from reliability_report import replace_section

        replace_section(HEADING, text)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
