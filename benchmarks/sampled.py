"""What a sampled controller in compiled code costs beside the march without it, and beside a Python callback: ratios of processor time.

python benchmarks/sampled.py [duration]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import dalembert as da

JOINTS, RATE, STEP = 6, 1000.0, 1e-3
ROUNDS = 15


def arm(controlled: bool) -> da.Mechanism:
    """An arm of six joints under gravity, with or without a sampled PID in each."""
    s = da.System("arm", gravity=(0, 0, -9.81))
    for k in range(JOINTS):
        s.add_body(f"b{k}", mass=2.0, com=(0.2, 0, 0), inertia=(0.01, 0.03, 0.03))
        axis = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))[k]
        parent, at = ("ground", (0, 0, 0)) if not k else (f"b{k - 1}", (0.4, 0, 0))
        s.add_joint(f"j{k}", da.Revolute(axis), parent, f"b{k}", at_parent=at)
        s.add_force(f"damper{k}", da.JointSpring(f"j{k}", damping=0.5))
        if controlled:
            s.add_element(f"pid{k}", da.PID(60.0, 20.0, 4.0, period=1.0 / RATE), measured=lambda s, k=k: s.q[f"j{k}"])
            s.add_force(f"act{k}", da.Motor(f"j{k}", lambda s, k=k: s.signal(f"pid{k}.output")))
    return s.build()


def best(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least processor time of each run, s, in rounds of all of them; one before them compiles."""
    least = dict.fromkeys(runs, float("inf"))
    for each in range(rounds + 1):
        for name, run in runs.items():
            began = time.process_time()
            run()
            if each:
                least[name] = min(least[name], time.process_time() - began)
    return least


def main() -> None:
    duration = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    start = {f"j{k}": 0.1 for k in range(JOINTS)}
    plain, sampled = arm(False), arm(True)
    options = {"method": "rk4", "step": STEP, "output": [0.0, duration]}

    def callback(s: da.State) -> dict[str, float]:
        return {f"j{k}": -60.0 * float(s.q[f"j{k}"]) - 4.0 * float(s.u[f"j{k}"]) for k in range(JOINTS)}

    taken = best(
        {
            "alone": lambda: plain.simulate(duration, start, **options),
            "sampled": lambda: sampled.simulate(duration, start, **options),
        },
        ROUNDS,
    )
    called = best(
        {"called": lambda: plain.simulate(duration, start, control=callback, control_rate=RATE, **options)}, 1
    )
    print(
        f"rk4 of {STEP:g} s, {JOINTS} joints, {duration:g} s: {1e3 * taken['alone']:.2f} ms without control; "
        f"sampled PID at {RATE:g} Hz {taken['sampled'] / taken['alone']:.3f} times that, "
        f"a Python callback at that rate {called['called'] / taken['alone']:.1f} times"
    )


if __name__ == "__main__":
    main()
