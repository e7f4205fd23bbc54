"""Who is called on four common ways through the package: calls of its own functions, with how many functions, files and rooms.

python tools/walks.py

forward_dynamics of a chain of five, simulate of the four-bar (each with nothing compiled yet, and again), equations("kane").text(), and
`dalembert simulate four_bar -o x.html`. Each runs in a process of its own with an empty cache. Bodies of modules and classes are not
counted; what runs when a module is imported on the way, is.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "dalembert"


class Walk:
    """Counts calls of the package's functions while it is entered."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, int, str]] = Counter()
        self._prefix, self._last, self._changes = f"{PACKAGE}{os.sep}", "", 0

    def __enter__(self) -> Walk:
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(self._prefix) or not code.co_flags & inspect.CO_OPTIMIZED:
            return
        file = code.co_filename[len(self._prefix) :]
        self._calls[file, code.co_firstlineno, code.co_name] += 1
        room = room_of(file)
        self._changes += room != self._last
        self._last = room

    def counts(self) -> dict[str, Any]:
        files = {file for file, _, _ in self._calls}
        by_room = Counter(map(room_of, sorted(files)))
        return {
            "calls": sum(self._calls.values()),
            "functions": len(self._calls),
            "files": len(files),
            "rooms": len(by_room),
            "changes of room": self._changes,
            "files by room": dict(by_room.most_common()),
        }


def room_of(file: str) -> str:
    """The topmost folder; a file at the root is a room of its own."""
    return Path(file).parts[0].removesuffix(".py")


def _counted(walk: Callable[[], Any]) -> dict[str, Any]:
    with Walk() as found:
        walk()
    return found.counts()


def forward_dynamics() -> dict[str, Any]:
    import numpy as np

    import dalembert as da

    s = da.System("chain", gravity=(0, 0, -9.81))
    carrier = "ground"
    for i, axis in enumerate([(0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0)]):
        s.add_body(f"b{i}", mass=1.0 + i, com=(0.1, 0.02, -0.2), inertia=(0.1, 0.2, 0.15))
        s.add_joint(f"j{i}", da.Revolute(axis), carrier, f"b{i}", at_parent=(0.0, 0.0, 0.3))
        carrier = f"b{i}"
    m = s.build()
    q, u = np.linspace(-0.5, 0.5, 5), np.linspace(1.0, -1.0, 5)
    names = ("forward_dynamics, 5-chain, cold", "forward_dynamics, 5-chain, warm")
    return {name: _counted(lambda: m.forward_dynamics(q, u)) for name in names}


def simulate() -> dict[str, Any]:
    import dalembert as da

    m = da.load(ROOT / "examples" / "four_bar.yaml")
    return {name: _counted(m.simulate) for name in ("simulate, four-bar, cold", "simulate, four-bar, warm")}


def equations() -> dict[str, Any]:
    import dalembert as da

    m = da.load(ROOT / "examples" / "four_bar.yaml")
    return {"equations('kane').text(), four-bar": _counted(lambda: m.equations("kane").text())}


def command() -> dict[str, Any]:
    from dalembert.cli import main

    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        sys.argv = ["dalembert", "simulate", str(ROOT / "examples" / "four_bar.yaml"), "-o", f"{folder}/x.html"]
        out, sys.stdout = sys.stdout, nowhere

        def run() -> None:
            try:
                main()
            except SystemExit as ended:
                if ended.code:
                    raise RuntimeError(f"the command ended with {ended.code}") from None

        try:
            return {"dalembert simulate -o x.html": _counted(run)}
        finally:
            sys.stdout = out


WALKS = {f.__name__: f for f in (forward_dynamics, simulate, equations, command)}


def alone(name: str) -> dict[str, Any]:
    """One walk, in a process of its own with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        places = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        chosen = {"DALEMBERT_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(places), "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, __file__, name], env={**os.environ, **chosen}, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(f"the walk {name} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    made = WALKS[sys.argv[1]]() if sys.argv[1:] else {k: v for name in WALKS for k, v in alone(name).items()}
    print(json.dumps(made, indent=1))
