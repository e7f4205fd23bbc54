"""A self-test of compiled code on the machine at hand: `dalembert doctor` runs it.

Every kernel is compiled anew for every target that this processor can execute, and compared with the float interpreter, which is plain
Python. A difference beyond rounding means that the compiler, the processor or this package is at fault: no result can be trusted then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.constraints import method
from dalembert.constraints.assembly.assemble import off_at
from dalembert.formulations.tree import kane
from dalembert.mechanism import Mechanism
from dalembert.system.system import System

ROUNDING = 1e-8
"""Difference allowed between a kernel and the interpreter, per largest value; rounding alone gives less than a hundredth of it."""
LARGEST_GAP = 1e-8
"""Gap of a closed loop, per size of the mechanism, that a march may leave; projections leave less than a thousandth of it."""
STATES = 11
"""States compared for each model: a batch that fills no target's lanes evenly."""


@dataclass(frozen=True)
class Check:
    """One comparison: of which model, on which target, of what, and how far apart the two answers are."""

    model: str
    target: str
    quantity: str
    difference: float
    """Largest difference, per largest value; NaN where there was no answer."""
    allowed: float
    problem: str = ""
    """What went wrong, where there was no answer."""

    @property
    def passed(self) -> bool:
        """Whether the answers agree; no answer is no agreement."""
        return bool(self.difference <= self.allowed)


@dataclass(frozen=True)
class SelfTest:
    """All comparisons that were made, and the models for which there was no time."""

    checks: tuple[Check, ...]
    left_out: tuple[str, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether something was compared, and nothing differs."""
        return bool(self.checks) and all(c.passed for c in self.checks)

    @property
    def failures(self) -> list[Check]:
        """The comparisons that did not agree."""
        return [c for c in self.checks if not c.passed]


def self_test(systems: Mapping[str, Callable[[], System]], targets: Sequence[str], seconds: float) -> SelfTest:
    """The models compared on all targets, in the order given; after so many seconds no further model is begun."""
    began = time.perf_counter()
    checks: list[Check] = []
    left_out: list[str] = []
    for name, system in systems.items():
        if time.perf_counter() - began > seconds and checks:
            left_out.append(name)
            continue
        checks += _examined(name, system, targets)
    return SelfTest(tuple(checks), tuple(left_out), time.perf_counter() - began)


@dataclass(frozen=True)
class _Expected:
    """States of a motion, and what the interpreter says of them."""

    q: np.ndarray
    u: np.ndarray
    t: np.ndarray
    udot: np.ndarray
    mass: np.ndarray


def _examined(name: str, system: Callable[[], System], targets: Sequence[str]) -> list[Check]:
    """All checks of one model. Whatever is raised is a finding: a broken compiler may raise anything."""
    checks: list[Check] = []
    expected: _Expected | None = None
    for target in targets:
        try:
            m = system().build(target=target)
            motion = m.simulate()
            if expected is None:
                rows = np.linspace(0, len(motion.t) - 1, STATES).astype(int)
                expected = _interpreted(m, motion.q[rows], motion.u[rows], motion.t[rows])
            checks += [Check(name, target, *found) for found in _compared(m, expected)]
            if m.cuts or m.constraints:
                gap = off_at(m, motion.q[-1], float(motion.t[-1]))
                checks.append(Check(name, target, "constraints after a march", gap, LARGEST_GAP))
        except Exception as problem:
            text = f"{type(problem).__name__}: {problem}"
            checks.append(Check(name, target, "all", float("nan"), ROUNDING, " ".join(text.split())))
    return checks


def _interpreted(m: Mechanism, q: np.ndarray, u: np.ndarray, t: np.ndarray) -> _Expected:
    """Kane's equations on floats, state by state; constraints by singular values."""
    udot, mass = [], []
    for k in range(len(t)):
        e = kane.equations(m.state(q[k], u[k], float(t[k])))
        udot.append(method("svd")(e).udot if len(e.B) else np.linalg.solve(e.A, e.f))
        mass.append(e.A)
    return _Expected(q, u, t, np.array(udot), np.array(mass))


def _compared(m: Mechanism, x: _Expected) -> Iterator[tuple[str, float, float]]:
    """What each kernel says of these states: many at once, and the first alone."""
    yield "accelerations, many states", _apart(m.smooth_dynamics(x.q, x.u, None, x.t), x.udot), ROUNDING
    one = m.smooth_dynamics(x.q[0], x.u[0], None, float(x.t[0]))
    yield "accelerations, one state", _apart(one, x.udot[0]), ROUNDING
    yield "mass matrix", _apart(m.mass_matrix(x.q, x.t), x.mass), ROUNDING
    if not (m.cuts or m.constraints or m.laws):
        forces = m.inverse_dynamics(x.q, x.u, x.udot, x.t)
        size = 1.0 + float(np.abs(np.einsum("kij,kj->ki", np.abs(x.mass), np.abs(x.udot))).max(initial=0.0))
        yield "inverse dynamics", float(np.abs(forces).max(initial=0.0)) / size, ROUNDING


def _apart(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference per largest value, or per 1; infinite where shapes differ."""
    if found.shape != expected.shape:
        return float("inf")
    return float(np.abs(found - expected).max(initial=0.0)) / max(1.0, float(np.abs(expected).max(initial=0.0)))
