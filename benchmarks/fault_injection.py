"""What happens when the machine fails: processes killed while they write, full disks, damaged and foreign files, signals.

Every injection runs in processes of its own in a folder of its own, and ends in one of three ways: "right" (the answer is
the one without the fault), "announced" (a DalembertError, the old file as it was) or what went wrong.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

ROOT = Path(__file__).parents[1]
LIMIT = 120
"""Seconds after which a process counts as hanging."""

MODEL = """
import json, os, sys
import numpy as np
import dalembert as da

def model(length=1.0):
    s = da.System("two rods", gravity=(0, -9.81, 0))
    parent, end = "ground", (0.0, 0.0, 0.0)
    for i in range(2):
        s.add_body(f"rod{i}", da.rod(1.0 + i, length))
        s.add_joint(f"A{i}", da.Revolute(), parent, f"rod{i}", at_parent=end)
        parent, end = f"rod{i}", (length, 0, 0)
    return s.build()

def answers(m):
    q, u = np.array([0.3, -0.2]), np.array([0.5, 0.7])
    motion = m.simulate(0.5, q, u, output=0.1)
    return [float(x).hex() for x in [*m.forward_dynamics(q, u), *m.mass_matrix(q).ravel(), *m.energies(q, u), *motion.q.ravel()]]
"""

ANSWERS = MODEL + "print(json.dumps(answers(model())))\n"
OTHER = MODEL + "print(json.dumps(answers(model(2.0))))\n"


@dataclass
class Outcomes:
    """How often each injection ended how."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def note(self, injection: str, outcome: str) -> None:
        self.counts.setdefault(injection, Counter())[outcome] += 1

    @property
    def faults(self) -> list[str]:
        return [
            f"{injection}: {outcome} ({n}×)"
            for injection, counts in self.counts.items()
            for outcome, n in counts.items()
            if outcome not in ("right", "announced")
        ]


