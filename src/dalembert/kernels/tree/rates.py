"""q̇ = N(q) u, joint by joint."""

from __future__ import annotations

from dalembert.kernels.tree.algorithm import Algorithm
from dalembert.kernels.tree.sweeps import Step
from dalembert.mechanism import Mechanism
from dalembert.trace.native import FunctionBuilder, Module


def rates(s: Step) -> None:
    """The rates of the joint's free coordinates."""
    given = s.link.joint.rates(s.values.q, s.values.u)
    s.give([r for r, law in zip(given, s.link.source.law.q) if law is None])


def speeds_of_coordinates(m: Mechanism) -> list[int] | None:
    """For every coordinate the speed that is its rate; None if some rate is not just a speed."""
    plain = [j for j in m.joints if j.joint.rates_are_speeds]
    found = {q: u for j in plain for q, u in zip(j.q_at, j.u_at) if q is not None and u is not None}
    return [found[q] for q in range(m.n_q)] if len(found) == m.n_q else None


def copy_speeds(f: FunctionBuilder, module: Module, speeds: list[int]) -> None:
    """y = u, in the order of the coordinates."""
    if speeds == list(range(len(speeds))):
        for i in f.each(len(speeds)):
            f.y[i] = f.u[i]
        return
    table = module.int_table(speeds)
    with f.loop(len(speeds)) as i:
        f.y[i] = f.u[table[i]]


ALGORITHM = Algorithm(
    "rates",
    lambda m: {},
    [(rates, False)],
    lambda m: [next((at for at in j.q_at if at is not None), 0) for j in m.joints],
    lambda m: m.n_q,
    loaded=False,
)
