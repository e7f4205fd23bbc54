"""Steps, rollouts and assembled starts as functions of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.sensitivity.sensitivities import Sensitive
from dalembert.errors import ArgumentError
from dalembert.frameworks.array_function import ArrayFunction, Arrays
from dalembert.kernels.products.lane_blocks import check_differentiable
from dalembert.mechanism import Mechanism
from dalembert.simulation.rollout.rollout import Rollout, rollout_program


@dataclass(frozen=True, eq=False)
class RolloutFunction(ArrayFunction):
    """All states (q, u, z) of a motion by rk4, from (q, u, τ of every step, t, P); states z begin with their values in P."""

    m: Mechanism
    times: np.ndarray
    last: bool
    """Whether only the last state is wanted."""

    def values(self, *arguments: np.ndarray) -> np.ndarray:
        y, x, P, t = self._start(arguments)
        return self._chosen(self._rollout(y, t).march(y, x, P, t))

    def changes(self, arguments: Arrays, changes: Arrays) -> np.ndarray:
        y, x, P, t = self._start(arguments)
        dy, dx, dP, dt = self._start(changes)
        return self._chosen(self._rollout(y, t).change(y, x, P, t, dy, dx, dP, dt)[1])

    def weights(self, arguments: Arrays, w: np.ndarray) -> Sequence[np.ndarray]:
        m, (y, x, P, t) = self.m, self._start(arguments)
        rollout = self._rollout(y, t)
        Y = rollout.march(y, x, P, t)
        W = np.zeros_like(Y)
        W[:, -1 if self.last else slice(None)] = w
        g, n = rollout.weigh(Y, x, P, t, W), m.n_q + m.n_u
        g.P[:, m.states_at : m.states_at + m.n_z] += g.y[:, n:]
        return g.y[:, : m.n_q], g.y[:, m.n_q : n], g.x, g.t, g.P

    def _start(self, arguments: Arrays) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        q, u, x, t, P = arguments
        z = P[:, self.m.states_at : self.m.states_at + self.m.n_z]
        return (
            np.concatenate([q, u, z], axis=1),
            np.ascontiguousarray(x),
            np.ascontiguousarray(P),
            np.ascontiguousarray(t),
        )

    def _rollout(self, y: np.ndarray, t: np.ndarray) -> Rollout:
        return Rollout(rollout_program(self.m, y[0, : self.m.n_q], float(t[0])), self.times)

    def _chosen(self, Y: np.ndarray) -> np.ndarray:
        return Y[:, -1] if self.last else Y


@dataclass(frozen=True, eq=False)
class AssembledStart(ArrayFunction):
    """(q, u) with the named coordinates and speeds kept and all loops closed, from their values and P."""

    m: Mechanism
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    directions: Sensitive

    def values(self, *arguments: np.ndarray) -> np.ndarray:
        return np.array([np.concatenate(self._at(*one)[:2]) for one in zip(*arguments)])

    def changes(self, arguments: Arrays, changes: Arrays) -> np.ndarray:
        return np.array([self._matrix(*one) @ np.concatenate(d) for one, d in zip(zip(*arguments), zip(*changes))])

    def weights(self, arguments: Arrays, w: np.ndarray) -> Sequence[np.ndarray]:
        g = np.array([row @ self._matrix(*one) for one, row in zip(zip(*arguments), w)])
        return np.split(g, [len(self.coordinates) + len(self.speeds)], axis=1)

    def _matrix(self, given: np.ndarray, P: np.ndarray) -> np.ndarray:
        """How (q, u) changes with the values given and P."""
        n_p = len(self.m.parameters)
        X = self._at(given, P)[2][: self.m.n_q + self.m.n_u]
        return np.hstack([X[:, n_p:], X[:, :n_p]])

    def _at(self, given: np.ndarray, P: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        model = self.m.with_parameters(**dict(zip(self.m.parameters, P.tolist())))
        kept = dict(zip(self.coordinates, given.tolist()))
        speeds = dict(zip(self.speeds, given[len(self.coordinates) :].tolist()))
        return self.directions.start(model, kept, speeds, 0.0)


def rollout(m: Mechanism, step: float, steps: int, per_step: bool, last: bool = False) -> ArrayFunction:
    """ArrayFunction for `steps` steps of this length, with one row of forces for each, or one for all."""
    check_differentiable(m, "rollout")
    if not (np.isfinite(step) and step > 0.0):
        raise ArgumentError(f"rollout: step={step!r} must be a positive number of seconds")
    if steps < 1:
        raise ArgumentError(f"rollout: steps={steps!r} must be at least 1")
    n = m.n_q + m.n_u + m.n_z
    shapes: Any = ((m.n_q,), (m.n_u,), (steps if per_step else 1, m.n_u), (), (len(m.parameters),))
    shape = (n,) if last else (steps + 1, n)
    names = ("q", "u", "tau", "t", "parameters")
    return RolloutFunction("rollout", names, shapes, shape, m, step * np.arange(steps + 1), last)


def assembled(m: Mechanism, coordinates: Sequence[str], speeds: Sequence[str]) -> ArrayFunction:
    """ArrayFunction for a start in which these coordinates and speeds have given values."""
    check_differentiable(m, "assemble")
    directions = Sensitive(m, list(m.parameters), [*coordinates, *(f"{name}'" for name in speeds)], {})
    shapes: Any = ((len(coordinates) + len(speeds),), (len(m.parameters),))
    return AssembledStart(
        "assemble", ("values", "parameters"), shapes, (m.n_q + m.n_u,), m, tuple(coordinates), tuple(speeds), directions
    )
