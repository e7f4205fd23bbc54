"""`dalembert bench`: how fast this machine computes and marches a model."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from dalembert.cli.model import Json, Model, opened
from dalembert.cli.report import say, say_json


def bench(
    model: Model = "six_body_tree",
    seconds: Annotated[float, typer.Option(help="Time spent on each measurement, s.")] = 0.3,
    json: Json = False,
) -> None:
    """Measure a model: time to build and compile, time of one evaluation, simulated seconds per second."""
    began = time.perf_counter()
    m = opened(model)
    built = time.perf_counter() - began
    began = time.perf_counter()
    motion = m.simulate()
    first = time.perf_counter() - began
    took = _each(m.simulate, seconds)
    q, u, t = motion.q[0], motion.u[0], float(motion.t[0])
    many, moving, times = motion.q.repeat(5, axis=0), motion.u.repeat(5, axis=0), motion.t.repeat(5)
    span = float(motion.t[-1] - motion.t[0])
    figures: dict[str, Any] = {
        "model": m.name,
        "bodies": m.n_bodies,
        "speeds": m.n_u,
        "read and build, ms": 1e3 * built,
        "first simulation, ms": 1e3 * first,
        "one simulation, ms": 1e3 * took,
        "simulated seconds per second": span / took,
        "microseconds per step": 1e6 * took / max(1, motion.record["steps"]),
        "one state, forward dynamics, µs": 1e6 * _each(lambda: m.smooth_dynamics(q, u, None, t), seconds),
    }
    if not (m.cuts or m.constraints):
        batch = _each(lambda: m.smooth_dynamics(many, moving, None, times), seconds)
        figures["in a batch, forward dynamics, µs"] = 1e6 * batch / len(many)
    if json:
        say_json(figures)
        return
    for name, value in figures.items():
        say(f"  {name:<34} {value if isinstance(value, (str, int)) else f'{value:.4g}'}")


def _each(work: Callable[[], Any], seconds: float) -> float:
    """The best of the calls that fit into the time, once warm."""
    work()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best
