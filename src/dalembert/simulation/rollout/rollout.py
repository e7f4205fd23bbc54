"""Motions by fixed steps from arrays to arrays, for one start (n,) or many (N, n), with products of their derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dalembert.errors import SimulationError, StateError
from dalembert.kernels.products.lane_blocks import check_differentiable
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import Projection
from dalembert.simulation.constrained_start import kept_at
from dalembert.simulation.integrators.dop853 import DOP853
from dalembert.simulation.kept_rows import NO_ROWS_KEPT
from dalembert.simulation.rollout.rollout_program import RolloutProgram
from dalembert.simulation.rollout.step_products import CLASSICAL, Running
from dalembert.trace.native import aligned

SINGULAR = 1e-8
"""Pivot of the rows, by their reference norms, below which a step is not differentiable to any digits worth having."""
TABLEAUS = {"rk4": CLASSICAL, "dop853": DOP853.tableau}
"""Methods whose steps are differentiated, by name."""


class StartWeights(NamedTuple):
    """What weights on a motion become: on its start (q, u, z), its first time, its forces and its parameters."""

    y: np.ndarray
    t: np.ndarray
    x: np.ndarray
    P: np.ndarray


@dataclass(frozen=True, eq=False)
class Rollout:
    """Steps at `times`, from the first, for N motions: y0 (N, n), forces x (N, steps or 1, n_u), parameters P (N, n_p), t0 (N,).

    The time of row k is t0 + times[k].
    """

    program: RolloutProgram
    times: np.ndarray

    @property
    def m(self) -> Mechanism:
        return self.program.catalogue.mechanism

    @property
    def steps(self) -> int:
        return len(self.times) - 1

    def march(self, y0: np.ndarray, x: np.ndarray, P: np.ndarray, t0: np.ndarray) -> np.ndarray:
        """(N, steps + 1, n): the states."""
        g = _InLanes(self, len(y0))
        Y = g.empty(self.steps + 1, self.program.n)
        Y[:, 0] = g.packed(y0)
        pivots = g.empty()
        g.run("rollout", t0, Y, x, P, pivots)
        found = g.unpacked(Y)
        self._check(found, g.unpacked(pivots))
        return found

    def weigh(self, Y: np.ndarray, x: np.ndarray, P: np.ndarray, t0: np.ndarray, W: np.ndarray) -> StartWeights:
        """The gradient of Σ W·Y, Y being what `march` gave."""
        g = _InLanes(self, len(Y))
        weights, gt, gX, gP = g.packed(W).copy(), g.zeros(), g.zeros(*x.shape[1:]), g.zeros(P.shape[1])
        g.run("adjoint", t0, g.packed(Y), x, P, weights, gt, gX, gP)
        return StartWeights(*(g.unpacked(a) for a in (np.ascontiguousarray(weights[:, 0]), gt, gX, gP)))

    def change(
        self, y0: np.ndarray, x: np.ndarray, P: np.ndarray, t0: np.ndarray,
        dy0: np.ndarray, dx: np.ndarray, dP: np.ndarray, dt: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """The states, and how they change along a direction."""
        g = _InLanes(self, len(y0))
        Y, dY = (g.empty(self.steps + 1, self.program.n) for _ in range(2))
        Y[:, 0], dY[:, 0] = g.packed(y0), g.packed(dy0)
        g.run("tangent", t0, Y, x, P, g.packed(dt), dY, g.packed(dx), g.packed(dP))
        return g.unpacked(Y), g.unpacked(dY)

    def _check(self, Y: np.ndarray, pivots: np.ndarray) -> None:
        """Refuse motions without numbers, and those across poses at which the rows depend on each other."""
        lost = ~np.isfinite(Y).all(axis=2)
        if lost.any():
            k, i = np.argwhere(lost)[0]
            raise SimulationError(
                f"{_which(k, len(Y))}is not finite after step {i}: take shorter steps, or look at the start"
            )
        if len(self.m.rows) and not (pivots > SINGULAR).all():
            k = int(np.argmin(pivots))
            raise SimulationError(
                f"{_which(k, len(Y))}passes a singular pose, in which its constraints do not determine how it goes on: there are no "
                "derivatives across it; begin elsewhere or end before"
            )


def _which(k: int, count: int) -> str:
    return f"motion number {k} " if count > 1 else "the motion "


class _InLanes:
    """N motions in groups of as many as there are lanes."""

    def __init__(self, rollout: Rollout, count: int):
        self.rollout, self.count = rollout, count
        self.lanes = rollout.program.lanes if count > 1 else 1
        self.groups = -(-count // self.lanes)

    def empty(self, *shape: int) -> np.ndarray:
        """(groups, …, lanes)."""
        return aligned((self.groups, *shape, self.lanes))

    zeros = empty

    def packed(self, x: np.ndarray) -> np.ndarray:
        """(N, …) as (groups, …, lanes); lanes without a motion repeat the last."""
        x = np.asarray(x, dtype=float)
        if self.lanes == 1:
            return np.ascontiguousarray(x)[..., None]
        made, missing = self.empty(*x.shape[1:]), self.groups * self.lanes - self.count
        filled = np.concatenate([x, np.repeat(x[-1:], missing, axis=0)]) if missing else x
        made[:] = np.moveaxis(filled.reshape(self.groups, self.lanes, *x.shape[1:]), 1, -1)
        return made

    def unpacked(self, x: np.ndarray) -> np.ndarray:
        """(N, …) again."""
        if self.lanes == 1:
            return x[..., 0]
        rows = np.moveaxis(x, -1, 1).reshape(self.groups * self.lanes, *x.shape[1:-1])
        return np.ascontiguousarray(rows[: self.count])

    def run(self, which: str, t0: np.ndarray, Y: np.ndarray, x: np.ndarray, P: np.ndarray, *more: np.ndarray) -> None:
        """Call the compiled function."""
        r, program = self.rollout, self.rollout.program
        inputs, layout = self.empty(program.input_layout.size), program.input_layout.parts
        inputs[:, layout["P"]] = self.packed(P)
        inputs[:, layout["scales"]] = program.scales[:, None]
        library, work = program.library(self.lanes, which), program.work(self.lanes, which)
        library[which](
            self.groups, r.steps, r.times, self.packed(t0), Y, self.packed(x), x.shape[1], inputs, work, *more
        )


def rollout_program(
    m: Mechanism, q: Sequence[float] | np.ndarray, t: float, running: Running | None = None, method: str = "rk4"
) -> RolloutProgram:
    """The program that serves motions beginning about q."""
    check_differentiable(m, "the derivative of a motion")
    if m.variables is not None and m.constraint_rows:
        raise StateError(
            f'mechanism "{m.name}" has loops or constraints, and chosen coordinates or speeds: ask for derivatives of '
            "m.in_joint_variables"
        )
    kept = kept_at(m, np.asarray(q, dtype=float), t, Projection()) if m.constraint_rows else NO_ROWS_KEPT
    made = RolloutProgram(m.kernels, kept, TABLEAUS[method], method, running)
    found: RolloutProgram = m.kernels.once(("rollout", made.identity), lambda: made)
    return found
