"""Kinetic and potential energy, as sums over the bodies."""

from __future__ import annotations

from typing import Any

from dalembert.kernels.runtime.straight import NAMES
from dalembert.kernels.tree import body_motion
from dalembert.kernels.tree.algorithm import Algorithm
from dalembert.kernels.tree.force_loads import BodyReferences
from dalembert.kernels.tree.force_loops import Loops, repeated
from dalembert.kernels.tree.sweeps import Step
from dalembert.trace import Expr, tracing
from dalembert.trace.native import FunctionBuilder, Module


def add_body(s: Step) -> None:
    """½ m v·v + ω·(h × v) + ½ ω·Iω in link axes, and −g·(m p + R h)."""
    R, P, W, V = (s.own(name) for name in body_motion.FIELDS)
    R = R.reshape(3, 3)
    w, v = R.T @ W, R.T @ V
    n, f = s.link.inertia.times(w, v)
    first = s.link.inertia.m * P + R @ s.link.inertia.h
    u = s.values.u[: s.link.joint.inner.n_u]
    kinetic = 0.5 * (w @ n + v @ f) + 0.5 * s.link.armature * (u @ u)
    s.give([kinetic, s.body.ground @ first], add=True)


def add_forces(sweep: Any, module: Module, f: FunctionBuilder) -> None:
    """The potentials of the forces that have one."""
    units = []
    with tracing():
        whole = sweep.m.symbolic_state()
        for force in sweep.m.forces.values():
            references = BodyReferences(sweep.m, sweep.links, sweep.record)
            with tracing():
                stored = force.potential(references.state(whole))
            if type(stored) is Expr or stored != 0.0:
                units.append(sweep.unit([stored], [("y", 1)], references))
        loops = Loops("potentials", repeated(units)).compiled(module, f.signature.lanes, f.signature.name)
    f.call(loops, *(getattr(f, name) for name in NAMES))


ALGORITHM = Algorithm(
    "energies",
    lambda m: body_motion.FIELDS,
    [(body_motion.world, False), (add_body, False)],
    lambda m: [0] * m.n_bodies,
    lambda m: 2,
    loaded=False,
    sums=True,
    finish=add_forces,
)
