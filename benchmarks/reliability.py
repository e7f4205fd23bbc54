"""The gate of reliability: all methods agree, no answer hangs on how the question is put, faults of the machine do no harm.

    python -m benchmarks.reliability agreement --mechanisms 100000 --processes 2
    python -m benchmarks.reliability invariance --mechanisms 1000
    python -m benchmarks.reliability faults --times 20

`agreement` goes on where its last run ended, and adds up (results/reliability.json). Each part writes its section of
results/reliability.md. Without a part, all three in a size that takes some minutes.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from multiprocessing import get_context

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: small matrices gain nothing from threads

from benchmarks import reporting
from benchmarks.agreement import APPROXIMATE, COMPILED, FULL_SIZE, LARGEST, examine, examined, numbered
from benchmarks.fault_injection import inject
from benchmarks.ledger import Ledger, Run, table, total
from benchmarks.ledger import faults as went_wrong
from benchmarks.reliability_report import replace_section
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from tests.invariance.answers import TOLERANCE, compiled, differences, quick, reference
from tests.invariance.cases import KINDS, LUMPED, drawn
from tests.invariance.cases_with_elements import EQUIPPED
from tests.invariance.cases_with_laws import CHOSEN, LAWFUL
from tests.invariance.transformations import TRANSFORMATIONS, said_anew

SHARE = 14
"""Mechanisms that a process takes at a time."""
LIFE = 200
"""Shares after which a process makes room for a new one."""
CODE = 9
"""One in so many mechanisms is compared in machine code as well."""
SHOWN = 40
"""Faults that are listed one by one."""


def agreement(mechanisms: int, processes: int, seconds: float) -> list[str]:
    """Formulations × constraint methods on random mechanisms that no run has had."""
    ledger = Ledger("agreement")
    for run, number in ledger.open_faults():
        if not examined(int(number)).faults:
            ledger.mended(run, number)
    run, began = ledger.begun(), time.time()
    numbers = range(run.first, run.first + mechanisms)
    with get_context("spawn").Pool(processes, _prepared, maxtasksperchild=LIFE) as pool:
        for number, tally in zip(numbers, pool.imap(examined, numbers, chunksize=SHARE)):
            tally.told(number, run)
            run.after, run.seconds = number + 1, time.time() - began
            if ledger.save(run):
                _tell_agreement(ledger.runs())
            if run.seconds > seconds:
                break
    ledger.save(run, now=True)
    _tell_agreement(ledger.runs())
    return list(run.faults.values())


def _prepared() -> None:
    """A worker's own: cycles are collected seldom, because few are made and many objects stand."""
    gc.set_threshold(50_000, 20, 100)


def _tell_agreement(runs: list[Run]) -> None:
    every, kinds = total(runs), [*KINDS, *LUMPED]
    pairs = {k.removeprefix("pair: "): n for k, n in every.counts.items() if k.startswith("pair: ")}
    refusals = Counter({k.removeprefix("refusal: "): n for k, n in every.counts.items() if k.startswith("refusal: ")})
    listed = "\n".join(f"- {what}: {n}" for what, n in refusals.most_common(25))
    replace_section(
        "Formulations and constraint methods agree",
        f"""
{every.cases} random mechanisms of {len(kinds)} kinds ({", ".join(kinds)}), one in {FULL_SIZE} of full size, the
others small, each in a random consistent state; {len(FORMULATIONS)} formulations × {len(METHODS)} constraint methods
on numbers, one pair in {COMPILED} mechanisms in machine code.
Accelerations of all bodies and reactions Bᵀλ, relative to the largest; a disagreement is more than {LARGEST:g} ({APPROXIMATE:g} for
`gauss_penalty`, an approximation). The method `penalty` is compared with what it gives in exact arithmetic, to its own rounding.

| outcome | pairs |
|---|---|
| agreed (worst {every.worst.get("exact", 0.0):.1e}) | {pairs.get("agreed", 0)} |
| agreed, approximations and penalties (worst {every.worst.get("approximate", 0.0):.1e}) | {pairs.get("agreed, approximately", 0)} |
| refused in words | {pairs.get("refused", 0)} |
| failed without words | {pairs.get("failed", 0)} |
| disagreed | {pairs.get("disagreed", 0)} |

{table(runs)}

{went_wrong(runs, "`python -m benchmarks.reliability agreement --one`")}

Refusals, most frequent first:

{listed}
""",
    )


