"""Deriving equations of motion: dalembert beside SymPy's KanesMethod, in one run on one machine.

Planar n-link pendulums with symbolic masses, lengths, inertias and gravity, in relative angles. Measured: the time from the
description to the mass matrix A and forcing f, and the operations needed to compute both (SymPy's after `cse`). Both sets of
equations are evaluated at random values to show that they are the same equations.

    python benchmarks/symbolic.py [--json] [--links 3 5 10] [--alone 50]
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import reporting
import sympy
import sympy.physics.mechanics as me

import dalembert as da

TARGET_LINKS, TARGET_RATIO, TOLERANCE = 10, 200.0, 1e-12


# -- the system, said to each -------------------------------------------------------------------------------------------
def ours(n: int) -> Any:
    """From a `System` to the written equations."""
    s = da.System(f"{n}-link pendulum")
    s.gravity = np.array([0.0, -s.parameter("g", 9.81), 0.0], dtype=object)
    parent, end = "ground", (0, 0, 0)
    for i in range(n):
        m, l, I = (s.parameter(f"{name}{i}", 1.0) for name in "mlI")
        s.add_body(f"link{i}", mass=m, com=(0.5 * l, 0, 0), inertia=(0, I, I))
        s.add_joint(f"A{i}", da.Revolute((0, 0, 1)), parent, f"link{i}", at_parent=end)
        parent, end = f"link{i}", (l, 0, 0)
    return s.build().equations("kane")


def sympys(n: int) -> tuple[Any, Any, list[Any]]:
    """The same system in SymPy: (mass matrix, forcing, [q…, u…, g, m…, l…, I…])."""
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
    g, m, l, I = sympy.Symbol("g"), *(sympy.symbols(f"{name}:{n}") for name in "mlI")
    bodies, loads, A, P = [], [], N, O
    for i in range(n):
        B = me.ReferenceFrame(f"B{i}")
        B.orient_axis(A, A.z, q[i])
        B.set_ang_vel(A, u[i] * A.z)
        G, E = P.locatenew(f"G{i}", l[i] / 2 * B.x), P.locatenew(f"E{i}", l[i] * B.x)
        G.v2pt_theory(P, N, B)
        E.v2pt_theory(P, N, B)
        bodies.append(me.RigidBody(f"link{i}", G, B, m[i], (me.inertia(B, 0, I[i], I[i]), G)))
        loads.append((G, -m[i] * g * N.y))
        A, P = B, E
    t = me.dynamicsymbols._t
    kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=[a.diff(t) - b for a, b in zip(q, u)])
    kane.kanes_equations(bodies, loads)
    return kane.mass_matrix, kane.forcing, [*q, *u, g, *m, *l, *I]


# -- measuring ------------------------------------------------------------------------------------------------------------
def seconds(task: Callable[[], Any], at_most: float = 1.0, runs: int = 20) -> tuple[float, Any]:
    """The best of several runs that together last about `at_most`, and the last result."""
    times: list[float] = []
    while not times or (sum(times) < at_most and len(times) < runs):
        gc.collect()
        start = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - start)
    return min(times), result


def compare(n: int) -> dict[str, Any]:
    """Both programs on n links."""
    own_time, eq = seconds(lambda: ours(n))
    from sympy.core.cache import clear_cache

    def fresh() -> Any:
        clear_cache()  # what SymPy remembers of the last run would flatter it
        return sympys(n)

    their_time, (M, F, symbols) = seconds(fresh)
    shared, (M, F) = sympy.cse([M, F])
    operations = sum(int(e.count_ops()) for _, e in shared) + sum(int(sympy.count_ops(x)) for x in (M, F))
    return {
        "links": n,
        "dalembert_s": own_time,
        "sympy_s": their_time,
        "ratio": their_time / own_time,
        "dalembert_operations": eq.operations.total,
        "sympy_operations": operations,
        "difference": difference(eq, n, shared, M, F, symbols),
    }


def difference(eq: Any, n: int, shared: Any, M: Any, F: Any, symbols: list[Any]) -> float:
    """Largest relative difference of A and f over random states and parameters."""
    names = [sympy.Symbol(f"given{i}") for i in range(len(symbols))]  # not x0, x1, …: those are the temporaries of cse
    plain = dict(zip(symbols, names))
    steps = [(a, b.xreplace(plain)) for a, b in shared]
    theirs = sympy.lambdify([names], [M.xreplace(plain), F.xreplace(plain)], cse=lambda e: (steps, list(e)))
    rng, worst = np.random.default_rng(n), 0.0
    for _ in range(5):
        q, u, p = rng.uniform(-3, 3, n), rng.uniform(-2, 2, n), rng.uniform(0.5, 2.0, 1 + 3 * n)
        keys = ["g", *(f"{name}{i}" for name in "mlI" for i in range(n))]
        e = eq.evaluate(q, u, **dict(zip(keys, p)))
        A, f = (np.array(x, dtype=float) for x in theirs([*q, *u, *p]))
        worst = max(worst, abs(e.A - A).max() / abs(A).max(), abs(e.f - f.ravel()).max() / abs(f).max())
    return float(worst)


def alone(n: int) -> dict[str, Any]:
    """dalembert where SymPy does not follow."""
    own_time, eq = seconds(lambda: ours(n), at_most=5.0)
    return {"links": n, "dalembert_s": own_time, "dalembert_operations": eq.operations.total}


# -- telling --------------------------------------------------------------------------------------------------------------
def table(results: dict[str, Any]) -> str:
    """Markdown."""
    head = ["links", "dalembert", "SymPy", "ratio", "operations", "SymPy's after cse", "largest difference"]
    rows = []
    for x in results["rows"]:
        if "sympy_s" in x:
            theirs = [f"{x['sympy_s']:.3g} s", f"{x['ratio']:.0f}×"]
            rest = [str(x["sympy_operations"]), f"{x['difference']:.1e}"]
        else:
            theirs, rest = ["–", "–"], ["–", "–"]
        rows.append(
            [str(x["links"]), f"{x['dalembert_s'] * 1e3:.3g} ms", *theirs, str(x["dalembert_operations"]), *rest]
        )
    lines = [" | ".join(head), " | ".join("---:" for _ in head), *(" | ".join(row) for row in rows)]
    about = reporting.in_words(results["about"])
    return (
        "# Deriving the equations of planar n-link pendulums\n\n"
        "From the description to A and f, with symbolic masses, lengths, inertias and gravity. Best of several runs; SymPy's\n"
        "`KanesMethod` in the same run. Written by `benchmarks/symbolic.py`.\n\n"
        + "\n".join(f"| {line} |" for line in lines)
        + f"\n\n{about}\n"
    )


def verdict(rows: list[dict[str, Any]]) -> list[str]:
    """What falls short of the targets, in words."""
    short = []
    for x in rows:
        if "sympy_s" not in x:
            continue
        if x["difference"] > TOLERANCE:
            short.append(f"{x['links']} links: the equations differ by {x['difference']:.1e}")
        if x["links"] != TARGET_LINKS:
            continue
        if x["dalembert_operations"] > x["sympy_operations"]:
            short.append(f"{x['links']} links: more operations than SymPy has after cse")
        if x["ratio"] < TARGET_RATIO:
            short.append(f"{x['links']} links: {x['ratio']:.0f} times faster, not {TARGET_RATIO:.0f}")
    return short


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options.add_argument("--links", type=int, nargs="*", default=[3, 5, 10])
    options.add_argument("--alone", type=int, nargs="*", default=[50])
    given = options.parse_args()
    rows = [compare(n) for n in given.links] + [alone(n) for n in given.alone]
    results = {"about": reporting.about(sympy), "rows": rows}
    reporting.keep("symbolic", results, table(results))
    print(json.dumps(results, indent=1) if given.json else table(results))
    return reporting.say_what_falls_short(verdict(rows))


if __name__ == "__main__":
    sys.exit(main())