def start(code: str, cache: Path | str, *arguments: str, **more: str) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    environment = os.environ | {"DALEMBERT_CACHE_DIR": str(cache), "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    environment |= more
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], env=environment, cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, what it said and what it complained of; a process that hangs is killed and says so."""
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return -1, "", "hangs"
    return process.returncode, out, err


def run(code: str, cache: Path | str, *arguments: str, **more: str) -> tuple[int, str, str]:
    return finish(start(code, cache, *arguments, **more))


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="faults") as place:
        yield Path(place)


def judged(done: tuple[int, str, str], expected: str) -> str:
    code, out, err = done
    if code:
        return f"exit {code}: {err.strip().splitlines()[-1] if err.strip() else 'without a word'}"
    return "right" if out == expected else "a wrong answer"


def filled(template: str, **values: object) -> str:
    return Template(template).substitute(values)


class Injections:
    """All injections, with the answers of an undisturbed run."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.home = Path(tempfile.mkdtemp(prefix="faults"))
        code, self.expected, complaint = run(ANSWERS, self.home / "warm")
        assert code == 0, complaint
        code, self.other, complaint = run(OTHER, self.home / "other")
        assert code == 0, complaint

    def close(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)

    def warm(self, place: Path) -> Path:
        """A copy of the warm cache."""
        return Path(shutil.copytree(self.home / "warm", place / "cache"))  # with the times at which they were written

    # -- cache --------------------------------------------------------------------------------------------------------------
    def killed_while_caching(self) -> str:
        """Killed between the bytes of an entry and its moving into place."""
        with folder() as place:
            after = self.random.randint(1, 3)
            code, _, _ = run(filled(_KILL, after=after, name="replace") + ANSWERS, place / "cache")
            if code != -signal.SIGKILL:
                return "was not killed"
            return judged(run(ANSWERS, place / "cache"), self.expected)

    def killed_any_time(self) -> str:
        with folder() as place:
            process = start(ANSWERS, place / "cache")
            time.sleep(self.random.uniform(0.3, 1.5))
            process.kill()
            process.communicate()
            return judged(run(ANSWERS, place / "cache"), self.expected)

    def bits_flipped(self) -> str:
        with folder() as place:
            for entry in self.warm(place).iterdir():
                content = bytearray(entry.read_bytes())
                for _ in range(self.random.randint(1, 4)):
                    content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
                entry.write_bytes(content)
            return judged(run(ANSWERS, place / "cache"), self.expected)

    def truncated(self) -> str:
        with folder() as place:
            for entry in self.warm(place).iterdir():
                content = entry.read_bytes()
                entry.write_bytes(content[: self.random.randrange(len(content))])
            return judged(run(ANSWERS, place / "cache"), self.expected)

    def something_else(self) -> str:
        """Folders and noise in the places of entries."""
        with folder() as place:
            for entry in self.warm(place).iterdir():
                entry.unlink()
                if self.random.random() < 0.5:
                    entry.mkdir()
                else:
                    entry.write_bytes(self.random.randbytes(self.random.randrange(5000)))
            return judged(run(ANSWERS, place / "cache"), self.expected)

    def entries_of_another_model(self) -> str:
        """Whole and sound entries, under the names of others."""
        with folder() as place:
            self._put_in(self.home / "other", self.warm(place))
            return judged(run(ANSWERS, place / "cache"), self.expected)

    def entries_of_another_target(self) -> str:
        with folder() as place:
            run(ANSWERS, place / "theirs", DALEMBERT_TARGET="x86-64")
            self._put_in(place / "theirs", self.warm(place))
            return judged(run(ANSWERS, place / "cache"), self.expected)

    @staticmethod
    def _put_in(foreign: Path, cache: Path) -> None:
        """Entries of one folder under the names of the other's, in the order in which both were written."""
        theirs, mine = (sorted(x.iterdir(), key=lambda p: p.stat().st_mtime_ns) for x in (foreign, cache))
        for a, b in zip(theirs, mine, strict=False):
            shutil.copyfile(a, b)

    def two_at_once(self) -> str:
        with folder() as place:
            both = [start(ANSWERS, place / "cache") for _ in range(2)]
            found = {judged(finish(process), self.expected) for process in both}
            return found.pop() if len(found) == 1 else str(sorted(found))

    def cache_disk_full(self) -> str:
        """No file may grow beyond a few bytes."""
        with folder() as place:
            return judged(
                run(filled(_FULL, bytes=self.random.randint(0, 2000)) + ANSWERS, place / "cache"), self.expected
            )

    def cache_is_a_file(self) -> str:
        with folder() as place:
            (place / "cache").write_text("no folder")
            return judged(run(ANSWERS, place / "cache"), self.expected)

    # -- files of the user's ---------------------------------------------------------------------------------------------------
    def killed_while_saving(self) -> str:
        """Motion, page, model or checkpoint: at a random moment of writing the second one, the first one stays."""
        with folder() as place:
            kind, moment = self.random.choice(list(_SAVED)), self.random.choice(["fsync", "replace"])
            code, _, err = run(
                filled(_SAVE, kind=kind, fault=filled(_KILL, after=1, name=moment)), self._cache, str(place)
            )
            if code != -signal.SIGKILL:
                return f"{kind} was not killed: {err.strip()[-200:]}"
            return judged(run(filled(_CHECK, kind=kind), self._cache, str(place)), "first\n")

    def disk_full_while_saving(self) -> str:
        with folder() as place:
            kind = self.random.choice(list(_SAVED))
            fault = filled(_FULL, bytes=self.random.randint(0, 100))
            code, out, err = run(filled(_SAVE, kind=kind, fault=fault), self._cache, str(place))
            if code or out != "announced\n":
                return f"{kind}: {(out + err).strip()[-200:]}"
            left = [p.name for p in place.iterdir() if p.name.endswith(".part")]
            if left:
                return f"{kind} left {left} behind"
            found = judged(run(filled(_CHECK, kind=kind), self._cache, str(place)), "first\n")
            return "announced" if found == "right" else f"{kind}: {found}"

    def damaged_motion_or_checkpoint(self) -> str:
        """A few bits of a saved file: read as it was, or refused."""
        with folder() as place:
            kind = self.random.choice(["motion", "checkpoint"])
            run(filled(_SAVE, kind=kind, fault="raise SystemExit"), self._cache, str(place))
            target = next(p for p in place.iterdir() if p.name.startswith(kind))
            content = bytearray(target.read_bytes())
            for _ in range(self.random.randint(1, 3)):
                content[self.random.randrange(len(content))] ^= 1 << self.random.randrange(8)
            target.write_bytes(
                content if self.random.random() < 0.7 else content[: self.random.randrange(len(content))]
            )
            code, out, err = run(filled(_CHECK, kind=kind), self._cache, str(place))
            if code == 0 and out == "announced\n":
                return "announced"
            return judged((code, out, err), "first\n")

    @property
    def _cache(self) -> Path:
        return self.home / "saving"

    # -- signals, threads, fork ------------------------------------------------------------------------------------------------
    def interrupted(self) -> str:
        """Ctrl-C while a run marches: it stops, and the process goes on as before."""
        what = self.random.choice(["simulate", "simulate_many"])
        process = start(filled(_INTERRUPTED, what=what), self.home / "interrupted")
        line = process.stdout.readline() if process.stdout else ""
        if line != "marching\n":
            return judged(finish(process), "marching\n")
        time.sleep(self.random.uniform(0.05, 0.8))
        process.send_signal(signal.SIGINT)
        found = judged(finish(process), f"stopped\n{self.expected}")
        return found if found == "right" else f"{what}: {found}"

    def threads(self) -> str:
        with folder() as place:
            return judged(run(_THREADS, place / "cache"), "right\n")

    def forked(self) -> str:
        with folder() as place:
            return judged(run(_FORKED, place / "cache"), f"{self.expected}{self.expected}")


