"""q̇ = N(q) u, joint by joint."""

from __future__ import annotations

from dalembert.kernels.algorithm import Algorithm
from dalembert.kernels.sweeps import Step


def rates(s: Step) -> None:
    """The rates of the joint's free coordinates."""
    given = s.link.joint.rates(s.values.q, s.values.u)
    s.give([r for r, law in zip(given, s.link.source.law.q) if law is None])


ALGORITHM = Algorithm(
    "rates",
    lambda m: {},
    [(rates, False)],
    lambda m: [next((at for at in j.q_at if at is not None), 0) for j in m.joints],
    lambda m: m.n_q,
    loaded=False,
)
