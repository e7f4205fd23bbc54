"""The gradient of a motion's end and of integrals along it, backward through the steps themselves.

J = φ(t₁, y₁) + ∫ l dt, the integral by the method that marches y. What differs from a forward sensitivity is the cost: it does not grow
with the number of parameters, initial values and controls. Beyond `KEPT` numbers only every √K-th state is kept, and the steps between
are made once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.gradient.motion_gradient import MotionGradient
from dalembert.analysis.sensitivity.sensitivities import Sensitive
from dalembert.arguments import numbers
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds
from dalembert.errors import ArgumentError, SimulationError
from dalembert.kernels.products.lane_blocks import check_differentiable
from dalembert.kernels.products.value_products import ValueProducts
from dalembert.kinematics.initial import initial_state, named_coordinates, named_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.parts.names import unknown
from dalembert.simulation.rollout.recorded_steps import recorded_steps
from dalembert.simulation.rollout.rollout import TABLEAUS, Rollout, rollout_program
from dalembert.simulation.run_options import Options, options

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


KEPT = 4_000_000
"""Numbers of a motion that are kept, 32 MB; of longer motions only some states are."""

ROUNDED_DOWN = 1e-9
"""Part of a step by which the motion may be longer than a whole number of steps without a further one."""

Objective = Callable[[State], Any]


def gradient(
    m: Mechanism, duration: float, initial: JointValues | None,
    speeds: JointValues | None, end: Objective | None, integral: Objective | None,
    parameters: Sequence[str] | None, initial_values: Sequence[str], controls: Mapping[str, Any] | None, said: SimulationOptions,
) -> MotionGradient:  # fmt: skip
    """See `Mechanism.gradient`."""
    if end is None and integral is None:
        raise ArgumentError(
            "gradient: say of what: end=, a function of the last state, or integral=, one of every state"
        )
    check_differentiable(m, "gradient")
    initial, states = m.without_states(initial)
    model = m.with_parameters(**states) if states else m
    o = options(model, duration, replace(said, output=[_end_of(said, duration)]))
    if o.method.name not in TABLEAUS:
        known = " or ".join(f'"{name}"' for name in TABLEAUS)
        raise SimulationError(f'gradient: method="{o.method.name}" has no gradient; choose method={known}')
    return _Backward(
        m, model, o, initial, speeds, end, integral, parameters, tuple(initial_values), controls or {}
    ).found()


def _end_of(said: SimulationOptions, duration: Any) -> float:
    return float(duration) + (said.start or 0.0)


class _Backward:
    """One gradient in the making."""

    def __init__(
        self, m: Mechanism, model: Mechanism,
        o: Options, initial: JointValues | None, speeds: JointValues | None, end: Objective | None,
        integral: Objective | None, parameters: Sequence[str] | None, initial_values: tuple[str, ...], controls: Mapping[str, Any],
    ):  # fmt: skip
        self.m, self.model, self.o, self.end = m, model, o, end
        names = [x for x in m.parameters if x not in m.states] if parameters is None else list(parameters)
        self.directions = Sensitive(m, names, initial_values, {}) if names or initial_values else None
        self.q, self.u, self.X = self._start(initial, speeds)
        self.o = o.beginning(model, self.q, self.u)
        running = None if integral is None else lambda s: [_number(integral(s), "integral")]
        self.program = rollout_program(m, self.q, o.start, running, o.method.name)
        self.times = self._times()
        self.x, self.controls = self._forces(controls)
        self.P = np.array(list(model.parameters.values()), dtype=float)[None]

    @property
    def steps(self) -> int:
        return len(self.times) - 1

    @property
    def n(self) -> int:
        return self.m.n_q + self.m.n_u + self.m.n_z

    def _start(
        self, initial: JointValues | None, speeds: JointValues | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(q, u) assembled, and how they change along what is asked about."""
        model, t = self.model, self.o.start
        if self.directions is not None:
            return self.directions.start(model, initial, speeds, t)
        q, u = initial_state(model, initial, speeds, t)
        if self.m.constraint_rows:
            q = assemble(model, q, named_coordinates(self.m, initial), t)
            u = consistent_speeds(model, q, u, named_speeds(self.m, speeds), t)
        return q, u, None

    def _times(self) -> np.ndarray:
        """Ends of the steps, from the start."""
        o = self.o
        if o.method.adaptive:
            return recorded_steps(self.model, o, self.program.kept, self.q, self.u) - o.start
        length = o.end - o.start
        count = max(1, int(np.ceil(length / o.step * (1.0 - ROUNDED_DOWN))))
        return np.array([*(o.step * np.arange(count)), length])

    def _forces(self, controls: Mapping[str, Any]) -> tuple[np.ndarray, dict[str, int]]:
        """Generalized forces of every step, each sample held over as many steps; and how many samples each control has."""
        if not controls:
            return np.zeros((1, 1, self.m.n_u)), {}
        if self.o.method.adaptive:
            raise SimulationError(
                'gradient: controls are held over steps of one length; give step=, which means method="rk4"'
            )
        x, counts = np.zeros((1, self.steps, self.m.n_u)), {}
        for name, samples in controls.items():
            if name not in self.m.speeds:
                raise unknown(name, "speed", self.m.speeds, "controls")
            values = numbers(samples, f'gradient: control "{name}"')
            if values.ndim != 1 or not len(values) or self.steps % len(values):
                raise ArgumentError(
                    f'gradient: control "{name}" has samples of shape {np.shape(values)}, and there are {self.steps} steps: give as '
                    "many samples in one row as divide them evenly"
                )
            x[0, :, self.m.speeds.index(name)] = np.repeat(values, self.steps // len(values))
            counts[name] = len(values)
        return x, counts

    def found(self) -> MotionGradient:
        """March, remember, and go back."""
        length = self.steps if self.steps * self.program.n <= KEPT else int(np.ceil(np.sqrt(self.steps)))
        starts = list(range(0, self.steps, length))
        y = np.concatenate(
            [self.q, self.u, [self.model.parameters[z] for z in self.m.states], np.zeros(self.program.n - self.n)]
        )
        kept, rows = [], None
        for k in starts:
            kept.append(y)
            rows = self._marched(k, length, y)
            y = rows[0, -1]
        weights, value, gP = self._at_end(y)
        gX = np.zeros_like(self.x)
        for k, begun in zip(reversed(starts), reversed(kept)):
            part = rows if rows is not None else self._marched(k, length, begun)
            rows = None
            W = np.zeros_like(part)
            W[0, -1] = weights
            back = self._piece(k, length).weigh(part, self._forces_of(k, length), self.P, np.full(1, self.o.start), W)
            weights, gP = back.y[0], gP + back.P[0]
            gX[:, k : k + length] += back.x
        return self._result(value, weights, gP, gX[0], y)

    def _piece(self, k: int, length: int) -> Rollout:
        return Rollout(self.program, np.ascontiguousarray(self.times[k : k + length + 1]))

    def _forces_of(self, k: int, length: int) -> np.ndarray:
        return self.x[:, k : k + length] if self.x.shape[1] > 1 else self.x

    def _marched(self, k: int, length: int, y: np.ndarray) -> np.ndarray:
        return self._piece(k, length).march(y[None], self._forces_of(k, length), self.P, np.full(1, self.o.start))

    def _at_end(self, y: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        """Weights on the last state, the value, and what parameters change in it by themselves."""
        m, weights, gP, value = self.m, np.zeros(self.program.n), np.zeros(self.P.shape[1]), 0.0
        if self.program.n > self.n:
            weights[self.n], value = 1.0, float(y[self.n])
        if self.end is not None:
            end = self.end
            products = ValueProducts(m, lambda s: [_number(end(s), "end")])
            at = (y[None, : m.n_q], y[None, m.n_q : m.n_q + m.n_u], np.full(1, self.o.end), self._with_states(y))
            value += float(products.values(*at)[0, 0])
            found = products.weigh(*at, np.ones((1, 1)))
            weights[: m.n_q] += found.q[0]
            weights[m.n_q : m.n_q + m.n_u] += found.u[0]
            of_states = found.P[0, m.states_at : m.states_at + m.n_z]
            weights[m.n_q + m.n_u : self.n] += of_states
            gP += found.P[0]
            gP[m.states_at : m.states_at + m.n_z] -= of_states
        return weights, value, gP

    def _with_states(self, y: np.ndarray) -> np.ndarray:
        """Parameters' values with those of the states."""
        P, m = self.P.copy(), self.m
        P[:, m.states_at : m.states_at + m.n_z] = y[m.n_q + m.n_u : self.n]
        return P

    def _result(self, value: float, w: np.ndarray, gP: np.ndarray, gX: np.ndarray, y: np.ndarray) -> MotionGradient:
        m, n = self.m, self.m.n_q + self.m.n_u
        values = np.zeros(0)
        if self.X is not None:
            gP[m.states_at : m.states_at + m.n_z] += w[n : self.n]
            values = np.concatenate([w[:n], gP]) @ self.X
        controls = {
            name: gX[:, m.speeds.index(name)].reshape(count, -1).sum(axis=1) for name, count in self.controls.items()
        }
        to = () if self.directions is None else self.directions.to
        q, u = y[: m.n_q], y[m.n_q : n]
        return MotionGradient(value, to, values, controls, self.steps, self.o.method.name, q, u)


def _number(value: Any, what: str) -> Any:
    """One number of the state."""
    if np.ndim(value):
        raise ArgumentError(f"gradient: {what} must give one number of the state, not {np.shape(value)} of them")
    return value
