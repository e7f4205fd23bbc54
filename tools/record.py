"""Records the package's answers, so that before and after a change can be compared to the last bit.

python tools/record.py write FILE [--states BEFORE] [--only PATTERN] [--jobs N]
python tools/record.py compare BEFORE AFTER

Asked are the gallery, random mechanisms of every kind, benchmarks, commands and mistakes; errors and warnings are recorded as words.
With `--states` mechanisms are asked at the states of an earlier record, so that what differs there does not pass on to everything
else. Each mechanism is asked in a process of its own: one that crashes or hangs is an entry, not the end. Code compiled earlier is not
used.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported: sums of several threads have no fixed order
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from tools.answers import Answers, report

LONGEST = 300.0
"""Seconds for one mechanism."""


def questions(states: Mapping[str, object]) -> dict[str, Callable[[], Answers]]:
    """Everything that is asked, by name."""
    from tools.questions import Questions
    from tools.subjects import subjects
    from tools.surroundings import SURROUNDINGS

    def of_subject(name: str, made: Callable) -> Answers:
        answers = Answers()
        subject = answers.ask(f"mechanism/{name}/made", made, lambda _: {})
        if subject is not None:
            answers.add(Questions(name, subject, states).ask_all())
        return answers

    def of_surroundings(ask: Callable) -> Answers:
        answers = Answers()
        ask(answers)
        return answers

    found = {name: partial(of_subject, name, made) for name, made in subjects().items()}
    return found | {name: partial(of_surroundings, ask) for name, ask in SURROUNDINGS.items()}


def alone(name: str, ask: Callable[[], Answers], cache: str | None = None) -> tuple[Answers, float]:
    """What is answered in a process of its own, and the seconds it computed; whatever ends it is an answer, too.

    `cache` is the folder for compiled code, if not the usual one.
    """
    fork = multiprocessing.get_context("fork")
    receiving, sending = fork.Pipe(duplex=False)

    def work() -> None:
        if cache is not None:
            os.environ["DALEMBERT_CACHE_DIR"] = cache
        try:
            found = ask()
        except BaseException as problem:
            found = _failed(name, f"{type(problem).__name__}: {problem}")
        sending.send((found, time.process_time()))

    process = fork.Process(target=work)
    process.start()
    sending.close()
    found, taken = _failed(name, f"no answer in {LONGEST:g} s"), LONGEST
    try:
        if receiving.poll(LONGEST):
            found, taken = receiving.recv()
    except EOFError:
        process.join()
        found = _failed(name, f"the process ended with {process.exitcode}")
    process.kill()
    process.join()
    return found, taken


def _failed(name: str, why: str) -> Answers:
    return Answers(words={f"failed/{name}/error": why})


def write(path: Path, states: Path | None, only: str, jobs: int) -> str:
    """Record everything; says what was recorded."""
    known = {} if states is None else Answers.load(states).values
    every = {name: ask for name, ask in questions(known).items() if fnmatch(name, only)}
    found, seconds = Answers(), {}
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(jobs) as pool:
        for name, (made, taken) in zip(every, pool.map(partial(alone, cache=cache), every, every.values())):
            found.add(made)
            seconds[name] = taken
    found.save(path)
    counts = Counter(key.split("/")[0] for key in (*found.values, *found.words))
    errors = sum(key.endswith("/error") for key in found.words)
    slowest = sorted(seconds.items(), key=lambda x: -x[1])[:10]
    lines = [f"{'kind':18}{'entries':>7}{'seconds':>9}"]
    lines += [f"{kind:18}{n:7}{found.seconds[kind]:9.1f}" for kind, n in sorted(counts.items())]
    lines += [f"{len(found)} entries of {len(every)} subjects, {errors} of them errors; {sum(seconds.values()):.0f} s"]
    return "\n".join([*lines, "slowest: " + ", ".join(f"{name} {s:.1f} s" for name, s in slowest)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("file", type=Path)
    writing.add_argument("--states", type=Path, help="an earlier record, at whose states is asked")
    writing.add_argument("--only", default="*", help="subjects whose name is like this: 'gallery *'")
    writing.add_argument("--jobs", type=int, default=1, help="how many at a time")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    chosen = parser.parse_args()
    if chosen.command == "write":
        print(write(chosen.file, chosen.states, chosen.only, chosen.jobs))
    else:
        print(report(Answers.load(chosen.before), Answers.load(chosen.after)))


if __name__ == "__main__":
    main()
