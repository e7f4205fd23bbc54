"""Pages that simulate, over the gallery: from the move of a slider to the new picture, and pictures while a body is dragged.

For every model a page is written and opened in each browser. Its motion is compared with Python's over one second. Every slider is
moved to both ends and back, after which the first motion must return bit for bit; what the console says is counted, and every request.
Then sliders are moved to and fro, and the time is taken from the move until everything shown is computed and drawn: loops closed,
motion marched, poses, curves and reactions worked out, picture drawn. In real time a body is pulled about, and the time that marching
takes in each picture is taken. Pictures are drawn by the processor here, where there is no graphics card; that part is told apart.

    python benchmarks/live.py [--only MODEL] [--browser chromium] [--quick]

Models and browsers that are left out keep the results that they had.

Everything is timed by the browser's own clock, which Firefox rounds to a millisecond.
"""

from __future__ import annotations

import argparse
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
from browsers import chromium, firefox

import dalembert as da
from dalembert.files.gallery import files
from dalembert.view.live.live_model import live_model, refusal

RESULTS = Path(__file__).parent / "results"
FRAME = 1000.0 / 60.0
MOVE = """(async () => { const { live, stage, charts } = dalembert, { panel } = live; const took = [];
  const span = %d, sliders = panel.sliders.filter((s) => s.kind !== "duration");
  for (let k = 0; k < span; k++) { const s = sliders[k %% sliders.length] ?? panel.sliders[0];
    const part = 0.5 + 0.3 * Math.sin(1.7 * k), began = performance.now();
    panel.set(s, s.min + part * (s.max - s.min), false); live.begin(); while (live.under) live.goOn(50);
    const computed = performance.now(); stage?.draw(); charts.draw();
    took.push([computed - began, performance.now() - began, live.took.at(-1)?.march ?? 0]);
    panel.set(s, s.value, false); await new Promise((d) => setTimeout(d)); }
  live.values.reset(); live.begin(); while (live.under) live.goOn(50); return JSON.stringify(took); })()"""
BACK = """(() => { const { live } = dalembert, { panel } = live, bits = () => new BigInt64Array(live.motion.rows.slice().buffer);
  live.values.reset(); live.marchAtOnce(); const first = bits(); let refused = 0;
  for (const s of panel.sliders) for (const value of [s.min, s.max, s.value]) { panel.set(s, value, false); live.marchAtOnce();
    if (!document.getElementById("said").hidden) refused++; }
  const again = bits(), same = first.length === again.length && first.every((x, i) => x === again[i]);
  return JSON.stringify({ same, refused }); })()"""
STRETCH = """(() => { const { live } = dalembert; let longest = 0; live.ask();
  do { const began = performance.now(); live.goAhead(began);
    longest = Math.max(longest, performance.now() - began); } while (live.under);
  return longest; })()"""
DRAG = """(() => { const { live } = dalembert, r = live.realTime; if (!live.live.dragged) return "null"; r.switch(true); r.pause(false);
  const n = dalembert.data.bodies.length - 1, p = dalembert.data.position, took = [];
  for (let k = 0; k < %d; k++) { const began = performance.now();
    const to = [p[3 * n - 3] + 0.1 * Math.sin(k / 7), p[3 * n - 2] + 0.1 * Math.cos(k / 9), p[3 * n - 1]];
    r.pull(n, [0, 0, 0], to, live.hand.stiffness, live.hand.damping);
    r.advanceBy(1 / 60); took.push(performance.now() - began); }
  const gap = dalembert.charts.charts.findIndex((c) => c.key === "gap"), motion = r.history.motion();
  const widest = gap < 0 ? 0 : motion.charts[gap].reduce((a, b) => Math.max(a, b), 0); r.switch(false);
  return JSON.stringify({ took, widest, said: document.getElementById("said").textContent }); })()"""


def native_milliseconds(m: da.Mechanism) -> float:
    """The best of a few runs of the same motion in Python."""
    best = np.inf
    for _ in range(4):
        began = time.perf_counter()
        m.simulate()
        best = min(best, time.perf_counter() - began)
    return 1e3 * float(best)


