"""Radau IIA under loops and constraints: on the accelerations that keep them, projected at every step.

Twice differentiated, the constraints make an ordinary differential equation in (q, u), whose solutions off the constraints drift but
are not stiff: stages need not lie on them, and stiffness is where it was, in the forces. Its Jacobian is exact (`kernels.varied`), so
that Newton's iteration sees the constraints' forces change as well. After each step q, then u, are brought back by the least change in
the metric of A, as the explicit methods do it. Keeping positions in every stage instead (the stabilised index 2 of Gear, Gupta and
Leimkuhler) would add the multipliers to the unknowns, twice as many rows to the matrices, and gain nothing that the projection leaves.
"""

from __future__ import annotations

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.adaptive import limited
from dalembert.simulation.integrators.held_scale import HeldScale, emit_seen, emit_sizes, root
from dalembert.simulation.integrators.integrator import SINGULAR_POSE, Steps, Unknowns
from dalembert.simulation.integrators.radau import Radau
from dalembert.simulation.march.equations import Equations
from dalembert.trace.native import Real, Signature, maximum, minimum, select

TOWARDS, LEAST = 0.5, 0.1
"""Part of the time to a singular pose that a step may take, and part of its wanted length that it takes at least."""
SINGULAR = 1e-3
"""Distance to a singular pose, by the size of the constraints' rows, at which the run ends: beyond, it could go on in either branch."""


class HeldRadau(HeldScale, Radau):
    def parts(self, m: Unknowns) -> dict[str, int]:
        return super().parts(m) | self.held_parts(m.n_q + m.n_u, m.n_parts)

    def first_values(self, m: Mechanism) -> dict[str, Any]:
        return super().first_values(m) | self.held_values(m)

    def emit(self, e: Equations) -> Steps:
        writing = _Writing(emit_sizes(e), emit_seen(e))
        steps = writing.emit(e)
        return Steps(writing.begin(e, steps.start), steps.step, steps.dense, steps.scratch)


class _Writing(HeldRadau):
    """The method with the functions that it calls in one module."""

    def __init__(self, sizes: Signature, seen: Signature):
        self._sizes, self._seen = sizes, seen

    def emit(self, e: Equations) -> Steps:
        return Radau.emit(self, e)

    def begin(self, e: Equations, choose: Signature) -> Signature:
        """As without constraints; and how far the singular poses are."""
        with e.function("start_held") as f:
            p = e.layout.of(f.memory)
            e.evaluate(f, p.t[0], p.y, p.dy)
            with f.loop(e.n) as i:
                p.y_old[i] = p.y[i]
            f.call(self._seen, f.memory, f.given, f.work)
            f.call(self._sizes, f.memory, f.given, f.work, 0.0)
            f.call(choose, f.memory, f.given, f.work)
            e.evaluate(f, p.t[0], p.y, p.dy)
            p.distance[0] = root(e.pivot(f))
        return f.signature

    def limited(self, p: Any, h: Real) -> Real:
        """Only part of the way to a singular pose, so that none is stepped over."""
        falls = p.approach[0] < 0.0
        left = select(falls, -p.distance[0] / select(falls, p.approach[0], -1.0), 1e300)
        return minimum(limited(p, h), maximum(TOWARDS * left, LEAST * h))

    def measured(self, f: Any, h: Real) -> None:
        f.call(self._sizes, f.memory, f.given, f.work, h)

    def arrived(self, f: Any, e: Equations) -> None:
        p, now = e.layout.of(f.memory), root(e.pivot(f))
        f.call(self._seen, f.memory, f.given, f.work)
        p.approach[0] = (now - p.distance[0]) / (p.t[0] - p.t_old[0])
        p.distance[0] = now
        with f.if_(((now < SINGULAR) & (p.approach[0] < 0.0)).all()):
            f.return_(SINGULAR_POSE)
        self.watch(f, e)
