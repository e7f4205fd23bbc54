"""What all benchmarks tell alike: machine and versions, what was found, and what falls short."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import dalembert as da
from dalembert.trace.native import host

RESULTS = Path(__file__).parent / "results"


def about(*peers: ModuleType) -> dict[str, Any]:
    """The machine, and the versions of everything that was measured."""
    return {
        "cpu": f"{_processor()} ({host().cpu})",
        "lanes": host().lanes,
        "processors": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{x.__name__: x.__version__ for x in (da, np, *peers)},
    }


def in_words(about: dict[str, Any]) -> str:
    return ", ".join(f"{k} {v}" for k, v in about.items())


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(x.split(":", 1)[1].strip() for x in lines if x.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def rounded(thing: Any) -> Any:
    """Four digits of every measured number."""
    if isinstance(thing, dict):
        return {k: rounded(x) for k, x in thing.items()}
    if isinstance(thing, list):
        return [rounded(x) for x in thing]
    return float(f"{thing:.4g}") if isinstance(thing, float) else thing


def keep(name: str, results: Any, table: str) -> None:
    """Put figures and table into the folder of results."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(rounded(results), indent=1) + "\n", encoding="utf-8")
    (RESULTS / f"{name}.md").write_text(table, encoding="utf-8")


def say_what_falls_short(lines: Iterable[str]) -> int:
    """On stderr; the exit code."""
    short = list(lines)
    for line in short:
        print(f"short of the target: {line}", file=sys.stderr)
    return 1 if short else 0
