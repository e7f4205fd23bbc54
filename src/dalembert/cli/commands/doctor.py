"""`dalembert doctor`: the machine, its targets, the cache, versions, and a self-test of compiled code."""

from __future__ import annotations

import os
import platform
import re
import sys
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.model import Json
from dalembert.cli.report import note, say, say_json
from dalembert.version import __version__

if TYPE_CHECKING:
    from dalembert.analysis.self_test import SelfTest

MODELS = ("pendulum", "four_bar", "satellite", "press", "human_body", "flexible_satellite")
"""Gallery models of the self-test: straight-line code, redundant loops, free rotation, elements with loops, loops over bodies, elastic
bodies."""
REPORT = (
    "In a bug report, send the output of `dalembert doctor --json`, the model file or the shortest Python that shows the fault, the "
    "command with all it printed, and what you expected."
)


def doctor(
    seconds: Annotated[
        float, typer.Option(help="Time limit of the self-test, s: no further model is started after it.", min=0.0)
    ] = 10.0,
    test: Annotated[bool, typer.Option("--test/--no-test", help="Whether to run the self-test.")] = True,
    json: Json = False,
) -> None:
    """Describe machine, targets, cache and versions; test compiled code; say what a bug report needs."""
    facts = {
        "dalembert": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()}, {sys.platform})",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors",
        **_targets(),
        "cache": _cache(),
        "packages": _packages(),
        "environment": {k: _homeless(v) for k, v in sorted(os.environ.items()) if k.startswith("DALEMBERT_")},
    }
    if not json:
        _say_facts(facts)
    result = _tested(seconds) if test else None
    if json:
        say_json(facts | {"self-test": None if result is None else _as_data(result)})
    else:
        if result is not None:
            _say_result(result)
        say(f"\n{REPORT}")
    if result is not None and not result.passed:
        raise typer.Exit(1)


def _targets() -> dict[str, Any]:
    """The processor, and what code this process makes for it; where that cannot be asked, why."""
    try:
        from dalembert.trace.native.target import executable, host, target_of

        return {
            "processor": f"{host().cpu}, {host().lanes} doubles in a vector register",
            "target": target_of(None).name,
            "targets": {t.name: f"{t.lanes} states at once" for t in executable()},
        }
    except Exception as problem:  # a broken compiler may raise anything, and this command is there to say so
        return {"processor": f"unknown: {type(problem).__name__}: {problem}", "target": None, "targets": {}}


def _cache() -> dict[str, Any]:
    """Where compiled code is kept, how much there is, and whether more can be kept."""
    from dalembert.trace.native.cache import cache_directory
    from dalembert.trace.native.entries import entries_in, files_in

    folder = cache_directory()
    if folder is None:
        return {"folder": "off", "usable": False, "entries": 0, "megabytes": 0.0}
    usable = entries_in(folder) is not None and os.access(folder, os.W_OK)
    found = [path.stat().st_size for path in files_in(folder) if path.exists()]
    megabytes = round(sum(found) / 1e6, 1)
    return {"folder": _homeless(str(folder)), "usable": usable, "entries": len(found), "megabytes": megabytes}


def _packages() -> dict[str, str]:
    """Versions of what this package requires, and of the optional packages that are installed."""
    try:
        wanted = metadata.requires("dalembert") or []
    except metadata.PackageNotFoundError:
        return {}
    found = {}
    for line in wanted:
        name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
        optional = "extra ==" in line
        if optional and re.search(r"extra == ['\"](dev|peers)['\"]", line):
            continue
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed (optional)" if optional else "MISSING"
    return found


def _homeless(text: str) -> str:
    """A path without the user's name."""
    return text.replace(str(Path.home()), "~")


def _tested(seconds: float) -> SelfTest:
    """The self-test, on code compiled now: what is kept of earlier runs is not used."""
    from dalembert.analysis.self_test import self_test
    from dalembert.files.gallery import files
    from dalembert.files.models import load_system
    from dalembert.trace.native.target import executable

    note(f"self-test: compiled code against the interpreter, about {max(seconds, 2):g} s …")
    gallery = files()
    kept = os.environ.get("DALEMBERT_CACHE_DIR")
    os.environ["DALEMBERT_CACHE_DIR"] = "off"
    try:
        systems = {name: partial(load_system, gallery[name]) for name in MODELS}
        return self_test(systems, [t.name for t in executable()], seconds)
    finally:
        del os.environ["DALEMBERT_CACHE_DIR"]
        if kept is not None:
            os.environ["DALEMBERT_CACHE_DIR"] = kept


def _as_data(result: SelfTest) -> dict[str, Any]:
    return {
        "passed": result.passed,
        "seconds": round(result.seconds, 1),
        "models left out": list(result.left_out),
        "checks": [vars(c) | {"passed": c.passed} for c in result.checks],
    }


def _say_facts(facts: dict[str, Any]) -> None:
    for name, value in facts.items():
        if isinstance(value, dict):
            value = ", ".join(f"{k} {v}" if name != "environment" else f"{k}={v}" for k, v in value.items()) or "none"
        say(f"{name:<12} {value}")


def _say_result(result: SelfTest) -> None:
    models = list(dict.fromkeys(c.model for c in result.checks))
    say(f"\nself-test    {len(result.checks)} comparisons in {result.seconds:.1f} s, of {', '.join(models)}")
    for target in dict.fromkeys(c.target for c in result.checks):
        of_target = [c for c in result.checks if c.target == target]
        passed = all(c.passed for c in of_target)
        largest = max((c.difference for c in of_target if c.difference >= 0), default=float("nan"))
        say(f"  {target:<10} {'agrees' if passed else 'FAILED'}, largest relative difference {largest:.1e}")
    for c in result.failures:
        said = c.problem or f"differs by {c.difference:.2g}, allowed are {c.allowed:.0e}"
        say(f"  FAILED: {c.model}, {c.target}, {c.quantity}: {said}")
    if result.left_out:
        say(
            f"  no time was left for {', '.join(result.left_out)}: --seconds {2 * result.seconds:.0f} takes more of them"
        )
    if not result.passed:
        say("  The self-test failed: do not trust results from this machine until it passes.")
