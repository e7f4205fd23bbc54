"""Dynamics of trees: dalembert beside Pinocchio and MuJoCo, in one run on one core.

For every model the accelerations of all three are compared at random states first; then all are timed in interleaved rounds and
the best round counts. Times are those of the kernels: for Pinocchio the call from Python less the same call on an empty model, for
MuJoCo `mj_forward`, for dalembert a compiled loop over different states less the call over no state, on one lane and on all lanes of a
vector register.

    python benchmarks/tree.py [--json] [--quick]

`--json` prints the ratios and targets instead of the tables. `--quick` takes a few models and short rounds, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from timeit import Timer
from typing import Any

import models
import numpy as np
import reporting
import tree_report
from latency import compile_times
from models import Model, MuJoCo, Pinocchio

import dalembert as da
from dalembert.kernels.runtime.kernel import Kernel

try:
    import mujoco
    import pinocchio as pin
except ImportError as missing:
    sys.exit(f"{missing.name} is not installed: run `make bench`, or pip install -r benchmarks/requirements.txt")

STATES = 64
"""Different states that the peers are called with, one by one."""

ROOM = 128_000
"""Bytes of input and output that one compiled loop goes over: many states, so that the call itself does not count, but all of them
near, as everything of the peers is."""

TOLERANCE = 1e-9
LARGEST_DERIVATIVES = 48
"""Hinges up to which derivatives are timed."""

QUICK = ("chain 2", "chain 6", "chain 12", "floating base + 30 aligned")

OURS = {"aba": "forward_dynamics", "rnea": "inverse_dynamics", "crba": "mass_matrix"}
DERIVATIVES = {"computeABADerivatives": "forward_dynamics_derivatives"}


# -- timing ---------------------------------------------------------------------------------------------------------------
Contenders = dict[str, tuple[Callable[[], Any], int]]
"""A call, and how many evaluations it makes."""


def best_of_rounds(contenders: Contenders, rounds: int, span: float) -> dict[str, float]:
    """Seconds per evaluation: every round lets each contender run for about `span` seconds, one after the other.

    It is the thread's processor time, so that other programs on the machine count as little as they can.
    """
    number = {}
    for name, (call, _) in contenders.items():
        call()
        once = min(Timer(call, timer=time.thread_time).repeat(3, 1))
        number[name] = max(1, int(span / once))
    best = dict.fromkeys(contenders, np.inf)
    for _ in range(rounds):
        for name, (call, count) in contenders.items():
            spent = Timer(call, timer=time.thread_time).timeit(number[name])
            best[name] = min(best[name], spent / number[name] / count)
    return best


def compiled_loop(kernel: Kernel, lanes: int, model: Model) -> tuple[Callable[[], Any], int]:
    """The kernel's own loop over different states, called with everything prepared, and how many they are."""
    count, arguments = loop_arguments(kernel, lanes, model)
    return kernel.library(lanes).batch.bind(count, *arguments), count


def empty_loop(kernel: Kernel, lanes: int, model: Model) -> tuple[Callable[[], Any], int]:
    """The same call over no state."""
    return kernel.library(lanes).batch.bind(0, *loop_arguments(kernel, lanes, model)[1]), 1


