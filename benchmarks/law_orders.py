"""Reference problems of laws both ways: time stepping beside the event-driven march, its error as the step is halved.

    python -m benchmarks.law_orders                 writes benchmarks/results/law_orders.md
    python -m benchmarks.law_orders "rocking block"   shows some

The error is the largest of all coordinates at 40 samples, and of six steps that differ by 7 % the worst: where an event falls within a
step is chance. The order is that between the first and the last column.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

from tests.laws.stepping_cases import CASES

STEPS = (400, 800, 1600, 3200)
"""Steps of a run."""
NEAR = 0.93
"""Steps of a level differ by this."""
SAMPLES = 40
TARGET = Path(__file__).parent / "results" / "law_orders.md"


def errors(name: str) -> list[float]:
    """The error of a case with each number of steps."""
    s, asked = CASES[name]()
    m, every = s.build(), asked["duration"] / SAMPLES
    exact = m.simulate(output=every, **asked)
    found = []
    for n in STEPS:
        steps = [asked["duration"] / n * NEAR**k for k in range(6)]
        motions = [m.simulate(method="moreau", step=h, output=every, **asked) for h in steps]
        found.append(max(float(np.abs(x.q - exact.q).max()) for x in motions))
    return found


def main() -> None:
    lines = [
        "# Reference problems of laws, both ways",
        "",
        "Every problem is met by the event-driven march to its stated digits (`tests/laws/test_references.py`). Here is the largest",
        "error of time stepping (Moreau–Jean) against it over the whole motion, by the number of steps.",
        "`python -m benchmarks.law_orders` makes this table.",
        "",
        "| problem | " + " | ".join(f"{n}" for n in STEPS) + " | order |",
        "| --- |" + " --- |" * (len(STEPS) + 1),
    ]
    for name in sys.argv[1:] or CASES:
        found = errors(name)
        order = math.log(found[0] / max(found[-1], 1e-300)) / math.log(STEPS[-1] / STEPS[0])
        told = "exact" if found[-1] < 1e-12 else f"{order:.2f}"
        lines.append(f"| {name} | " + " | ".join(f"{x:.1e}" for x in found) + f" | {told} |")
        print(lines[-1], flush=True)
    if sys.argv[1:]:
        return
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
