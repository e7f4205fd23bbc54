"""Coordinates that obey a condition among themselves brought back to it, in place: Euler parameters to unit length."""

from __future__ import annotations

from dalembert.kernels.straight import block, known_symbols
from dalembert.mechanism import Mechanism
from dalembert.trace import symbols, tracing
from dalembert.trace.native import Module, Output, Signature


def emit_admissible(module: Module, m: Mechanism, lanes: int, name: str = "admissible") -> Signature | None:
    """`admissible(t, q, u, x, P, y, work)`, which changes q; None where no joint has such coordinates."""
    with tracing():
        q = symbols("q_", m.coordinates)
        outputs = [Output(x, "q", i) for i, x in enumerate(m.admissible(q)) if x is not q[i]]
        return module.block(block(name, known_symbols(m), outputs), lanes) if outputs else None