def grown(m: da.Mechanism, motion: Any) -> float:
    """How much a change of the start by 1e-13 of its size has grown after a second, in Python: where it is much, digits are used up."""
    from dalembert.errors import DalembertError

    try:
        other = m.simulate(initial=motion.q[0] * (1.0 + 1e-13) + 1e-13, speeds=motion.u[0], output=np.asarray(motion.t))
    except DalembertError:
        return 0.0
    k = min(int(np.searchsorted(motion.t, motion.t[0] + 1.0)), len(other.t) - 1, len(motion.t) - 1)
    expected = np.hstack([motion.q, motion.u])[: k + 1]
    return float(np.abs(np.hstack([other.q, other.u])[: k + 1] - expected).max() / max(1.0, np.abs(expected).max()))


def measured(browser: Any, m: da.Mechanism, motion: Any, path: Path, plain: int, quick: bool) -> dict[str, Any]:
    browser.open(path)
    browser.evaluate("dalembert.ready.then(() => 1)")
    browser.evaluate("(() => { const { live } = dalembert; live.marchAtOnce(); return 1; })()")
    rows = np.array(json.loads(browser.evaluate("JSON.stringify(Array.from(dalembert.live.motion.rows))")))
    t = np.array(json.loads(browser.evaluate("JSON.stringify(Array.from(dalembert.data.t))")))
    at = np.clip(np.searchsorted(motion.t, t), 0, len(motion.t) - 1)
    expected = np.hstack([motion.q, motion.u])[at]
    off = np.abs(rows.reshape(len(t), -1) - expected) / max(1.0, np.abs(expected).max())
    second = t <= t[0] + 1.0
    back = json.loads(browser.evaluate(BACK))
    took = np.array(json.loads(browser.evaluate(MOVE % (12 if quick else 60))))[2:]
    stretch = float(browser.evaluate(STRETCH))
    dragged = json.loads(browser.evaluate(DRAG % (60 if quick else 600)))
    frames = np.array(dragged["took"])[5:] if dragged else np.zeros(0)
    return {
        "moves": len(took), "pictures": len(frames), "off after 1 s": float(off[second].max()), "off at the end": float(off.max()),
        "computed": float(np.median(took[:, 0])), "picture": float(np.median(took[:, 1])),
        "picture 95": float(np.percentile(took[:, 1], 95)), "march": float(np.median(took[:, 2])),
        "drag": float(np.median(frames)) if len(frames) else None,
        "drag 95": float(np.percentile(frames, 95)) if len(frames) else None,
        "back": back["same"], "ends refused": back["refused"], "longest stretch": stretch, "said or asked": browser.noise(),
        "digits last, s": float(t[off.max(axis=1) > 1e-9][0]) if np.any(off > 1e-9) else None,
        "gap": dragged["widest"] if dragged else None, "said": dragged["said"] if dragged else "",
        "added kB": (path.stat().st_size - plain) / 1024, "page MB": path.stat().st_size / 1e6,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append")
    parser.add_argument("--browser", action="append", choices=["chromium", "firefox"])
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = RESULTS / "live.json"
    found: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        browsers = []
        for opened in (chromium, firefox):
            if chosen.browser and opened.__name__ not in chosen.browser:
                continue
            try:
                browsers.append(stack.enter_context(opened()))
            except RuntimeError as problem:
                print(f"{opened.__name__}: {problem}")
        for name in (name for name in files() if not chosen.only or name in chosen.only):
            for browser, row in rows_of(name, folder, browsers, chosen.quick):
                found.setdefault(browser, {})[name] = row
                print(line(name, browser, row), flush=True)
            write(found)
    print("\n" + report(found))


def rows_of(name: str, folder: Path, browsers: Sequence[Any], quick: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """What every browser makes of a model's page."""
    m = da.load(files()[name])
    motion = m.simulate()
    if refusal(motion):
        print(f"{name} plays back only: {refusal(motion)}", flush=True)
        return
    if live_model(motion).stepping:  # marched event by event, and stepped in its page
        motion = m.simulate(method="moreau", step=live_model(motion).options.step, output=np.asarray(motion.t))
    path = motion.page(folder / "live.html", live=True)
    plain = motion.page(folder / "plain.html").stat().st_size
    native = native_milliseconds(m)
    for browser in browsers:
        row = measured(browser, m, motion, path, plain, quick)
        growth = grown(m, motion) if row["off after 1 s"] > 1e-9 else None
        yield browser.name, row | {"native": native, "grown": growth, "load": os.getloadavg()[0]}


def write(found: dict[str, dict[str, Any]]) -> None:
    """Results so far, in the order of the gallery."""
    ordered = {browser: {name: rows[name] for name in files() if name in rows} for browser, rows in found.items()}
    (RESULTS / "live.json").write_text(json.dumps(ordered, indent=1) + "\n")
    (RESULTS / "live.md").write_text(report(ordered))


def line(name: str, browser: str, row: dict[str, Any]) -> str:
    drag = "–" if row["drag"] is None else f"{row['drag']:.1f}"
    return (
        f"{name:22} {browser:9} off {row['off after 1 s']:.0e}, slider → computed {row['computed']:.1f} ms, march {row['march']:.1f} "
        f"(native {row['native']:.1f}), drawn {row['picture']:.1f} / 95 % {row['picture 95']:.1f}, drag {drag} ms, "
        f"+{row['added kB']:.0f} kB"
    )


def held(rows: dict[str, dict[str, Any]]) -> str:
    """What must hold on every page, in sentences."""
    lost = [
        f"{name} is off by {row['off after 1 s']:.0e} (a change of the start by 1e-13 grows to {row['grown']:.0e} in Python itself)"
        for name, row in rows.items()
        if not row["off after 1 s"] <= 1e-9
    ]
    changed = [name for name, row in rows.items() if not row["back"]]
    noisy = [name for name, row in rows.items() if row["said or asked"]]
    longest = max(rows, key=lambda name: rows[name]["longest stretch"])
    return (
        f"Live march within 1e-9 of Python's over one second: {len(rows) - len(lost)} of {len(rows)} models; not: "
        f"{'; '.join(lost) or 'none'}. After every slider has been to both ends and back, the first motion does not return bit for bit "
        f"in: {', '.join(changed) or 'none'}. Said something on the console or asked for anything: {', '.join(noisy) or 'none'}. "
        f"Longest stretch without a picture while a motion is marched: {rows[longest]['longest stretch']:.0f} ms ({longest})."
    )


def speeds(rows: dict[str, dict[str, Any]]) -> str:
    """How quick it is, in sentences."""
    quick = sum(row["computed"] <= 16.0 for row in rows.values())
    drags = {name: row["drag"] for name, row in rows.items() if row["drag"] is not None}
    slow = ", ".join(name for name, x in drags.items() if x > FRAME) or "none"
    ratio = float(np.median([row["march"] / row["native"] for row in rows.values()]))
    computed, drawn = (float(np.median([row[key] for row in rows.values()])) for key in ("computed", "picture"))
    high = float(np.percentile([row["computed"] for row in rows.values()], 95))
    return (
        f"Slider to everything computed, median at most 16 ms: {quick} of {len(rows)} models (over models: median {computed:.1f} ms, "
        f"95 % {high:.1f} ms; with the picture drawn by the processor, median {drawn:.1f} ms). While dragging, a picture takes longer "
        f"than 16.7 ms in: {slow}. March beside a whole `simulate` in Python: median ratio {ratio:.2f}. Largest page "
        f"{max(row['page MB'] for row in rows.values()):.2f} MB."
    )


def report(found: dict[str, dict[str, Any]]) -> str:
    lines = ["# Pages that simulate", ""]
    for browser, rows in found.items():
        load = float(np.median([row["load"] for row in rows.values()]))
        first = next(iter(rows.values()))
        effort = f"{first['moves']} moves of sliders and {first['pictures']} pictures of dragging for each"
        effort = f"{len(rows)} of {len(files())} models, {effort}"
        lines += [
            f"## {browser}", "", f"{os.cpu_count()} processors, load {load:.0f} while it ran; {effort}.", "",
            held(rows), "", speeds(rows), "",
            "| model | off after 1 s | computed, ms | drawn, ms | 95 % | march, ms | native, ms | drag, ms | 95 % | gap | added, kB |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]  # fmt: skip
        for name, r in rows.items():
            drag = (
                ("–", "–", "–") if r["drag"] is None else (f"{r['drag']:.1f}", f"{r['drag 95']:.1f}", f"{r['gap']:.0e}")
            )
            cells = [
                name, f"{r['off after 1 s']:.0e}", f"{r['computed']:.1f}", f"{r['picture']:.1f}", f"{r['picture 95']:.1f}",
                f"{r['march']:.1f}", f"{r['native']:.1f}", *drag, f"{r['added kB']:.0f}",
            ]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
