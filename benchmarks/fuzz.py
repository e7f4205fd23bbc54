"""Fuzz gate: spoilt files and strange calls, as many as asked for. Each must work or be refused in words, and soon.

    python -m benchmarks.fuzz [--cases 20000] [--workers 2] [--limit 20]
    python -m benchmarks.fuzz --one 12345

A fault is an exception that is no `DalembertError`, a case that takes more processor time than the limit, or the end of the process.
Cases run in processes of their own with 4 GB of memory each. A run goes on where the last one ended, and adds up
(results/reliability.json); the totals are in results/reliability.md. `--one` runs a single case here, with its traceback.
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
from pathlib import Path

from benchmarks.ledger import Ledger, Run, table, total
from benchmarks.ledger import faults as went_wrong
from benchmarks.reliability_report import replace_section

ROOT = Path(__file__).parents[1]
HEADING = "Fuzzed files and calls"
MEMORY = 4 * 2**30
PATIENCE = 30.0
"""Times its limit of processor time that a case may take by the clock, on a busy machine, before it is taken to stand still."""
BATCH = 4000
"""Cases that a process takes; it begins with the imports and a first march."""


def told(line: str, run: Run) -> None:
    """Add one case to a run: its number, kind, outcome, seconds, and words."""
    number, kind, outcome, seconds, what = line.rstrip("\n").split("\t", 4)
    run.cases += 1
    run.counts[f"{kind}: {outcome}"] += 1
    run.worst["seconds"] = max(float(seconds), run.worst.get("seconds", 0.0))
    if outcome not in ("worked", "refused"):
        run.faults[number] = f"{outcome}: {what}"


# -- in the worker -----------------------------------------------------------------------------------------------------------
class TooLong(BaseException):
    """The case has had its time."""


def outcome(number: int, limit: float) -> tuple[str, str, float, str]:
    """Kind, outcome, seconds and words for a case."""
    from benchmarks.fuzz_cases import Case
    from dalembert.errors import DalembertError

    case, began = Case(number), time.process_time()
    told, what = "worked", ""
    signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        case.run()
    except DalembertError as problem:
        told = "refused" if str(problem).strip() else "no words"
    except TooLong:
        told, what = "hang", _where(sys.exc_info()[2])
    except BaseException as problem:
        told, what = "traceback", f"{type(problem).__name__}: {str(problem)[:120]} at {_where(problem.__traceback__)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return case.kind, told, time.process_time() - began, " ".join(what.split())


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
    from benchmarks.fuzz_cases import warm

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
Batch = tuple[int, int]
"""The first number, and how many."""


class Gate:
    """Workers that take batches and tell a run what comes out."""

    def __init__(self, limit: float, ledger: Ledger | None, run: Run):
        self.limit, self.ledger, self.run = limit, ledger, run
        self._began, self._lock = time.monotonic(), threading.Lock()

    def work(self, jobs: queue.Queue[Batch]) -> None:
        """A batch whose process ends or stands still goes on after the case that did it."""
        while True:
            try:
                first, count = jobs.get_nowait()
            except queue.Empty:
                return
            while count:
                done, trouble = self._batch(first, count)
                if trouble:
                    self._tell(f"{first + done}\tunknown\t{trouble[0]}\t{self.limit:g}\t{trouble[1]}")
                    done += 1
                first, count = first + done, count - done

    def _tell(self, line: str) -> None:
        with self._lock:
            told(line, self.run)
            self.run.after = max(self.run.after, int(line.partition("\t")[0]) + 1)
            self.run.seconds = time.monotonic() - self._began
            if self.ledger is not None and self.ledger.save(self.run):
                report(self.ledger.runs())

    def _batch(self, first: int, count: int) -> tuple[int, tuple[str, str] | None]:
        command = [sys.executable, "-m", "benchmarks.fuzz", "--serve", str(first), str(count)]
        process = subprocess.Popen([*command, "--limit", str(self.limit)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout is not None
        still = threading.Timer(3600.0, process.kill)
        done, stopped = 0, threading.Event()

        def stop() -> None:
            stopped.set()
            process.kill()

        try:
            for line in process.stdout:
                still.cancel()
                still = threading.Timer(PATIENCE * self.limit, stop)
                still.daemon = True
                still.start()
                if "\t" in line:
                    done += 1
                    self._tell(line)
            code = process.wait()
        finally:
            still.cancel()
            process.kill()
        if done == count:
            return done, None
        ended = ("crash", f"the process ended with {code}")
        return done, ("hang", "stood still in compiled code") if stopped.is_set() else ended

    def all(self, batches: list[Batch], workers: int) -> None:
        """Every batch, by so many workers at a time."""
        jobs: queue.Queue[Batch] = queue.Queue()
        for batch in batches:
            jobs.put(batch)
        threads = [threading.Thread(target=self.work, args=(jobs,)) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def try_again(ledger: Ledger, limit: float) -> None:
    """What went wrong in earlier runs, on this code."""
    for run, number in ledger.open_faults():
        again = ledger.begun(int(number))
        Gate(limit, None, again).all([(int(number), 1)], 1)
        if not again.faults:
            ledger.mended(run, number)


def report(runs: list[Run]) -> str:
    """The section of the report, over all runs."""
    every = total(runs)
    outcomes: Counter[tuple[str, str]] = Counter()
    for name, n in every.counts.items():
        kind, _, outcome = name.rpartition(": ")
        outcomes[kind, outcome] += n
    kinds = sorted({kind for kind, _ in outcomes})
    columns = ("worked", "refused", "traceback", "hang", "crash", "no words")
    lines = [
        f"{every.cases:,} cases; the slowest took {every.worst.get('seconds', 0.0):.1f} s.",
        "",
        f"| spoilt | {' | '.join(columns)} |",
        f"| --- |{' --- |' * len(columns)}",
        *(f"| {kind} | {' | '.join(str(outcomes[kind, x]) for x in columns)} |" for kind in kinds),
        f"| all | {' | '.join(str(sum(outcomes[k, x] for k in kinds)) for x in columns)} |",
        "",
        table(runs),
        "",
        went_wrong(runs, "`python -m benchmarks.fuzz --one`"),
    ]
    replace_section(HEADING, "\n".join(lines))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--first", type=int, help="begin with this number instead of the first that no run has had")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("--one", type=int)
    parser.add_argument("--serve", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(*given.serve, given.limit)
        return 0
    if given.one is not None:
        from benchmarks.fuzz_cases import Case

        case = Case(given.one)
        print(case.kind)
        case.run()
        return 0
    ledger = Ledger("fuzz")
    try_again(ledger, given.limit)
    run = ledger.begun(given.first)
    last = run.first + given.cases
    batches = [(start, min(BATCH, last - start)) for start in range(run.first, last, BATCH)]
    Gate(given.limit, ledger, run).all(batches, given.workers)
    ledger.save(run, now=True)
    print(report(ledger.runs()))
    return 1 if run.faults else 0


if __name__ == "__main__":
    sys.exit(main())
