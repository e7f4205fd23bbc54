"""Pages that simulate, over the gallery: from the move of a slider to the new picture, and pictures while a body is dragged.

For every model a page is written and opened in each browser. Its motion is compared with Python's over one second. Every slider is
moved to both ends and back, after which the first motion must return bit for bit; what the console says is counted, and every request.
Then sliders are moved to and fro, and the time is taken from the move until everything shown is computed and drawn: loops closed,
motion marched, poses, curves and reactions worked out, picture drawn. In real time a body is pulled about for ten seconds, and the time
that each picture takes is taken. Pictures are drawn by the processor here, where there is no graphics card; that part is told apart.

    python benchmarks/live.py [--only MODEL] [--browser chromium] [--quick] [--again]

Results are kept model by model: a page that has not changed since it was measured is not measured again, unless `--again` says so.

Everything is timed by the browser's own clock, which Firefox rounds to a millisecond.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from browsers import Reopening, chromium, firefox
from live_page import measured

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.files.gallery import files
from dalembert.view.bundle import document
from dalembert.view.live.live_model import live_model, refusal
from dalembert.view.page import BUDGET, MODULES, page_data

RESULTS = Path(__file__).parent / "results"
FRAME = 1000.0 / 60.0
CLOSE, CLOSED, QUICK, LARGE = 1e-9, 1e-12, 16.0, 2.5
"""What is asked for: distance from Python over 1 s, gap of loops by the mechanism's length, ms from slider to picture, MB of a page."""


def native_milliseconds(m: da.Mechanism, **options: Any) -> float:
    """The best of a few runs of the same motion in Python."""
    best, until = np.inf, time.perf_counter() + 1.0
    for k in range(4):
        began = time.perf_counter()
        m.simulate(**options)
        best = min(best, time.perf_counter() - began)
        if k and time.perf_counter() > until:
            break
    return 1e3 * float(best)