ALL: dict[str, Callable[[Injections], str]] = {
    "killed while an entry of the cache is moved in": Injections.killed_while_caching,
    "killed at any moment, then run again": Injections.killed_any_time,
    "cache with flipped bits": Injections.bits_flipped,
    "cache with truncated entries": Injections.truncated,
    "cache with folders and noise instead of entries": Injections.something_else,
    "cache with entries of another model under these names": Injections.entries_of_another_model,
    "cache with entries of another target under these names": Injections.entries_of_another_target,
    "two processes on one cold cache": Injections.two_at_once,
    "no room for the cache": Injections.cache_disk_full,
    "the cache's folder is a file": Injections.cache_is_a_file,
    "killed while a file is saved": Injections.killed_while_saving,
    "no room for a file": Injections.disk_full_while_saving,
    "flipped bits and lost ends of saved files": Injections.damaged_motion_or_checkpoint,
    "interrupted while it marches": Injections.interrupted,
    "six threads on a cold cache": Injections.threads,
    "forked after use": Injections.forked,
}


def inject(times: int, names: list[str] | None = None, seed: int = 0) -> Outcomes:
    """Every injection so many times."""
    outcomes, injections = Outcomes(), Injections(seed)
    try:
        for name in ALL if names is None else names:
            for _ in range(times):
                outcomes.note(name, ALL[name](injections))
    finally:
        injections.close()
    return outcomes


_KILL = """
import os, signal
_left = [${after}]
_${name} = os.${name}
def _fatal(*args, **options):
    _left[0] -= 1
    if _left[0] <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return _${name}(*args, **options)
os.${name} = _fatal
"""
_FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (${bytes}, resource.RLIM_INFINITY))
"""
_SAVED = {"motion": "motion.nc", "page": "page.html", "model": "model.yaml", "checkpoint": "checkpoint.run"}
_FILES = f"""
import warnings
from pathlib import Path
FILES = {json.dumps(_SAVED)}

def stopping(calls):
    left = [calls]
    def control(s):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return {{}}
    return control

def save(kind, place, duration):
    path = Path(place) / FILES[kind]
    m = model()
    if kind == "model":
        s = da.System("saved", gravity=(0, -duration, 0))
        s.add_body("rod", da.rod(1.0, 1.0))
        s.add_joint("A", da.Revolute(), "ground", "rod")
        s.save(path)
        return
    if kind == "checkpoint":
        m.simulate(3.0, [0.3, -0.2], [0.5, 0.7], control=stopping(int(10 * duration)), control_rate=10.0, checkpoint=path)
        return
    motion = m.simulate(duration, [0.3, -0.2], [0.5, 0.7], output=0.1)
    if kind == "motion":
        motion.save(path)
    if kind == "page":
        motion.page(path)
"""
_SAVE = (
    MODEL
    + _FILES
    + """
save("${kind}", sys.argv[1], 1.0)
${fault}
try:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        save("${kind}", sys.argv[1], 2.0)
    print("announced" if told else "saved")
except da.DalembertError:
    print("announced")
"""
)
_CHECK = (
    MODEL
    + _FILES
    + """
path = Path(sys.argv[1]) / FILES["${kind}"]
try:
    if "${kind}" == "motion":
        print("first" if abs(da.load_motion(path, model()).t[-1] - 1.0) < 1e-12 else "second")
    elif "${kind}" == "page":
        text = path.read_text(encoding="utf-8")
        print("first" if text.rstrip().endswith("</html>") else "half a page")
    elif "${kind}" == "model":
        print("first" if da.load(path).gravity[1] == -1.0 else "second")
    else:
        given = dict(control=stopping(-1), control_rate=10.0)
        motion = model().simulate(3.0, [0.3, -0.2], [0.5, 0.7], **given, resume=path)
        same = np.array_equal(motion.q, model().simulate(3.0, [0.3, -0.2], [0.5, 0.7], **given).q)
        print("first" if same else "another motion")
except da.DalembertError:
    print("announced")
"""
)
_INTERRUPTED = (
    MODEL
    + """
m = model()
q, u = [0.3, -0.2], [0.5, 0.7]
if "${what}" == "simulate":
    m.simulate(0.1, q, u, rtol=1e-6)
    march = lambda: m.simulate(1e7, q, u, rtol=1e-6, output=1e3, max_steps=10**12)
else:
    m.simulate_many([q, q], 0.1, u, method="rk4", step=1e-3)
    march = lambda: m.simulate_many([q] * 64, 1e6, u, method="rk4", step=1e-4, output=1e5)
print("marching", flush=True)
try:
    march()
except KeyboardInterrupt:
    pass
print("stopped")
print(json.dumps(answers(model())))
"""
)
_THREADS = (
    MODEL
    + """
import threading
found = []
threads = [threading.Thread(target=lambda: found.append(answers(model()))) for _ in range(6)]
[x.start() for x in threads]
[x.join() for x in threads]
print("right" if len(found) == 6 and all(x == found[0] for x in found) else "threads differ")
"""
)
_FORKED = (
    MODEL
    + """
first = json.dumps(answers(model()))
child = os.fork()
if not child:
    print(json.dumps(answers(model())), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print(first)
"""
)
