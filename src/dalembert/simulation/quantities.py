"""Quantities of a motion: each is a formula on one state, traced, compiled and run over all samples.

A formula that cannot be traced (a plain Python function in it) is called sample by sample instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import SimulationError, TraceError
from dalembert.kernels.catalogue import BodyMotion
from dalembert.kernels.kernel import Kernel
from dalembert.kernels.straight import extra_input, straight_block
from dalembert.kinematics import totals
from dalembert.kinematics.loads import loads
from dalembert.mechanism import Mechanism
from dalembert.system.forces.points import point
from dalembert.system.names import unknown
from dalembert.trace import tracing
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.graph import flatten
from dalembert.vectors import ZERO, cross

Formula = Callable[[Any, Any], Any]
"""(state, rates of the speeds) → numbers in an array of any shape."""


@dataclass(frozen=True, eq=False)
class Samples:
    mechanism: Mechanism
    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    forces: np.ndarray
    parameters: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Poses:
    rotation: np.ndarray
    position: np.ndarray


@dataclass(frozen=True, eq=False)
class Accelerations:
    angular: np.ndarray
    linear: np.ndarray


@dataclass(frozen=True, eq=False)
class Energies:
    kinetic: np.ndarray
    potential: np.ndarray

    @property
    def total(self) -> np.ndarray:
        return self.kinetic + self.potential


@dataclass(frozen=True, eq=False)
class Momenta:
    linear: np.ndarray
    angular: np.ndarray


@dataclass(frozen=True, eq=False)
class Wrenches:
    force: np.ndarray
    torque: np.ndarray


def evaluate(x: Samples, formula: Formula, rates: np.ndarray | None = None) -> np.ndarray:
    """The formula at every sample: (K, *its shape)."""
    m = x.mechanism.kernels.mechanism
    try:
        with tracing():
            values = np.array(formula(m.symbolic_state(), extra_input(m.speeds)), dtype=object)
    except (TraceError, TypeError, ValueError, ArithmeticError, AttributeError):
        return _one_by_one(x, formula, rates)

    def emit(module: Any, lanes: int) -> Any:
        return module.block(straight_block(m, values, extra_input(m.speeds)), lanes), 0

    name = f"quantity {fingerprint(flatten(values))}"
    kernel = Kernel(name, m, m.n_u, values.shape, emit, x.mechanism.kernels.key)
    return kernel(x.q, x.u, rates, x.t, x.parameters)


def _one_by_one(x: Samples, formula: Formula, rates: np.ndarray | None) -> np.ndarray:
    m = x.mechanism.with_parameters(**x.parameters)
    ends = np.zeros_like(x.u) if rates is None else rates
    return np.array([formula(m.state(q, u, t), ud) for t, q, u, ud in zip(x.t, x.q, x.u, ends)], dtype=float)


def body_motion(x: Samples) -> BodyMotion:
    return x.mechanism.body_motion(x.q, x.u, x.t, x.parameters)


def pose(x: Samples, body: str) -> Poses:
    names = [b.name for b in x.mechanism.bodies]
    if body not in names:
        raise unknown(body, "body", names, "pose")
    every = body_motion(x)
    k = names.index(body)
    return Poses(every.rotation[:, k], every.position[:, k])


def udot(x: Samples) -> np.ndarray:
    return x.mechanism.forward_dynamics(x.q, x.u, x.forces, x.t, x.parameters)


def energy(x: Samples) -> Energies:
    rows = x.mechanism.energies(x.q, x.u, x.t, x.parameters)
    return Energies(rows[:, 0], rows[:, 1])


def momentum(x: Samples, about: Any) -> Momenta:
    def formula(s: Any, _: Any) -> Any:
        return [*totals.linear_momentum(s), *totals.angular_momentum(s, np.asarray(about, dtype=float))]

    rows = evaluate(x, formula)
    return Momenta(rows[:, :3], rows[:, 3:])


def acceleration(x: Samples, at: Any) -> Accelerations:
    p = point(at, "acceleration")

    def formula(s: Any, rates: Any) -> Any:
        return [*s.accelerations(rates)[s.body_number(p)].w, *s.acceleration(p, rates)]

    rows = evaluate(x, formula, udot(x))
    return Accelerations(rows[:, :3], rows[:, 3:])


def reaction(x: Samples, joint: str, at: str, axes: str) -> Wrenches:
    """Newton's and Euler's laws for all bodies that the joint carries, together: what the joint must transmit.

    Forces that are plain Python functions are not among the traced ones, so that with them every sample is worked out by itself.
    """
    m = x.mechanism
    if m.cuts or m.constraints:
        raise SimulationError(
            "reactions are given for trees; this mechanism has loops or constraints, which share the load"
        )
    if joint not in m.joint_number:
        raise unknown(joint, "joint", m.joint_number, "reaction")
    for name, given, known in (("at", at, ("child", "parent")), ("axes", axes, ("world", "child", "parent"))):
        if given not in known:
            raise SimulationError(
                f"reaction: {name}={given!r} is not known; choose one of {', '.join(map(repr, known))}"
            )
    number = m.joint_number[joint]
    rates = udot(x)

    def formula(s: Any, rates: Any) -> Any:
        return transmitted(s, rates, number, at, axes)

    rows = evaluate(x, formula, rates) if m.kernels.opaque is None else _one_by_one(x, formula, rates)
    return Wrenches(rows[:, :3], rows[:, 3:])


def transmitted(s: Any, rates: Any, number: int, at: str, axes: str) -> list[Any]:
    """F = Σ (m a − f), M = Σ (Iα + ω × Iω − n + r × (m a − f)) over the carried bodies; turned to the user's child and axes."""
    m, acc, applied = s.mechanism, s.accelerations(rates), loads(s)
    j, turned = m.joints[number - 1], m.tree.reversed[number - 1]
    inner, outer = s.poses[m.stands_on[number - 1]], s.poses[number]
    on_carried = (at == "child") != turned
    p = outer.p + outer.R @ j.on_child.position if on_carried else inner.p + inner.R @ j.on_parent.position
    F, M = ZERO, ZERO
    for k in _carried(m, number):
        modal = s.joint_udot(rates)[k - 1][m.joints[k - 1].joint.inner.n_u :]
        needed, turning = m.bodies[k - 1].demands(s.instants[k - 1], acc[k].w, acc[k].v, modal)
        f = needed - applied.force[k - 1]
        F = F + f
        M = M + turning - applied.moment[k - 1] + cross(s.poses[k].p + s.com_arms[k - 1] - p, f)
    if turned:
        F, M = -F, -M
    if axes != "world":
        carried = (axes == "child") != turned
        R = outer.R @ j.on_child.rotation if carried else inner.R @ j.on_parent.rotation
        F, M = R.T @ F, R.T @ M
    return [*F, *M]


def _carried(m: Mechanism, number: int) -> list[int]:
    """The body and all that it carries."""
    out = {number}
    for k, parent in enumerate(m.parent, start=1):
        if parent in out:
            out.add(k)
    return sorted(out)
