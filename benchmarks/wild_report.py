"""What `wild.py` found, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from benchmarks import reporting
from benchmarks.wild_round_trip import SAME, told

ABOUT = (
    "Files as packages on PyPI carry them, read and compared with MuJoCo (MJCF), Pinocchio (URDF) and Drake (SDF) in",
    "random states, at rest, in motion and with actuators on: accelerations to 1e-8 of the largest, or to what rounding of the mass",
    "matrix leaves of them. *told*: they differ, a note says what was changed or left out, and the peer agrees when it reads the file",
    "with just that changed. *refused*: the peer reads it. *not compared*: the peer refuses it, or has other joints. Seconds of",
    "processor time, median.",
)
VERDICTS = ("agrees", "told", "SILENTLY WRONG", "not compared", "nothing moves", "refused", "refused by both")
FORMATS = {"mujoco": "MJCF", "robot": "URDF", "sdf": "SDF"}
LEAST_READ = 0.98
"""Part of what the peers read that is to be read."""

EXACT = 1e-8
"""Difference up to which two programs agree."""
MOST_LINES = 60
"""Lines of a list of files."""


def verdict(one: dict[str, Any]) -> str:
    """In a word."""
    if not one["read"]:
        return "refused" if one["peer reads"] else "refused by both"
    if not one.get("moves"):
        return "nothing moves"
    if not one.get("compared"):
        return "not compared"
    return "agrees" if one["agrees"] else "told" if one.get("explained") else "SILENTLY WRONG"


def wrong(one: dict[str, Any]) -> bool:
    return verdict(one) == "SILENTLY WRONG" or bool(one.get("traceback"))


def report(found: list[dict[str, Any]], keep: bool) -> str:
    """All of it as Markdown; kept with the results if that is wanted."""
    text = "\n".join(_lines(found)) + "\n"
    if keep:
        reporting.RESULTS.mkdir(exist_ok=True)
        (reporting.RESULTS / "wild.md").write_text(text, encoding="utf-8")
    return text


def _lines(found: list[dict[str, Any]]) -> Iterable[str]:
    yield "# Robots as people have them"
    yield ""
    yield reporting.in_words(reporting.about(*_peers()))
    yield ""
    yield from ABOUT
    yield ""
    columns = ["package", "format", "files", *VERDICTS, "ours, s", "peer, s"]
    yield "| " + " | ".join(columns) + " |"
    yield "|---" * len(columns) + "|"
    for package, kind in sorted({(x["package"], x["kind"]) for x in found}):
        yield _row(package, FORMATS[kind], [x for x in found if (x["package"], x["kind"]) == (package, kind)])
    yield _row("**all**", "", found)
    yield ""
    taken = [x for x in found if x["peer reads"]]
    compared = [x for x in found if x.get("compared")]
    n = sum(x["read"] for x in taken)
    yield f"Of {len(taken)} files that the peers read, {n} are read ({n / max(len(taken), 1):.2%}; aim {LEAST_READ:.0%})."
    good = Counter(map(verdict, compared))
    rounded = sum(bool(x["agrees"]) and x["difference"] > EXACT for x in compared)
    yield f"Of {len(compared)} compared, {good['agrees']} agree ({rounded} of them to rounding only),"
    yield f"{good['told']} differ as a note tells,"
    yield f"{good['SILENTLY WRONG']} differ without one."
    yield from _round_trips(found)
    for name in ("SILENTLY WRONG", "refused", "told", "not compared"):
        listed = [x for x in found if verdict(x) == name and (name != "not compared" or x["peer reads"])]
        if listed:
            yield from ["", f"## {name.capitalize()}", ""]
            yield from (f"- {x['package']}: {x['file']}: {_why(x, name)}" for x in listed[:MOST_LINES])
        if len(listed) > MOST_LINES:
            yield f"- … and {len(listed) - MOST_LINES} more"
    broken = [x for x in found if x.get("traceback")]
    yield from (f"- TRACEBACK {x['file']}: {x['traceback']}" for x in broken)


def _round_trips(found: list[dict[str, Any]]) -> Iterable[str]:
    """What came back of what was written, and what the peers made of it."""
    trips = [(x, x["round trip"]) for x in found if "round trip" in x]
    yield ""
    yield f"Written as MJCF and URDF and read back, {len(trips)} robots:"
    for name, words in (
        ("xml", "MJCF"),
        ("urdf", "URDF"),
        ("mujoco", "MuJoCo reads it"),
        ("pinocchio", "Pinocchio reads it"),
    ):
        made = [trip[name] for _, trip in trips if name in trip]
        least = SAME if name in ("xml", "urdf") else EXACT
        said = [x for x in made if not isinstance(x, str)]
        yield f"- {words}: {sum(x <= least for x in said)} of {len(made)} to {least:.0e}"
    lines = [f"- {x['file']}: {line}"[:240] for x, trip in trips for line in told(trip)]
    yield from ["", "Of these not:", "", *lines[:MOST_LINES]] if lines else []
    yield from [f"- … and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []


def _why(x: dict[str, Any], name: str) -> str:
    if name == "SILENTLY WRONG":
        return f"{x['difference']:.1e}; {x['worst']}; as read {x.get('as read', 'not tried')}"
    said = x["told"][0] if name == "told" else x.get("reason", "")
    return (f"{x['difference']:.1e}; " if name == "told" else "") + str(said)[:220]


def _row(package: str, kind: str, of: list[dict[str, Any]]) -> str:
    counts = Counter(map(verdict, of))
    both = [x for x in of if x.get("read") and x.get("peer reads")]
    times = (sorted(x[name] for x in both) or [float("nan")] for name in ("seconds", "peer seconds"))
    cells = [
        package,
        kind,
        str(len(of)),
        *(str(counts[v]) for v in VERDICTS),
        *(f"{x[len(x) // 2]:.3f}" for x in times),
    ]
    return "| " + " | ".join(cells) + " |"


def _peers() -> Iterable[Any]:
    for name in ("mujoco", "pinocchio", "pydrake"):
        try:
            module = import_module(name)
        except ImportError:
            continue
        if hasattr(module, "__version__"):
            yield module
