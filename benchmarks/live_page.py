"""One page that simulates, measured in a browser: what it marches beside Python, what sliders and dragging cost, what it says."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

COMPARED = 600
"""Samples that are compared with Python's at most, besides those of the first second."""
ROWS = """(() => { const { live } = dalembert; live.marchAtOnce(); const { t, rows } = live.motion, n = rows.length / t.length;
  const every = Math.max(1, Math.ceil(t.length / %d)), wanted = [];
  t.forEach((x, k) => { if (x <= t[0] + 1 || k %% every === 0 || k === t.length - 1) wanted.push(k); });
  const made = new Float64Array(wanted.length * (n + 1));
  wanted.forEach((k, i) => { made[i * (n + 1)] = t[k]; made.set(rows.subarray(k * n, (k + 1) * n), i * (n + 1) + 1); });
  const b = new Uint8Array(made.buffer); let text = "";
  for (let i = 0; i < b.length; i += 8192) text += String.fromCharCode(...b.subarray(i, i + 8192));
  return JSON.stringify({ width: n + 1, rows: btoa(text) }); })()"""
BACK = """(() => { const { live } = dalembert, { panel } = live, bits = () => new BigInt64Array(live.motion.rows.slice().buffer);
  live.values.reset(); live.marchAtOnce(); const first = bits(), said = document.getElementById("said"); let refused = 0;
  for (const s of panel.sliders) for (const value of [s.min, s.max, s.value]) { panel.set(s, value, false);
    live.begin(); if (live.under) live.goOn(%d); if (!said.hidden) refused++; }
  live.marchAtOnce(); const again = bits(), same = first.length === again.length && first.every((x, i) => x === again[i]);
  return JSON.stringify({ same, refused, sliders: panel.sliders.length, said: said.hidden ? "" : said.textContent }); })()"""
MOVE = """(async () => { const { live, stage, charts } = dalembert, { panel } = live, took = [], until = performance.now() + %d;
  const sliders = panel.sliders.filter((s) => s.kind !== "duration");
  for (let k = 0; k < %d && (k < 3 || performance.now() < until); k++) { const s = sliders[k %% sliders.length] ?? panel.sliders[0];
    const by = 0.15 * Math.sin(1.7 * k) * (s.max - s.min), began = performance.now(), before = live.motion;
    panel.set(s, Math.min(s.max, Math.max(s.min, s.value + by)), false); live.begin(); while (live.under) live.goOn(50);
    const computed = performance.now(); stage?.draw(); charts.draw();
    if (live.motion !== before) took.push([computed - began, performance.now() - began, live.took.at(-1)?.march ?? 0]);
    panel.set(s, s.value, false); await new Promise((d) => setTimeout(d)); }
  live.values.reset(); return JSON.stringify(took); })()"""
STRETCH = """(() => { const { live } = dalembert; let longest = 0, pictures = 0; live.ask();
  do { const began = performance.now(); live.goAhead(began); pictures++;
    longest = Math.max(longest, performance.now() - began); } while (live.under);
  return JSON.stringify({ longest, pictures }); })()"""
DRAG = """(async () => { const { live } = dalembert, r = live.realTime; if (!live.live.dragged) return "null";
  r.switch(true); r.pause(false);
  const n = dalembert.data.bodies.length - 1, p = dalembert.data.position, took = [];
  for (let k = 0; k < %d; k++) { const began = performance.now();
    const to = [p[3 * n - 3] + 0.1 * Math.sin(k / 7), p[3 * n - 2] + 0.1 * Math.cos(k / 9), p[3 * n - 1]];
    r.pull(n, [0, 0, 0], to, live.hand.stiffness, live.hand.damping);
    r.advanceBy(1 / 60); took.push(performance.now() - began);
    if (k %% 60 === 59) await new Promise((d) => setTimeout(d)); }
  const gap = dalembert.charts.charts.findIndex((c) => c.key === "gap"), motion = r.history.motion(), reached = r.t;
  const widest = gap < 0 ? 0 : motion.charts[gap].reduce((a, b) => Math.max(a, b), 0); r.switch(false);
  return JSON.stringify({ took, widest, reached, said: document.getElementById("said").textContent }); })()"""


def measured(browser: Any, motion: Any, path: Path, quick: bool) -> dict[str, Any]:
    """Everything that one browser says of a page."""
    browser.open(path)
    browser.evaluate("dalembert.ready.then(() => 1)")
    if not browser.evaluate("Boolean(dalembert.live)"):
        raise RuntimeError(browser.evaluate("document.getElementById('said').textContent"))
    row = compared(json.loads(browser.evaluate(ROWS % COMPARED)), motion)
    back = json.loads(browser.evaluate(BACK % (5 if quick else 25)))
    took = np.array(json.loads(browser.evaluate(MOVE % ((500, 12) if quick else (3000, 60))))).reshape(-1, 3)
    took = took[2:] if len(took) > 4 else took
    stretch = json.loads(browser.evaluate(STRETCH))
    dragged = json.loads(browser.evaluate(DRAG % (60 if quick else 600)))
    frames = np.array(dragged["took"])[5:] if dragged else np.zeros(0)
    return row | {
        "moves": len(took), "pictures": len(frames), "sliders": back["sliders"],
        **timed(took),
        "drag": float(np.median(frames)) if len(frames) else None,
        "drag 95": float(np.percentile(frames, 95)) if len(frames) else None,
        "back": back["same"], "ends refused": back["refused"], "longest stretch": stretch["longest"],
        "said or asked": browser.noise(),
        "gap": dragged["widest"] if dragged else None, "said": dragged["said"] if dragged else "",
        "dragged for, s": dragged["reached"] if dragged else None,
    }  # fmt: skip


def timed(took: np.ndarray) -> dict[str, float]:
    """Medians and late ones of moves that gave a motion, ms; what cannot be assembled is not counted."""
    if not len(took):
        return dict.fromkeys(("computed", "computed 95", "picture", "picture 95", "march"), float("nan"))
    middle, late = np.median(took, axis=0), np.percentile(took, 95, axis=0)
    made = {
        "computed": middle[0],
        "computed 95": late[0],
        "picture": middle[1],
        "picture 95": late[1],
        "march": middle[2],
    }
    return {name: float(x) for name, x in made.items()}


def compared(found: dict[str, Any], motion: Any) -> dict[str, Any]:
    """How far the page's rows are from Python's, each unknown by its own size."""
    rows = np.frombuffer(base64.b64decode(found["rows"])).reshape(-1, found["width"])
    t, rows = rows[:, 0], rows[:, 1:]
    at = np.clip(np.searchsorted(motion.t, t), 0, len(motion.t) - 1)
    expected = np.hstack([motion.q, motion.u, motion.z])[at]
    same = np.abs(np.asarray(motion.t)[at] - t) <= 1e-12 * max(1.0, float(t[-1]))
    off = (np.abs(rows - expected) / np.maximum(1.0, np.abs(expected).max(axis=0)))[same].max(axis=1)
    off = np.where(np.isfinite(off), off, np.inf)
    second = t[same] <= t[0] + 1.0
    lost = t[same][off > 1e-9]
    return {
        "off after 1 s": float(off[second].max()), "off at the end": float(off.max()),
        "ends": float(t[-1]), "digits last, s": float(lost[0]) if len(lost) else None,
    }  # fmt: skip