def grown(m: da.Mechanism, motion: Any, options: dict[str, Any]) -> float:
    """How much a change of the start by 1e-13 of its size has grown after a second, in Python: where it is much, digits are used up."""
    q = motion.q[0] * (1.0 + 1e-13) + 1e-13
    given = {"output": np.asarray(motion.t)} | options
    try:
        other = m.simulate(initial=q, speeds=motion.u[0], **given)
    except DalembertError:
        return 0.0
    k = min(int(np.searchsorted(motion.t, motion.t[0] + 1.0)), len(other.t) - 1, len(motion.t) - 1)
    expected = np.hstack([motion.q, motion.u])[: k + 1]
    off = np.abs(np.hstack([other.q, other.u])[: k + 1] - expected) / np.maximum(1.0, np.abs(expected).max(axis=0))
    return float(off.max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", help="this model; may be said several times")
    parser.add_argument("--browser", action="append", choices=["chromium", "firefox"])
    parser.add_argument("--quick", action="store_true", help="few moves and a second of dragging")
    parser.add_argument("--again", action="store_true", help="also where a page has not changed")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where results are kept")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    kept, began = chosen.folder / "live.json", time.monotonic()
    found: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else {}
    found.setdefault("left out", {})
    with ExitStack() as stack:
        pages = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        browsers = []
        for opened in (chromium, firefox):
            if chosen.browser and opened.__name__ not in chosen.browser:
                continue
            try:
                browsers.append(stack.enter_context(Reopening(opened)))
            except RuntimeError as problem:
                print(f"{opened.__name__}: {problem}")
        for name in (name for name in files() if not chosen.only or name in chosen.only):
            known = {} if chosen.again else {b.name: found.get(b.name, {}).get(name, {}).get("page") for b in browsers}
            for browser, row in rows_of(name, pages, browsers, chosen.quick, known):
                found.setdefault(browser, {})[name] = row
                print(row if browser == "left out" else line(name, browser, row), flush=True)
            write(chosen.folder, found)
    print(f"\n{report(found)}\n{time.monotonic() - began:.0f} s")


def rows_of(
    name: str, folder: Path, browsers: Sequence[Any], quick: bool, known: dict[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What every browser makes of a model's page, where it is not known; why there is none, else."""
    m = da.load(files()[name])
    motion = m.simulate()
    if refusal(motion):
        yield "left out", {"model": name, "why": refusal(motion)}
        return
    options: dict[str, Any] = {}
    if live_model(motion).stepping:  # marched event by event, and stepped in its page
        step = live_model(motion).options.step
        options = {"method": "moreau", "step": step, "output": np.asarray(motion.t), "restitution": "newton"}
        motion = m.simulate(**options)
    data = page_data(motion, None, None, BUDGET, live=True)
    text = document("page.html", "page.css", ("vendor/three.min.js",), MODULES, data, True, title=data["name"])
    path = folder / "live.html"
    path.write_text(text, encoding="utf-8")
    page = hashlib.sha256(text.encode()).hexdigest()[:16]
    wanted = [b for b in browsers if known.get(b.name) != page]
    if not wanted:
        return
    row = {
        "page": page, "native": native_milliseconds(m, **options), "length": float(m.scales.length),
        "added kB": len(json.dumps(data["live"])) / 1024, "page MB": path.stat().st_size / 1e6, "stepping": bool(options),
    }  # fmt: skip
    for browser in wanted:
        try:
            made = row | twice(browser, motion, path, quick)
        except Exception as problem:  # whatever a browser may do
            browser.again()
            yield "left out", {"model": name, "why": f"{browser.name}: {problem}"}
            continue
        growth = grown(m, motion, options) if not made["off after 1 s"] <= CLOSE else None
        yield browser.name, made | {"grown": growth, "load": os.getloadavg()[0]}


def twice(browser: Reopening, motion: Any, path: Path, quick: bool) -> dict[str, Any]:
    """What a browser makes of a page; one that has died is given a second life."""
    try:
        return measured(browser.now, motion, path, quick)
    except Exception as problem:
        print(f"{browser.name}: {problem}; once more", flush=True)
        browser.again()
        return measured(browser.now, motion, path, quick)


def write(folder: Path, found: dict[str, dict[str, Any]]) -> None:
    """Results so far, in the order of the gallery."""
    every = [rows for browser, rows in found.items() if browser != "left out"]
    found["left out"] = {k: row for k, row in found["left out"].items() if any(k not in rows for rows in every)}
    ordered = {browser: {name: rows[name] for name in files() if name in rows} for browser, rows in found.items()}
    folder.mkdir(exist_ok=True)
    (folder / "live.json").write_text(json.dumps(ordered, indent=1) + "\n")
    (folder / "live.md").write_text(report(ordered))


def line(name: str, browser: str, row: dict[str, Any]) -> str:
    drag = "–" if row["drag"] is None else f"{row['drag']:.1f}, gap {row['gap']:.0e}"
    return (
        f"{name:22} {browser:9} off {row['off after 1 s']:.0e}, slider → computed {row['computed']:.1f} ms, march {row['march']:.1f} "
        f"(native {row['native']:.1f}), drawn {row['picture']:.1f} / 95 % {row['picture 95']:.1f}, drag {drag}, "
        f"+{row['added kB']:.0f} kB{'' if row['back'] else ', NOT BACK'} {row['said or asked'] or ''}"
    )


def lost_digits(row: dict[str, Any]) -> bool:
    """Whether the motion is so sensitive that rounding alone takes it farther."""
    return bool(row["grown"] and row["off after 1 s"] <= 1e3 * row["grown"])


def held(rows: dict[str, dict[str, Any]]) -> str:
    """What must hold on every page, in sentences."""
    off = {name: row for name, row in rows.items() if not row["off after 1 s"] <= CLOSE}
    used = [
        f"{name} {row['off after 1 s']:.0e} (1e-13 at the start grows to {row['grown']:.0e} in Python itself)"
        for name, row in off.items()
        if lost_digits(row)
    ]
    wrong = [f"{name} {row['off after 1 s']:.0e}" for name, row in off.items() if not lost_digits(row)]
    changed = [name for name, row in rows.items() if not row["back"]]
    noisy = [name for name, row in rows.items() if row["said or asked"]]
    open_ = [
        f"{name} {row['gap']:.0e}"
        for name, row in rows.items()
        if (row["gap"] or 0.0) > CLOSED * max(1.0, row["length"])
    ]
    longest = max(rows, key=lambda name: rows[name]["longest stretch"])
    return (
        f"Live march within 1e-9 of Python's over one second: {len(rows) - len(off)} of {len(rows)} models. Digits used up before: "
        f"{'; '.join(used) or 'none'}. Off without that excuse: {', '.join(wrong) or 'none'}. After every slider has been to both ends "
        f"and back, the first motion does not return bit for bit in: {', '.join(changed) or 'none'}. Gap of loops above 1e-12 of the "
        f"length (or m) while dragged: {', '.join(open_) or 'none'}. Said something on the console or asked for anything: "
        f"{', '.join(noisy) or 'none'}. Longest stretch without a picture while a motion is marched: "
        f"{rows[longest]['longest stretch']:.0f} ms ({longest})."
    )


def speeds(rows: dict[str, dict[str, Any]]) -> str:
    """How quick it is, in sentences."""
    quick = sum(row["computed"] <= QUICK for row in rows.values())
    slow = ", ".join(f"{name} {r['drag']:.0f}" for name, r in rows.items() if (r["drag"] or 0.0) > FRAME) or "none"
    large = ", ".join(f"{name} {r['page MB']:.1f}" for name, r in rows.items() if r["page MB"] > LARGE) or "none"
    ratio = float(np.median([row["march"] / row["native"] for row in rows.values()]))
    computed, drawn, late = (
        float(np.median([r[key] for r in rows.values()])) for key in ("computed", "picture", "picture 95")
    )
    return (
        f"Slider to everything computed, median at most 16 ms: {quick} of {len(rows)} models (median of all {computed:.1f} ms; with "
        f"the picture drawn by the processor {drawn:.1f} ms, 95 % {late:.1f} ms). While dragging, a picture takes longer than 16.7 ms "
        f"in: {slow}. March beside a whole `simulate` in Python: median ratio {ratio:.2f}. Pages above {LARGE} MB: {large}; largest "
        f"{max(row['page MB'] for row in rows.values()):.2f} MB."
    )


def report(found: dict[str, dict[str, Any]]) -> str:
    lines = ["# Pages that simulate", ""]
    left_out = found.get("left out", {})
    if left_out:
        lines += ["Not live:", "", *(f"- {name}: {row['why']}" for name, row in left_out.items()), ""]
    for browser, rows in ((b, r) for b, r in found.items() if b != "left out" and r):
        load = float(np.median([row["load"] for row in rows.values()]))
        moves, pictures = (int(np.median([row[key] for row in rows.values()])) for key in ("moves", "pictures"))
        effort = f"{len(rows)} of {len(files())} models, about {moves} moves of sliders and {pictures} pictures of dragging for each"
        lines += [
            f"## {browser}", "", f"{os.cpu_count()} processors, load {load:.0f} while it ran; {effort}.", "",
            held(rows), "", speeds(rows), "",
            "| model | off after 1 s | computed, ms | 95 % | drawn, ms | 95 % | march | native | drag, ms | 95 % | gap | added, kB |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]  # fmt: skip
        for name, r in rows.items():
            drag = (
                ("–", "–", "–") if r["drag"] is None else (f"{r['drag']:.1f}", f"{r['drag 95']:.1f}", f"{r['gap']:.0e}")
            )
            cells = [
                f"{name}{' (stepped)' if r['stepping'] else ''}", f"{r['off after 1 s']:.0e}", f"{r['computed']:.1f}",
                f"{r['computed 95']:.1f}", f"{r['picture']:.1f}", f"{r['picture 95']:.1f}",
                f"{r['march']:.1f}", f"{r['native']:.1f}", *drag, f"{r['added kB']:.0f}",
            ]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
