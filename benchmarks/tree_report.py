"""What `tree.py` measured, held against the targets and written as Markdown."""

from __future__ import annotations

from typing import Any

import reporting

HELD = ("chain 6", "chain 24", "chain 96", "floating base + 30")
"""Models, aligned and general, on which forward dynamics, inverse dynamics and the mass matrix have targets."""

AT_LEAST = {
    "aba, one lane": 4.0, "aba, lanes": 20.0, "mj_forward, one lane": 2.5, "mj_forward, lanes": 15.0,
    "rnea, one lane": 3.0, "crba, one lane": 3.0,
}  # fmt: skip
DERIVATIVES_AT_LEAST = 2.0
LARGEST_GROWTH = 1.4
LONGEST_COMPILE, LONGEST_LOAD = 0.2, 0.05


def targets(rows: list[dict[str, Any]], growth: dict[str, float]) -> list[dict[str, Any]]:
    """Every target that the measured models can be held against."""
    found = []

    def add(what: str, measured: float, wanted: str, met: bool) -> None:
        found.append({"what": what, "measured": measured, "wanted": wanted, "met": bool(met)})

    for row in rows:
        name, plain = row["model"], row["model"].removesuffix(" aligned")
        for key, least in AT_LEAST.items() if plain in HELD else ():
            add(f"{name}: {key}", row["ratios"][key], f"≥ {least:g}×", row["ratios"][key] >= least)
        if plain in ("chain 6", "chain 12"):
            ratio = row["ratios"]["computeABADerivatives, one lane"]
            add(f"{name}: derivatives, one lane", ratio, f"≥ {DERIVATIVES_AT_LEAST:g}×", ratio >= DERIVATIVES_AT_LEAST)
    for way, ratio in growth.items():
        what = f"time per joint at 1000 against 24, {way}"
        add(what, ratio, f"≤ {LARGEST_GROWTH}", ratio <= LARGEST_GROWTH)
    for row in rows:
        if row["n_u"] > 1000:
            continue
        for key, (seconds, _) in row["compile_s"].items():
            longest = {"compile": LONGEST_COMPILE, "from cache": LONGEST_LOAD}.get(key.split(",")[0])
            if longest:
                add(f"{row['model']}: {key}", seconds, f"≤ {longest:g} s", seconds <= longest)
    return found


def summary(results: dict[str, Any]) -> dict[str, Any]:
    """The ratios and the verdicts."""
    ratios = {row["model"]: row["ratios"] for row in results["rows"] if "ratios" in row}
    return reporting.rounded({k: results[k] for k in ("about", "growth", "targets")} | {"ratios": ratios})


