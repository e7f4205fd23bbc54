"""What a sampled controller in compiled code costs beside the march without it, and beside a Python callback: ratios of times.

python benchmarks/sampled.py [duration]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import dalembert as da

JOINTS, RATE, STEP = 6, 1000.0, 1e-3


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


def best(run: Callable[[], object], times: int = 5) -> float:
    """The shortest of several runs, s; one before them compiles."""
    run()
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        run()
        taken.append(time.perf_counter() - began)
    return min(taken)


def main() -> None:
    duration = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    start = {f"j{k}": 0.1 for k in range(JOINTS)}
    plain, held = arm(False), arm(True)
    options = {"method": "rk4", "step": STEP, "output": [0.0, duration]}
    alone = best(lambda: plain.simulate(duration, start, **options))
    sampled = best(lambda: held.simulate(duration, start, **options))

    def callback(s: da.State) -> dict[str, float]:
        return {f"j{k}": -60.0 * float(s.q[f"j{k}"]) - 4.0 * float(s.u[f"j{k}"]) for k in range(JOINTS)}

    called = best(lambda: plain.simulate(duration, start, control=callback, control_rate=RATE, **options), 1)
    print(
        f"rk4 of {STEP:g} s, {JOINTS} joints: sampled PID at {RATE:g} Hz {sampled / alone:.3f} times the march without control,"
    )
    print(f"a Python callback at that rate {called / alone:.1f} times")


if __name__ == "__main__":
    main()
