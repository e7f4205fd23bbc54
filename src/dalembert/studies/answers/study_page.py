"""A study as one HTML file that opens by double click, offline: table, histograms, percentiles, runs to choose and to see move."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.atomic import write_whole
from dalembert.errors import DalembertError
from dalembert.view.page import page_html

if TYPE_CHECKING:
    from dalembert.studies.answers.study_result import StudyResult
    from dalembert.studies.study import Study

MOST_RUNS_SHOWN = 3000
"""Runs in a page: of more an even part, and those with the extremes."""
MOST_FAILURES = 200
BINS = 40
FAN = (5.0, 25.0, 50.0, 75.0, 95.0)
"""Percentiles over time that a page draws."""
NUMBERS_OF_MOTION = 3_000_000
"""Bytes of numbers of the motion in the page."""


def write_study_page(result: StudyResult, path: Path) -> None:
    """Write the page, whole or not at all."""
    write_whole(path, study_html(result).encode(), "study page")


def study_html(result: StudyResult) -> str:
    """The page as text."""
    contents = _contents(result)
    text = json.dumps(_plain(contents), ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    template = files("dalembert.studies").joinpath("assets/study.html").read_text(encoding="utf-8")
    title = html.escape(f"Study of {result.about['model']}")
    policy = _policy(template, contents["page"])
    return template.replace("{{policy}}", policy).replace("{{title}}", title).replace("{{data}}", safe)


def _policy(template: str, inner: str) -> str:
    """Scripts by their hashes: the page's own, and those of the page within it."""
    (script,) = re.findall(r"<script>(.*?)</script>", template, re.DOTALL)
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    found = re.search(r'Content-Security-Policy" content="[^"]*script-src ([^;"]*)', inner)
    within = html.unescape(found[1]) if found else ""
    return f"default-src 'none'; script-src 'sha256-{own}' {within}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def _contents(result: StudyResult) -> dict[str, Any]:
    summary = result.summary()
    head = ["", "mean", "±", "deviation", "5 %", "50 %", "95 %", "least", "largest"]
    table = summary.columns()
    rows = [[_titled(result, name), *(float(table[h][i]) for h in head[1:])] for i, name in enumerate(summary.names)]
    page, refused = _page(result)
    keys = (
        {i.name: i.key + ("'" if i.kind == "speed" else "") for i in result.study.inputs.every} if result.study else {}
    )
    return {
        "title": f"Study of {result.about['model']}", "told": summary.told, "described": _described(result),
        "units": {name: result.unit_of(name) for name in result.names}, "inputs": list(result.input_names), "keys": keys,
        "count": result.runs, "summary": {"head": head, "rows": rows}, "histograms": _histograms(result), "fans": _fans(result),
        "runs": _runs(result), "page": page, "refused": refused, "sensitivity": _sensitivity(result),
        "failed": int(result.failed.sum()),
        "failures": [[str(x.run), *x.inputs.values(), x.reason] for x in result.failures[:MOST_FAILURES]],
    }  # fmt: skip


def _titled(result: StudyResult, name: str) -> str:
    unit = result.unit_of(name)
    return f"{name}, {unit}" if unit and unit != "1" else name


def _described(result: StudyResult) -> str:
    return result.study.inputs.described() if result.study is not None else ""


def _histograms(result: StudyResult) -> list[dict[str, Any]]:
    found = []
    for name in (*result.input_names, *result.scalars):
        x = result[name][result.good]
        x = x[np.isfinite(x)]
        if len(x):
            counts, edges = np.histogram(x, bins=min(BINS, max(5, int(np.sqrt(len(x))))))
            found.append({"name": name, "edges": edges, "counts": counts})
    return found


def _fans(result: StudyResult) -> list[dict[str, Any]]:
    if not result.good.any():
        return []
    return [
        {"name": name, "t": result.times(name), "rows": result.percentiles(name, FAN), "of": FAN}
        for name in result.series
        if len(result.times(name)) > 1
    ]


def _runs(result: StudyResult) -> dict[str, Any]:
    good = np.flatnonzero(result.good)
    kept = good[:: max(1, -(-len(good) // MOST_RUNS_SHOWN))]
    summary = result.summary()
    ends = np.concatenate([summary.least_run, summary.largest_run])
    kept = np.unique(np.concatenate([kept, ends[ends >= 0]]).astype(int))
    return {"run": kept, "columns": {name: result[name][kept] for name in (*result.input_names, *result.scalars)}}


def _page(result: StudyResult) -> tuple[str, str]:
    """The page in which the mechanism moves, with a slider for each input; or why there is none."""
    if result.study is None:
        return "", "These answers were read from a folder, without the mechanism that made them."
    study: Study = result.study
    sliders = []
    for i in study.inputs.every:
        x = result.inputs[i.name][result.done]
        ends = (float(x.min()), float(x.max())) if len(x) else (i.nominal, i.nominal)
        low, high = ends if ends[0] < ends[1] else (ends[0] - 1.0, ends[1] + 1.0)
        sliders.append((i.key + ("'" if i.kind == "speed" else ""), low, high))
    good = np.flatnonzero(result.good)
    if not len(good):
        return "", "No run came to its end."
    try:
        motion = study.motion(int(good[0]))
        return page_html(motion, None, (), NUMBERS_OF_MOTION, live=True, sliders=sliders), ""
    except DalembertError as problem:
        return (
            "",
            f"This mechanism is not simulated in pages: {problem}. In Python, result.motion({good[0]}) is that run.",
        )


def _sensitivity(result: StudyResult) -> str:
    """Shares of the variance by first derivatives, and Sobol indices where the design has them."""
    told = []
    try:
        told.append(str(result.linear()))
    except DalembertError as problem:
        told.append(f"First derivatives: {problem}")
    if result.about["design"] == "saltelli":
        for name in result.scalars:
            try:
                told.append(str(result.sobol(name)))
            except DalembertError as problem:
                told.append(f"{name}: {problem}")
    return "\n\n".join(told)


def _plain(x: Any) -> Any:
    """As JSON has it; what is not finite as null."""
    if isinstance(x, dict):
        return {str(k): _plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(v) for v in x]
    if isinstance(x, np.ndarray):
        return _plain(x.tolist())
    if isinstance(x, (float, np.floating)):
        return float(x) if np.isfinite(x) else None
    return x.item() if isinstance(x, np.generic) else x