# -- Markdown -------------------------------------------------------------------------------------------------------------
def markdown(results: dict[str, Any]) -> str:
    rows, lanes = results["rows"], results["about"]["lanes"]
    beside = [row for row in rows if "ratios" in row]
    verdicts = {t["what"]: "✓" if t["met"] else "✗" for t in results["targets"]}
    parts = [
        "# Dynamics of trees, beside Pinocchio and MuJoCo",
        "Written by `benchmarks/tree.py`: all programs in one run on one core, interleaved rounds, the best round of each. Times are "
        "microseconds of processor time per state. *Pinocchio*: the call from Python less the same call on an empty model. *MuJoCo*: "
        f"`mj_forward` as called from Python. *One lane*, *{lanes} lanes*: a compiled loop over different states, 128 kB of input and "
        "output, less the same call over no state. Ratios say how many times less dalembert needs; ✓ and ✗ say whether a target is "
        "met.",
        "Models: chains of hinges about x, y, z in turn with random frames between them and full inertias; *aligned*: axes z y y z "
        "y z, offsets along one axis, as robot arms are built; a floating base with two legs of 6, a waist of 2, two arms of 7, a "
        "neck of 2.",
        "## Forward dynamics",
        table(
            ["model", "Pinocchio `aba`", "MuJoCo", "one lane", f"{lanes} lanes",
             "`aba` / one lane", f"`aba` / {lanes} lanes", "MuJoCo / one lane", f"MuJoCo / {lanes} lanes"],
            [_dynamics(row, verdicts) for row in rows],
        ),
        f"MuJoCo's times include {_us(min(row['us']['empty mj_forward'] for row in beside))} µs that it takes on an empty world.",
        "One state at a time from Python, call included:",
        table(
            ["model", "`pin.aba`", "`mj_forward`", "`m.forward_dynamics`", "`pin.aba` / ours", "`mj_forward` / ours"],
            [_from_python(row) for row in beside],
        ),
        "## Inverse dynamics and mass matrix",
        table(
            ["model", "`rnea`", "one lane", f"{lanes} lanes", "`rnea` / one lane", f"`rnea` / {lanes} lanes",
             "`crba`", "one lane", f"{lanes} lanes", "`crba` / one lane", f"`crba` / {lanes} lanes"],
            [_others(row, verdicts) for row in beside],
        ),
        "## Derivatives of forward dynamics in q, u, τ",
        table(
            ["model", "`computeABADerivatives`", "one lane", f"{lanes} lanes", "ratio, one lane", f"ratio, {lanes} lanes"],
            [_derivatives(row, verdicts) for row in beside if "computeABADerivatives, lanes" in row["ratios"]],
        ),
        "Beyond 12 bodies the closed form runs in loops; on one state, the lanes run over the columns that are solved for.",
        "## From the mechanism to a kernel, milliseconds",
        "Forward dynamics, in processes of their own, LLVM loaded before: time waited, by which the targets are judged, and "
        "in brackets processor time, which is less where other programs ran too. *Build* is from the description to the mechanism.",
        table(
            ["model", "build", "compile, one lane", f"compile, {lanes} lanes", "from cache, one lane", f"from cache, {lanes} lanes"],
            [_compiling(row, verdicts) for row in rows],
        ),
        "## Agreement",
        "Largest difference from Pinocchio, relative to its largest value, at random states in motion.",
        table(
            ["model", "MuJoCo", "one lane", f"{lanes} lanes", "mass matrix", "inverse dynamics", "derivatives"],
            [_agreement(row) for row in beside],
        ),
        *_alone_agreement(rows),
        "## Targets",
        _verdict(results["targets"]),
        reporting.in_words(results["about"]),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _us(x: float) -> str:
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def _times(row: dict[str, Any], key: str, verdicts: dict[str, str]) -> str:
    return f"{row['ratios'][key]:.1f}× {verdicts.get(row['model'] + ': ' + key, '')}".strip()


def _dynamics(row: dict[str, Any], verdicts: dict[str, str]) -> list[str]:
    us = row["us"]
    ours = [_us(us[f"forward_dynamics, {way}"]) for way in ("one lane", "lanes")]
    if "ratios" not in row:
        return [row["model"], "–", "–", *ours, "–", "–", "–", "–"]
    theirs = [_us(us["pin aba, kernel"]), _us(us["mj_forward"])]
    keys = ("aba, one lane", "aba, lanes", "mj_forward, one lane", "mj_forward, lanes")
    return [row["model"], *theirs, *ours, *(_times(row, key, verdicts) for key in keys)]


def _from_python(row: dict[str, Any]) -> list[str]:
    us = row["us"]
    times = [_us(us[key]) for key in ("pin aba", "mj_forward", "forward_dynamics, from Python")]
    return [row["model"], *times, *(_times(row, f"{key}, from Python", {}) for key in ("pin aba", "mj_forward"))]


def _others(row: dict[str, Any], verdicts: dict[str, str]) -> list[str]:
    cells = [row["model"]]
    for theirs, ours in (("rnea", "inverse_dynamics"), ("crba", "mass_matrix")):
        times = (f"pin {theirs}, kernel", f"{ours}, one lane", f"{ours}, lanes")
        cells += [_us(row["us"][key]) for key in times]
        cells += [_times(row, f"{theirs}, {way}", verdicts) for way in ("one lane", "lanes")]
    return cells


def _derivatives(row: dict[str, Any], verdicts: dict[str, str]) -> list[str]:
    peer, ours = "computeABADerivatives", "forward_dynamics_derivatives"
    times = [_us(row["us"][key]) for key in (f"pin {peer}, kernel", f"{ours}, one lane", f"{ours}, lanes")]
    one, many = (f"{row['ratios'][f'{peer}, {way}']:.1f}×" for way in ("one lane", "lanes"))
    return [row["model"], *times, f"{one} {verdicts.get(row['model'] + ': derivatives, one lane', '')}".strip(), many]


def _compiling(row: dict[str, Any], verdicts: dict[str, str]) -> list[str]:
    cells = [row["model"]]
    for key, (waited, spent) in row["compile_s"].items():
        verdict = verdicts.get(row["model"] + ": " + key, "")
        cells.append(f"{1e3 * waited:.3g} ({1e3 * spent:.3g}) {verdict}".strip())
    return cells


def _agreement(row: dict[str, Any]) -> list[str]:
    names = ("MuJoCo", "dalembert, one lane", "dalembert, lanes", "mass matrix", "inverse dynamics", "derivatives")
    return [row["model"], *(f"{row['agreement'][n]:.0e}" if n in row["agreement"] else "–" for n in names)]


def _alone_agreement(rows: list[dict[str, Any]]) -> list[str]:
    alone = [f"{row['model']} {row['agreement']['inverse dynamics']:.0e}" for row in rows if "ratios" not in row]
    return [
        f"Inverse dynamics of the accelerations found, relative to the forces of gravity and turning: {', '.join(alone)}."
    ] * bool(alone)


def _verdict(found: list[dict[str, Any]]) -> str:
    missed = [f"- {t['what']}: {t['measured']:.3g}, wanted {t['wanted']}" for t in found if not t["met"]]
    growth = [
        f"{t['what']}: {t['measured']:.2f} (wanted {t['wanted']})." for t in found if t["what"].startswith("time per")
    ]
    head = f"{len(found) - len(missed)} of {len(found)} met. {' '.join(growth)}".strip()
    return "\n".join([head, "", "Missed:", "", *missed]) if missed else head
