"""Forward sensitivities: the variational equations Ẋ = f_y X + f_p marched together with the motion y = (q, u).

What is marched is compiled (`simulation/variational.py`); here directions are named and made to fit the start, and outputs derived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.finding import Finding, Plot
from dalembert.analysis.sensitivity.constraint_variation import Variation, along, compiled
from dalembert.analysis.sensitivity.start_directions import initial_tangent
from dalembert.analysis.tabular import Tabular, components, over
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds
from dalembert.errors import StateError
from dalembert.kinematics.initial import initial_state, named_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import Projection, SimulationOptions
from dalembert.parts.names import unknown
from dalembert.parts.outputs import as_output
from dalembert.simulation.constrained_start import check_rows_left_out, kept_at
from dalembert.simulation.kept_rows import NO_ROWS_KEPT
from dalembert.simulation.march.between_stretches import Progress
from dalembert.simulation.march.sensitivity_march import SensitivityProgram, SensitivityRun
from dalembert.simulation.run_options import Options, options
from dalembert.trace import directional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RTOL = 1e-10
"""Relative tolerance of sensitivities where none is said."""


@dataclass(frozen=True, eq=False)
class Sensitivities(Tabular):
    """A motion (t, q, u) and how it depends on what is named in `to`: `dq` (K, n_q, n), `du` (K, n_u, n)."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    to: tuple[str, ...]
    dq: np.ndarray
    du: np.ndarray
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    values: Mapping[str, np.ndarray]
    """The outputs over time."""
    of_outputs: Mapping[str, np.ndarray]
    """Sensitivities of the outputs; the last axis is `to`."""

    def value(self, name: str) -> np.ndarray:
        """A coordinate "A", a speed "A'" or an output over time."""
        return self._named(name)[0]

    def __getitem__(self, name: str) -> np.ndarray:
        """Sensitivity of a coordinate "A", a speed "A'" or an output: (K, n), or (K, …, n)."""
        return self._named(name)[1]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of everything that can be asked for: coordinates, speeds (marked ') and outputs."""
        return (*self.coordinates, *(f"{c}'" for c in self.speeds), *self.values)

    def columns(self) -> dict[str, np.ndarray]:
        """Time, every quantity, and its change per unit of each of `to`, as "d(A)/d(c)"."""
        out = {"t": self.t}
        for name in self.names:
            parts = list(components(name, self.value(name)))
            changes = self[name].reshape(len(self.t), len(parts), len(self.to))
            out |= components(name, self.value(name))
            out |= {f"d({p})/d({to})": changes[:, i, k] for i, p in enumerate(parts) for k, to in enumerate(self.to)}
        return out

    def plot(self, name: str, ax: Axes | None = None) -> Axes:
        """The change of one quantity per unit of each of `to`, over time; the axes of matplotlib."""
        changes = self[name].reshape(len(self.t), -1, len(self.to))
        parts = list(components(name, self.value(name)))
        curves = {f"d({p})/d({to})": changes[:, i, k] for i, p in enumerate(parts) for k, to in enumerate(self.to)}
        return over(self.t, "t, s", curves, f"change of {name} per unit", ax)

    def _named(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        known = {c: (self.q[:, i], self.dq[:, i]) for i, c in enumerate(self.coordinates)}
        known |= {f"{c}'": (self.u[:, i], self.du[:, i]) for i, c in enumerate(self.speeds)}
        known |= {k: (x, self.of_outputs[k]) for k, x in self.values.items()}
        if name not in known:
            raise unknown(name, "coordinate, speed or output", known, "sensitivities")
        return known[name]

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        plots = [
            Plot(f"Change of {name} per unit", "t, s", self.t, tuple(self.to), self[name])
            for name in (*self.coordinates, *(k for k, v in self.values.items() if v.ndim == 1))
        ]
        rows = [["at the end", *self.to]]
        names = (
            *self.coordinates,
            *(f"{c}'" for c in self.speeds),
            *(k for k, v in self.values.items() if v.ndim == 1),
        )
        rows += [[name, *(f"{v:.6g}" for v in self[name][-1])] for name in names]
        return Finding("Sensitivities", "Change per unit of each parameter or initial value.", [("", rows)], plots[:12])

    def __str__(self) -> str:
        lines = [f"At t = {self.t[-1]:g} s, change per unit of {', '.join(self.to)}:"]
        names = [
            *self.coordinates,
            *(f"{c}'" for c in self.speeds),
            *(k for k, x in self.values.items() if x.ndim == 1),
        ]
        lines += [f"  {name}: " + ", ".join(f"{x:.6g}" for x in self[name][-1]) for name in names]
        return "\n".join(lines)


class Sensitive:
    """A mechanism with the directions asked about and the outputs, compiled once and run for any values of the parameters."""

    def __init__(self, m: Mechanism, parameters: Sequence[str] | None, initial_values: Sequence[str], outputs: Any):
        self.m, self.variation = m, Variation(m)
        self.parameters = tuple(m.parameters if parameters is None else parameters)
        self.initial_values = tuple(initial_values)
        for name in self.parameters:
            if name not in m.parameters:
                raise unknown(name, "parameter", m.parameters, f'mechanism "{m.name}"')
        if not self.to:
            raise StateError("there is nothing to be sensitive to: name parameters=[…] or initial_values=[…]")
        self.columns = [self._column(name) for name in self.initial_values]
        asked = m.plan.outputs if outputs is None else {k: as_output(x, k) for k, x in outputs.items()}
        self.outputs = {name: _output(m, output) for name, output in asked.items()}

    @property
    def to(self) -> tuple[str, ...]:
        return (*self.parameters, *self.initial_values)

    def _column(self, name: str) -> int:
        """Place in (q, u) of a named start."""
        m = self.m
        if name.endswith("'") and name[:-1] in m.speeds:
            return m.n_q + m.speeds.index(name[:-1])
        if name not in m.coordinates:
            raise unknown(name, "coordinate or speed", [*m.coordinates, *(f"{c}'" for c in m.speeds)], "initial values")
        joint = next(j for j in m.joints if m.coordinates.index(name) in j.q_at)
        if not joint.joint.rates_are_speeds:
            raise StateError(
                f'"{name}" cannot change by itself: the coordinates of joint "{joint.name}" depend on each other; ask about its speeds'
            )
        return m.coordinates.index(name)

    def run(
        self, duration: Any, initial: Any, speeds: Any, values: Mapping[str, float], output: Any, rtol: float
    ) -> Sensitivities:
        """Sensitivities from these initial values, with these values of the parameters."""
        model, n = self.m.with_parameters(**values) if values else self.m, self.m.n_q + self.m.n_u
        o = options(model, duration, SimulationOptions(output=output, rtol=rtol))
        q, u, X = self._start(model, initial, speeds, o.start)
        o = o.beginning(model, q, u)
        kept = kept_at(model, q, o.start, Projection()) if self.m.constraint_rows else NO_ROWS_KEPT
        program = SensitivityProgram(self.m.kernels, o.method, kept=kept, along=len(self.to))
        run = SensitivityRun(program, model, o, X[:n], X[n:], self._tolerances(model, o))
        run.begin(q, u, np.array(list(model.parameters.values()), dtype=float))
        run.go(Progress(None), None)
        y, changes = run.rows[:, :n], program.unpacked(run.rows[:, n:])
        if run.program.constrained:
            check_rows_left_out(model, run.program.kept, o.times, *np.split(y, [self.m.n_q], axis=1))
        return self._result(o.times, y, changes, X[n:], dict(model.parameters))

    def _start(
        self, model: Mechanism, initial: Any, speeds: Any, t: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        m, n_q = self.m, self.m.n_q
        q, given = initial_state(model, initial, speeds, t)
        fixed, fixed_speeds = named_speeds(m, initial), named_speeds(m, speeds)
        u = given
        if m.constraint_rows:
            start = q
            q = assemble(model, q, fixed, t)
            u = consistent_speeds(model, q, given, fixed_speeds, t)
            shapes = [_coordinate_of(m, i) for i in m.deforming]
            if np.array_equal(q[shapes], start[shapes]):  # the joints alone have closed the loops
                fixed = [*fixed, *m.deforming]
            if np.array_equal(u[list(m.deforming)], given[list(m.deforming)]):
                fixed_speeds = [*fixed_speeds, *m.deforming]
        X = np.zeros((self.variation.n_direction, len(self.to)))
        for k, name in enumerate(self.parameters):
            X[n_q + m.n_u + list(m.parameters).index(name), k] = 1.0
        for k, column in enumerate(self.columns, start=len(self.parameters)):
            X[column, k] = 1.0
        fixed = [*fixed, *(_speed_of(m, c) for c in self.columns if c < n_q)]
        fixed_speeds = [*fixed_speeds, *(c - n_q for c in self.columns if c >= n_q)]
        p = dict(model.parameters)
        return q, u, initial_tangent(self.variation, t, q, u, given, p, X, fixed, fixed_speeds, self.to)

    def _tolerances(self, model: Mechanism, o: Options) -> np.ndarray:
        """Tolerances of X, by rows: those of (q, u) for a change of each parameter by its own size."""
        size = [abs(model.parameters[name]) or 1.0 for name in self.parameters] + [1.0] * len(self.initial_values)
        return np.outer(o.atol, 1.0 / np.array(size))

    def _result(
        self, times: np.ndarray, y: np.ndarray, X: np.ndarray, dP: np.ndarray, p: Mapping[str, float]
    ) -> Sensitivities:
        m, n_q, count, k = self.m, self.m.n_q, len(times), len(self.to)
        q, u = np.ascontiguousarray(y[:, :n_q]), np.ascontiguousarray(y[:, n_q:])
        wide = [np.repeat(x, k, axis=0) for x in (q, u)]
        directions = np.concatenate([X, np.broadcast_to(dP, (count, *dP.shape))], axis=1)
        directions = np.ascontiguousarray(directions.transpose(0, 2, 1).reshape(count * k, -1))
        values, changes = {}, {}
        for name, (shape, kernel) in self.outputs.items():
            both = kernel(*wide, directions, np.repeat(times, k), p).reshape(count, k, 2, *shape)
            values[name] = both[:, 0, 0]
            changes[name] = np.moveaxis(both[:, :, 1], 1, -1)
        return Sensitivities(times, q, u, self.to, X[:, :n_q], X[:, n_q:], m.coordinates, m.speeds, values, changes)


def sensitivities(
    m: Mechanism, duration: Any, initial: Any, speeds: Any, parameters: Sequence[str] | None,
    initial_values: Sequence[str], outputs: Any, output: Any, rtol: float | None,
) -> Sensitivities:  # fmt: skip
    """See `Mechanism.sensitivities`."""
    run = Sensitive(m, parameters, initial_values, outputs)
    return run.run(duration, initial, speeds, {}, output, RTOL if rtol is None else rtol)


def _output(m: Mechanism, output: Any) -> tuple[tuple[int, ...], Any]:
    """The shape of an output, and its value and rate along a direction as machine code."""
    shape: list[tuple[int, ...]] = []

    def formula(s: State, direction: Any) -> Any:
        value = np.asarray(output.value(s), dtype=object)
        shape.append(value.shape)
        return [value.ravel(), directional(value.ravel(), along(s, direction))]

    kernel = compiled(m, m.n_q + m.n_u + len(m.parameters), formula)
    return shape[0], kernel


def _coordinate_of(m: Mechanism, speed: int) -> int:
    """The place in q of the coordinate whose rate a speed is."""
    j = next(j for j in m.joints if speed in j.u_at)
    at = j.q_at[len(j.own_q) + j.u_at.index(speed) - len(j.own_u)]
    assert at is not None
    return at


def _speed_of(m: Mechanism, coordinate: int) -> int:
    """The place in u of the speed that is a coordinate's rate."""
    for j in m.joints:
        if coordinate in j.q_at:
            at = j.u_at[j.q_at.index(coordinate)]
            assert at is not None
            return at
    raise AssertionError(coordinate)