def invariance(mechanisms: int, seconds: float) -> list[str]:
    """Every mechanism said in every way; every tenth in machine code as well."""
    began, counts, faults = time.time(), Counter[str](), []
    kinds = [*KINDS, *LAWFUL, *CHOSEN, *EQUIPPED]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(mechanisms):
            if time.time() - began > seconds:
                break
            case = drawn(kinds[i % len(kinds)], i // len(kinds))
            asked = {"on numbers": quick} | ({"in machine code": compiled} if i % CODE == 0 else {})
            before = {name: reference(case, ask) for name, ask in asked.items()}
            counts["mechanisms"] += 1
            for how in TRANSFORMATIONS:
                anew = said_anew(case, how)
                if anew is None:
                    counts["cannot be said so"] += 1
                    continue
                for name, ask in asked.items():
                    try:
                        found = differences(before[name], ask(anew), how)
                    except Exception:
                        found = [traceback.format_exc(limit=-2).strip().splitlines()[-1]]
                    counts[name] += 1
                    if found:
                        counts["differed"] += 1
                        faults.append(f"{case}, {how}, {name}: {'; '.join(found[:3])}")
    replace_section(
        "Answers do not hang on how a mechanism is said",
        f"""
{counts["mechanisms"]} random mechanisms of {len(kinds)} kinds ({", ".join(kinds)}), each in up to {len(TRANSFORMATIONS)} ways:
{", ".join(TRANSFORMATIONS)}. The same verdicts, and the same values to {TOLERANCE:g} of the largest;
1000 km from the origin to 1e-6, where positions have lost seven digits.

| compared | |
|---|---|
| verdicts, accelerations and energy on numbers | {counts["on numbers"]} |
| accelerations, energies, Jacobians, motion, outputs, events, reactions in machine code | {counts["in machine code"]} |
| ways in which a mechanism cannot be said (no loop to cut elsewhere, nothing afloat) | {counts["cannot be said so"]} |
| differed | {counts["differed"]} |
{_listed(faults)}
{_about(began)}
""",
    )
    return faults


def faults(times: int) -> list[str]:
    """Every injection so many times."""
    began, outcomes = time.time(), inject(times)
    rows = "\n".join(
        f"| {name} | {n['right']} | {n['announced']} | {sum(n.values()) - n['right'] - n['announced']} |"
        for name, n in outcomes.counts.items()
    )
    replace_section(
        "Faults of the machine",
        f"""
Each injection in processes of its own; the answer afterwards is the undisturbed one to the last bit, or the fault is announced and
the old file is as it was.

| injection | right | announced | wrong |
|---|---|---|---|
{rows}
{_listed(outcomes.faults)}
{_about(began)}
""",
    )
    return outcomes.faults


def _listed(found: list[str]) -> str:
    if not found:
        return ""
    more = f"\n- and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return "\nWhat went wrong:\n\n" + "\n".join(f"- {x}" for x in found[:SHOWN]) + more + "\n"


def _about(began: float) -> str:
    return f"{time.time() - began:.0f} s on {reporting.in_words(reporting.about())}."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=["agreement", "invariance", "faults"])
    parser.add_argument("--mechanisms", type=int, default=None)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=8 * 3600.0, help="begin nothing new after so long")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--one", type=int, help="examine the mechanism of this number here")
    given = parser.parse_args()
    found = []
    if given.one is not None:
        print(case := numbered(given.one))
        return reporting.say_what_falls_short(examine(case, compiled=True).faults)
    if given.part in (None, "agreement"):
        found += agreement(given.mechanisms or 280, given.processes, given.seconds)
    if given.part in (None, "invariance"):
        found += invariance(given.mechanisms or 56, given.seconds)
    if given.part in (None, "faults"):
        found += faults(given.times)
    return reporting.say_what_falls_short(found)


if __name__ == "__main__":
    sys.exit(main())
