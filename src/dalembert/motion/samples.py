"""The samples of a motion, and formulas on them: traced on one state, compiled and run over all.

A formula that cannot be traced (a plain Python function in it) is called sample by sample instead, and so is any on a few samples only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import SimulationError, TraceError
from dalembert.kernels.catalogue import BodyMotion
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import extra_input, straight_block
from dalembert.kinematics.law_rows import law_rows
from dalembert.mechanism import Mechanism
from dalembert.trace import Expr, free_symbols, tracing
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.graph import flatten

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.motion.body_forces import BodyForces
    from dalembert.motion.multipliers import Solved

FEW = 4
"""Samples up to which compiling is not worth while."""

Formula = Callable[[Any, Any], Any]
"""(state, further numbers of the sample: rates of the speeds, multipliers …) → numbers in an array of any shape."""


@dataclass(frozen=True, eq=False)
class Samples:
    mechanism: Mechanism
    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    forces: np.ndarray
    parameters: Mapping[str, float | np.ndarray]
    """Values of the parameters; those that an event has set, (K,)."""
    law_forces: np.ndarray | None = None
    """(K, rows): forces along the rows of laws, which `forces` holds too; None without laws."""

    def with_laws(self, law_forces: np.ndarray) -> Samples:
        """The same with what laws exert."""
        exerted = evaluate(self, lambda s, force: law_rows(s).B.T @ force, law_forces)
        return replace(self, forces=self.forces + exerted, law_forces=law_forces)

    def __len__(self) -> int:
        return len(self.t)

    def at(self, rows: Any) -> Samples:
        """Some of them."""
        laws = None if self.law_forces is None else self.law_forces[rows]
        values = {name: x[rows] if isinstance(x, np.ndarray) else x for name, x in self.parameters.items()}
        return replace(
            self, t=self.t[rows], q=self.q[rows], u=self.u[rows], forces=self.forces[rows], parameters=values,
            law_forces=laws,
        )  # fmt: skip

    def model(self, k: int = 0) -> Mechanism:
        """The mechanism with the parameters of sample k."""
        values = {name: float(x[k]) if isinstance(x, np.ndarray) else x for name, x in self.parameters.items()}
        return self.mechanism.with_parameters(**values)

    @cached_property
    def body_motion(self) -> BodyMotion:
        """Poses and velocities of all bodies."""
        if len(self) > FEW:
            return self.mechanism.body_motion(self.q, self.u, self.t, self.parameters)

        def formula(s: State, _: Any) -> Any:
            n = s.mechanism.n_bodies
            both = zip(s.poses[1 : n + 1], s.velocities[1 : n + 1])
            return [[*pose.R.ravel(), *pose.p, *rate.w, *rate.v] for pose, rate in both]

        rows = one_by_one(self, formula, None)
        return BodyMotion(rows[..., :9].reshape(len(self), -1, 3, 3), *np.split(rows[..., 9:], 3, axis=-1))

    @cached_property
    def solved(self) -> Solved:
        """Rates of the speeds, and multipliers of loops and constraints."""
        from dalembert.motion.multipliers import solve

        return solve(self)

    @cached_property
    def body_forces(self) -> BodyForces:
        """What every body's motion needs, and what constraints exert."""
        from dalembert.motion.body_forces import body_forces

        return body_forces(self)


def evaluate(x: Samples, formula: Formula, extra: np.ndarray | None = None) -> np.ndarray:
    """The formula at every sample: (K, *its shape)."""
    if len(x) <= FEW:
        return one_by_one(x, formula, extra)
    return evaluator(x, formula, x.mechanism.n_u if extra is None else extra.shape[1])(x, extra)


def evaluate_with_loads(x: Samples, formula: Formula, extra: np.ndarray | None = None) -> np.ndarray:
    """A formula in which the forces take part. Those that are plain Python functions are not among the traced ones, so that with
    them every sample is worked out by itself."""
    return evaluate(x, formula, extra) if x.mechanism.kernels.opaque is None else one_by_one(x, formula, extra)


def evaluator(x: Samples, formula: Formula, n_extra: int) -> Callable[[Samples, np.ndarray | None], np.ndarray]:
    """The formula compiled for these samples, or any others of the same mechanism; entries that are constants are not computed."""
    m = x.mechanism.kernels.mechanism
    symbols = extra_input(range(n_extra))
    try:
        with tracing():
            values = np.array(formula(m.symbolic_state(), symbols), dtype=object)
            _check_numbers(values)
            varying = [i for i, value in enumerate(values.ravel()) if type(value) is Expr]
            computed = values.ravel()[varying]
    except (TraceError, TypeError, ValueError, ArithmeticError, AttributeError):
        return lambda y, extra: one_by_one(y, formula, extra)

    def emit(module: Any, lanes: int) -> Any:
        return module.block(straight_block(m, computed, symbols), lanes), 0

    kernel = Kernel("quantity", m, n_extra, (len(varying),), emit, of=(fingerprint(flatten(computed)),))
    read = [x.name for x in free_symbols(computed.tolist()) if x.name in m.parameters]
    constants = np.array([0.0 if type(value) is Expr else value for value in values.ravel()], dtype=float)

    def run(y: Samples, extra: np.ndarray | None) -> np.ndarray:
        out = np.tile(constants, (len(y), 1))
        if varying:
            values_read = {name: y.parameters[name] for name in read if name in y.parameters}
            out[:, varying] = kernel(y.q, y.u, extra, y.t, values_read)
        return out.reshape(len(y), *values.shape)

    return run


def _check_numbers(values: np.ndarray) -> None:
    for value in values.ravel():
        if type(value) is not Expr and not isinstance(value, (int, float, np.number, np.bool_)):
            raise SimulationError(f"a function of the state must give a number, or several, not {value!r}")


def one_by_one(x: Samples, formula: Formula, extra: np.ndarray | None) -> np.ndarray:
    ends = np.zeros_like(x.u) if extra is None else extra
    changing = any(isinstance(p, np.ndarray) for p in x.parameters.values())
    one = x.model() if len(x) else x.mechanism
    rows = [
        formula((x.model(k) if changing else one).state(q, u, t), e)
        for k, (t, q, u, e) in enumerate(zip(x.t, x.q, x.u, ends))
    ]
    try:
        made = np.array(rows, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise SimulationError(
            f"a function of the state must give a number, or as many numbers at every sample, not {rows[0]!r}"
        ) from None
    if len(rows):
        _check_numbers(np.array(rows[0], dtype=object))
    return made