def loop_arguments(kernel: Kernel, lanes: int, model: Model) -> tuple[int, list[Any]]:
    count = max(16, ROOM // (8 * (sum(kernel.sizes.values()) + kernel.n_output)) // 16 * 16)
    q, u, x = model.states(count)
    given = [np.zeros(1), q, u, x if kernel.n_extra else np.zeros(0), np.zeros(0)]
    steps = [rows.shape[1] if rows.ndim == 2 else 0 for rows in given]
    return count, [*given, *steps, np.empty((count, kernel.n_output)), kernel.work(lanes)]


def our_contenders(model: Model, m: da.Mechanism, names: dict[str, str]) -> Contenders:
    made: Contenders = {}
    for name in names.values():
        kernel: Kernel = getattr(m.kernels, name)
        made[f"{name}, one lane"] = compiled_loop(kernel, 1, model)
        made[f"{name}, lanes"] = compiled_loop(kernel, kernel.lanes, model)
    q, u, x = model.states(1)
    made["forward_dynamics, from Python"] = (partial(m.forward_dynamics, q[0], u[0], x[0]), 1)
    return made


def pin_contenders(p: Pinocchio, names: list[str], states: list[Any], prefix: str) -> Contenders:
    """Loops over the states, so that loop and call cost the same with the empty model."""

    def loop(function: Callable[..., Any], arguments: list[Any]) -> Callable[[], None]:
        model, data = p.model, p.data

        def call() -> None:
            for a in arguments:
                function(model, data, *a)

        return call

    taken = {"crba": 1}
    return {
        f"{prefix}{name}": (loop(getattr(pin, name), [s[: taken.get(name, 3)] for s in states]), len(states))
        for name in names
    }


def measure(model: Model, rounds: int, span: float) -> dict[str, Any]:
    """One model beside its peers: agreement, then times."""
    m, p, mj = models.mechanism(model), Pinocchio(model), MuJoCo(model)
    q, u, tau = model.states(STATES)
    with_derivatives = model.n_hinges <= LARGEST_DERIVATIVES
    names = OURS | (DERIVATIVES if with_derivatives else {})
    agreement = agreements(model, m, p, mj, with_derivatives)
    mj.put(q[0], u[0], tau[0])
    nothing = Model("empty", ())
    empty, empty_mj = Pinocchio(nothing), MuJoCo(nothing)
    contenders: Contenders = {
        **our_contenders(model, m, names),
        **pin_contenders(p, list(names), [p.state(*s) for s in zip(q, u, tau)], "pin "),
        **pin_contenders(empty, list(names), [(np.zeros(0),) * 3] * STATES, "empty pin "),
        "mj_forward": (partial(mujoco.mj_forward, mj.model, mj.data), 1),
        "empty mj_forward": (partial(mujoco.mj_forward, empty_mj.model, empty_mj.data), 1),
    }
    return {
        "model": model.name,
        "n_u": m.n_u,
        "agreement": agreement,
        "us": without_call(m, model, contenders, rounds, span),
    }


def without_call(m: da.Mechanism, model: Model, contenders: Contenders, rounds: int, span: float) -> dict[str, float]:
    """Microseconds per evaluation, those of our loops without the one call of each, as the peers' are."""
    calls = {"call": empty_loop(m.kernels.forward_dynamics, 1, model)}
    seconds = best_of_rounds(contenders | calls, rounds, span)
    for name, (_, count) in contenders.items():
        if name.endswith(("one lane", ", lanes")):
            seconds[name] -= seconds["call"] / count
    return {name: 1e6 * t for name, t in seconds.items()}


def compare(rows: list[dict[str, Any]]) -> None:
    """What the times are against each peer. A call on an empty model costs the same for all models: the best of all counts."""
    for theirs, ours in (OURS | DERIVATIVES).items():
        measured = [row for row in rows if f"pin {theirs}" in row["us"]]
        call = min(row["us"][f"empty pin {theirs}"] for row in measured)
        for row in measured:
            kernel = row["us"][f"pin {theirs}, kernel"] = row["us"][f"pin {theirs}"] - call
            for way in ("one lane", "lanes"):
                row.setdefault("ratios", {})[f"{theirs}, {way}"] = kernel / row["us"][f"{ours}, {way}"]
    for row in rows:
        us, ratios = row["us"], row["ratios"]
        for way in ("one lane", "lanes"):
            ratios[f"mj_forward, {way}"] = us["mj_forward"] / us[f"forward_dynamics, {way}"]
        for peer in ("pin aba", "mj_forward"):
            ratios[f"{peer}, from Python"] = us[peer] / us["forward_dynamics, from Python"]


def measure_alone(model: Model, rounds: int, span: float) -> dict[str, Any]:
    """Where the peers are not asked to follow. Newton and Euler tell whether the accelerations are right."""
    m = models.mechanism(model)
    q, u, tau = model.states(STATES)
    u *= 0.1
    kernel = m.kernels.forward_dynamics
    udot = m.forward_dynamics(q[:5], u[:5], tau[:5])
    static = m.inverse_dynamics(q[:5], u[:5], np.zeros_like(udot))
    left = m.inverse_dynamics(q[:5], u[:5], udot) - tau[:5]
    contenders: Contenders = {
        "forward_dynamics, one lane": compiled_loop(kernel, 1, model),
        "forward_dynamics, lanes": compiled_loop(kernel, kernel.lanes, model),
    }
    return {
        "model": model.name,
        "n_u": m.n_u,
        "agreement": {"inverse dynamics": float(abs(left).max() / abs(static).max())},
        "us": without_call(m, model, contenders, rounds, span),
    }


def growth(rounds: int, span: float) -> dict[str, float]:
    """Time per joint at 1000 joints over that at 24, both in the same rounds."""
    contenders: Contenders = {}
    for n in (24, 1000):
        model = models.named(f"chain {n}")
        kernel = models.mechanism(model).kernels.forward_dynamics
        for way, lanes in (("one lane", 1), ("lanes", kernel.lanes)):
            call, count = compiled_loop(kernel, lanes, model)
            contenders[f"{n}, {way}"] = (call, count * n)
    best = best_of_rounds(contenders, rounds, span)
    return {way: best[f"1000, {way}"] / best[f"24, {way}"] for way in ("one lane", "lanes")}


# -- agreement ------------------------------------------------------------------------------------------------------------
def agreements(model: Model, m: da.Mechanism, p: Pinocchio, mj: MuJoCo, with_derivatives: bool) -> dict[str, float]:
    """Largest differences relative to Pinocchio's largest value, over random states in motion; 1e-9 at most."""
    q, u, tau = model.states(9, seed=11)
    worst: dict[str, float] = {}

    def hold(name: str, value: np.ndarray, expected: np.ndarray) -> None:
        error = float(abs(value - expected).max() / abs(expected).max())
        if not error <= TOLERANCE:
            sys.exit(f"{model.name}: {name} differs from Pinocchio by {error:.1e}, more than {TOLERANCE}")
        worst[name] = max(worst.get(name, 0.0), error)

    together = m.forward_dynamics(q, u, tau)
    for k in range(len(q)):
        state = q[k], u[k], tau[k]
        theirs = p.state(*state)
        expected = p.accelerations(pin.aba(p.model, p.data, *theirs).copy(), q[k], u[k])
        mj.put(*state)
        mujoco.mj_forward(mj.model, mj.data)
        hold("MuJoCo", mj.accelerations(mj.data.qacc.copy(), q[k], u[k]), expected)
        hold("dalembert, one lane", m.forward_dynamics(*state), expected)
        hold("dalembert, lanes", together[k], expected)
        if model.floating:
            continue  # the base's own columns mean something else in each program
        upper = pin.crba(p.model, p.data, theirs[0])
        hold("mass matrix", m.mass_matrix(q[k]), np.triu(upper) + np.triu(upper, 1).T)
        hold("inverse dynamics", m.inverse_dynamics(*state), pin.rnea(p.model, p.data, *theirs).copy())
        if with_derivatives and k < 2:
            pin.computeABADerivatives(p.model, p.data, *theirs)
            d = m.forward_dynamics_derivatives(*state)
            hold("derivatives", np.hstack([d.q, d.u]), np.hstack([p.data.ddq_dq, p.data.ddq_dv]))
    return worst


# -- the whole run ----------------------------------------------------------------------------------------------------------
def run(quick: bool) -> dict[str, Any]:
    rounds, span, tries = (6, 0.0025, 1) if quick else (60, 0.0025, 3)
    rows = []
    for model in models.BESIDE_PEERS:
        if not quick or model.name in QUICK:
            print(f"{model.name} …", file=sys.stderr)
            rows.append(measure(model, rounds, span) | {"compile_s": compile_times(model.name, tries)})
    compare(rows)
    for n in models.SIZES_ALONE if not quick else ():
        model = models.named(f"chain {n}")
        print(f"{model.name} …", file=sys.stderr)
        rows.append(
            measure_alone(model, rounds, span) | {"compile_s": compile_times(model.name, 3 if n <= 1000 else 1)}
        )
    grown = {} if quick else growth(rounds, 0.01)
    return {
        "about": reporting.about(pin, mujoco),
        "rows": rows,
        "growth": grown,
        "targets": tree_report.targets(rows, grown),
    }


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--json", action="store_true", help="print ratios and targets as JSON")
    options.add_argument("--quick", action="store_true", help="a few models, short rounds, nothing written")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as cache:  # a run finds nothing from earlier ones and leaves nothing
        os.environ["DALEMBERT_CACHE_DIR"] = cache
        results = run(given.quick)
    table = tree_report.markdown(results)
    if not given.quick:
        reporting.keep("tree", results, table)
    print(json.dumps(tree_report.summary(results), indent=1) if given.json else table)
    missed = [t for t in results["targets"] if not t["met"]]
    return reporting.say_what_falls_short(f"{t['what']}: {t['measured']:.3g}, wanted {t['wanted']}" for t in missed)


if __name__ == "__main__":
    sys.exit(main())
