"""Forward sensitivities: the variational equations Ẋ = f_y X + f_p marched together with the motion y = (q, u).

What is marched is compiled (`simulation/variational.py`); here directions are named and made to fit the start, and outputs derived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.finding import Finding, Plot
from dalembert.analysis.linear.can_rest import check_no_reactions_read
from dalembert.analysis.sensitivity.constraint_variation import Variation, along, compiled
from dalembert.analysis.sensitivity.jump import EventSensitivity
from dalembert.analysis.sensitivity.start_directions import initial_tangent
from dalembert.analysis.tabular import Tabular, components, over
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds
from dalembert.errors import StateError
from dalembert.kinematics.in_variables import in_joint_variables
from dalembert.kinematics.initial import initial_state, named_coordinates, named_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import Projection, SimulationOptions
from dalembert.parts.events import Event
from dalembert.parts.names import text, unknown
from dalembert.parts.outputs import as_output
from dalembert.simulation.constrained_start import check_rows_left_out, kept_at
from dalembert.simulation.event_driven.law_sensitivity_march import LawSensitivityProgram
from dalembert.simulation.kept_rows import NO_ROWS_KEPT, KeptRows
from dalembert.simulation.march.between_stretches import Progress
from dalembert.simulation.march.run_events import gathered
from dalembert.simulation.march.sensitivity_march import SensitivityProgram, SensitivityRun
from dalembert.simulation.run_options import Options, options
from dalembert.trace import directional, evaluate, jacobian, symbol, symbols, tracing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.aliases import JointValues

MOST_LISTED = 12
"""Most events that the text lists."""
RTOL = 1e-10
"""Relative tolerance of sensitivities where none is said."""


@dataclass(frozen=True, eq=False)
class Sensitivities(Tabular):
    """A motion (t, q, u) and how it depends on what is named in `to`: `dq` (K, n_q, n), `du` (K, n_u, n), `dz` (K, n_z, n)."""

    t: np.ndarray
    """(K,) s."""
    q: np.ndarray
    """(K, n_q) coordinates."""
    u: np.ndarray
    """(K, n_u) speeds."""
    to: tuple[str, ...]
    """Names of what is differentiated by."""
    dq: np.ndarray
    """(K, n_q, P) derivatives of the coordinates."""
    du: np.ndarray
    """(K, n_u, P) derivatives of the speeds."""
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    values: Mapping[str, np.ndarray]
    """The outputs over time."""
    of_outputs: Mapping[str, np.ndarray]
    """Sensitivities of the outputs; the last axis is `to`."""
    z: np.ndarray
    dz: np.ndarray
    states: tuple[str, ...]
    events: tuple[EventSensitivity, ...] = ()
    """Events of laws, and events that acted, with how their times depend on `to`."""

    def value(self, name: str) -> np.ndarray:
        """A coordinate "A", a speed "A'" or an output over time."""
        return self._named(name)[0]

    def __getitem__(self, name: str) -> np.ndarray:
        """Sensitivity of a coordinate "A", a speed "A'" or an output: (K, n), or (K, …, n)."""
        return self._named(name)[1]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of everything that can be asked for: coordinates, speeds (marked ') and outputs."""
        return (*self.coordinates, *(f"{c}'" for c in self.speeds), *self.states, *self.values)

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
        known |= {c: (self.z[:, i], self.dz[:, i]) for i, c in enumerate(self.states)}
        known |= {k: (x, self.of_outputs[k]) for k, x in self.values.items()}
        if text(name, "sensitivities") not in known:
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
        for e in self.events[:MOST_LISTED]:
            lines.append(f"  {e.what} at t = {e.t:.6g} s, later by " + ", ".join(f"{x:.6g}" for x in e.dt))
        if len(self.events) > MOST_LISTED:
            lines.append(f"  and {len(self.events) - MOST_LISTED} further events")
        return "\n".join(lines)


class Sensitive:
    """A mechanism with the directions asked about and the outputs, compiled once and run for any values of the parameters."""

    def __init__(
        self,
        m: Mechanism,
        parameters: Sequence[str] | None,
        initial_values: Sequence[str],
        outputs: Any,
        events: Any = None,
        restitution: str | None = None,
    ):
        self.events = [e for e in gathered(events, None) if e.actions]
        """Events that act: the others change nothing."""
        self.m, self.variation = m, Variation(m)
        own = m.plan.options
        self.options = SimulationOptions(
            start=own.start, max_events=own.max_events, restitution=restitution or own.restitution
        )
        """What holds of every run."""
        self.parameters = tuple([x for x in m.parameters if x not in m.states] if parameters is None else parameters)
        self.initial_values = tuple(initial_values)
        for name in self.parameters:
            if name not in m.parameters:
                raise unknown(name, "parameter", m.parameters, f'mechanism "{m.name}"')
        if m.variables is not None and m.constraint_rows:
            raise StateError(
                f'mechanism "{m.name}" has loops or constraints, and chosen coordinates or speeds: sensitivities are then taken '
                "in the joints' own, m.in_joint_variables.sensitivities(…)"
            )
        if not self.to:
            raise StateError(
                "say with respect to what the motion is differentiated: parameters=[…] or initial_values=[…]"
            )
        self.columns = [self._column(name) for name in self.initial_values]
        asked = m.plan.outputs if outputs is None else {k: as_output(x, k) for k, x in outputs.items()}
        self.outputs = {name: _output(m, output) for name, output in asked.items()}

    @property
    def to(self) -> tuple[str, ...]:
        return (*self.parameters, *self.initial_values)

    def _column(self, name: str) -> int:
        """Place in (q, u, p) of a named start; states of elements begin with values that stand among the parameters'."""
        m = self.m
        if name in m.states:
            return m.n_q + m.n_u + m.states_at + m.states.index(name)
        if name.endswith("'") and name[:-1] in m.speeds:
            return m.n_q + m.speeds.index(name[:-1])
        if name not in m.coordinates:
            raise unknown(name, "coordinate or speed", [*m.coordinates, *(f"{c}'" for c in m.speeds)], "initial values")
        at = m.coordinates.index(name)
        if m.rate_place(at) is None:
            raise StateError(
                f'"{name}" cannot be varied alone: it depends on other coordinates, as Euler parameters do; ask about speeds'
            )
        return at

    def run(
        self,
        duration: Any,
        initial: JointValues | None,
        speeds: JointValues | None,
        values: Mapping[str, float],
        output: Any,
        rtol: float,
    ) -> Sensitivities:
        """Sensitivities from these initial values, with these values of the parameters."""
        check_samples(self.m, self.events)
        initial, states = self.m.without_states(initial)
        values = {**values, **states}
        model, n = self.m.with_parameters(**values) if values else self.m, self.m.n_q + self.m.n_u
        o = options(model, duration, replace(self.options, output=output, rtol=rtol))
        q, u, X = self.start(model, initial, speeds, o.start)
        o = o.beginning(model, q, u)
        kept = kept_at(model, q, o.start, Projection()) if self.m.constraint_rows else NO_ROWS_KEPT
        z_at, n_z = n + self.m.states_at, self.m.n_z
        begun = np.vstack([X[:n], X[z_at : z_at + n_z]])
        if model.laws or self.events:
            return self._through_events(model, o, kept, q, u, begun, X[n:])
        program = SensitivityProgram(self.m.kernels, o.method, kept=kept, along=len(self.to))
        run = SensitivityRun(program, model, o, begun, X[n:], self._tolerances(model, o))
        run.begin(q, u, np.array(list(model.parameters.values()), dtype=float))
        run.go(Progress(None), None)
        y, changes = run.rows[:, : n + n_z], program.unpacked(run.rows[:, n + n_z :])
        if run.program.constrained:
            check_rows_left_out(model, run.program.kept, o.times, *np.split(y[:, :n], [self.m.n_q], axis=1))
        return self._result(o.times, y, changes, X[n:], dict(model.parameters))

    def _through_events(
        self, model: Mechanism, o: Options, kept: KeptRows, q: np.ndarray, u: np.ndarray, X: np.ndarray, dP: np.ndarray
    ) -> Sensitivities:
        from dalembert.analysis.sensitivity.through_events import RunThroughEvents, recorded_run

        m, n = self.m, self.m.n_q + self.m.n_u + self.m.n_z
        motion = recorded_run(m, model, o, kept, q, u, self.events)
        program = LawSensitivityProgram(m.kernels, o.method, kept=motion.program.kept, along=len(self.to))
        run = RunThroughEvents(program, o, X, dP, self._tolerances(model, o), motion, self.to)
        run.begin(q, u, np.array(list(model.parameters.values()), dtype=float))
        run.go(Progress(None), None)
        changes = program.unpacked(run.rows[:, n + program.books :])
        values, along = motion.values_at_times(o.times), np.empty((len(o.times), *dP.shape))
        for since, change in run.changes:
            along[o.times >= since] = change
        p = dict(zip(m.parameters, values.T))
        return self._result(o.times, motion.rows[:, :n], changes, along, p, tuple(run.events_met))

    def start(
        self, model: Mechanism, initial: JointValues | None, speeds: JointValues | None, t: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        m, n_q = self.m, self.m.n_q
        q, given = initial_state(model, initial, speeds, t)
        fixed, fixed_speeds = named_coordinates(m, initial), named_speeds(m, speeds)
        u = given
        if m.constraint_rows:
            start = q
            q = assemble(model, q, fixed, t)
            u = consistent_speeds(model, q, given, fixed_speeds, t)
            shapes = [at for at in range(n_q) if m.rate_place(at) in m.deforming]
            if np.array_equal(q[shapes], start[shapes]):  # the joints alone have closed the loops
                fixed = [*fixed, *m.deforming]
            if np.array_equal(u[list(m.deforming)], given[list(m.deforming)]):
                fixed_speeds = [*fixed_speeds, *m.deforming]
        X = np.zeros((self.variation.n_direction, len(self.to)))
        for k, name in enumerate(self.parameters):
            X[n_q + m.n_u + list(m.parameters).index(name), k] = 1.0
        for k, column in enumerate(self.columns, start=len(self.parameters)):
            X[column, k] = 1.0
        if m.variables is not None:
            X[n_q : n_q + m.n_u] += _with_joint_speeds(model, q, u, t, speeds, X)
        fixed = [*fixed, *(at for c in self.columns if c < n_q and (at := m.rate_place(c)) is not None)]
        fixed_speeds = [*fixed_speeds, *(c - n_q for c in self.columns if n_q <= c < n_q + m.n_u)]
        p = dict(model.parameters)
        return q, u, initial_tangent(self.variation, t, q, u, given, p, X, fixed, fixed_speeds, self.to)

    def _tolerances(self, model: Mechanism, o: Options) -> np.ndarray:
        """Tolerances of X, by rows: those of (q, u) for a change of each parameter by its own size."""
        size = [abs(model.parameters[name]) or 1.0 for name in self.parameters] + [1.0] * len(self.initial_values)
        return np.outer(np.concatenate([o.atol, o.state_atol]), 1.0 / np.array(size))

    def _result(
        self, times: np.ndarray, y: np.ndarray, X: np.ndarray, dP: np.ndarray, p: Mapping[str, Any],
        events: tuple[EventSensitivity, ...] = (),
    ) -> Sensitivities:  # fmt: skip
        m, n_q, count, k = self.m, self.m.n_q, len(times), len(self.to)
        n = n_q + m.n_u
        q, u, z = (np.ascontiguousarray(x) for x in np.split(y, [n_q, n], axis=1))
        wide = [np.repeat(x, k, axis=0) for x in (q, u)]
        given: dict[str, Any] = {name: np.repeat(np.broadcast_to(x, count), k) for name, x in p.items()}
        given |= {name: np.repeat(z[:, i], k) for i, name in enumerate(m.states)}
        directions = np.concatenate([X[:, :n], np.broadcast_to(dP, (count, *dP.shape[-2:]))], axis=1)
        directions[:, n + m.states_at : n + m.states_at + m.n_z] = X[:, n:]
        directions = np.ascontiguousarray(directions.transpose(0, 2, 1).reshape(count * k, -1))
        values, changes = {}, {}
        for name, (shape, kernel) in self.outputs.items():
            both = kernel(*wide, directions, np.repeat(times, k), given).reshape(count, k, 2, *shape)
            values[name] = both[:, 0, 0]
            changes[name] = np.moveaxis(both[:, :, 1], 1, -1)
        dq, du, dz = np.split(X, [n_q, n], axis=1)
        return Sensitivities(
            times, q, u, self.to, dq, du, m.coordinates, m.speeds, values, changes, z, dz, m.states, events
        )


def check_samples(m: Mechanism, acting: Sequence[Event]) -> None:
    """Refuse sampled elements where a motion has events besides samples, or samples read what loops transmit."""
    sampled = next((name for name, p in m.elements.items() if p.element.period is not None), None)
    if sampled is None:
        return
    if m.laws or acting:
        what = f'law "{next(iter(m.laws))}"' if m.laws else f'event "{acting[0].name}", which acts'
        raise StateError(
            f'element "{sampled}" is sampled, and sensitivities do not go through samples beside {what}; use the element without a '
            "period, or leave that out"
        )
    check_no_reactions_read(m)


def _with_joint_speeds(
    m: Mechanism, q: np.ndarray, u: np.ndarray, t: float, speeds: JointValues | None, X: np.ndarray
) -> np.ndarray:
    """What chosen speeds u = φ(t, q, v, p) do at the start where the joints' speeds v stay as they are; those given by their own names
    do not change."""
    out = np.zeros((m.n_u, X.shape[1]))
    if speeds is not None and not isinstance(speeds, Mapping):
        return out
    V = in_joint_variables(State(m.numeric, t, q, u)).speeds
    with tracing():
        time, at, p = symbol("t"), symbols("q_", m.coordinates), [symbol(name) for name in m.parameters]
        values = np.asarray(_chosen_speeds(m, time, at, V), dtype=object)
        known = {time: t} | dict(zip(at, q)) | dict(zip(p, m.parameters.values()))
        J = np.asarray(evaluate([jacobian(values, [*at, *p])], known)[0], dtype=float)
    named = {name for name in speeds or () if name not in m.in_joint_variables.speeds}
    kept = [k for k, name in enumerate(m.speeds) if name not in named]
    out[kept] = (J @ np.vstack([X[: m.n_q], X[m.n_q + m.n_u :]]))[kept]
    return out


def _chosen_speeds(m: Mechanism, t: Any, q: Any, V: Any) -> Any:
    """The mechanism's speeds from its joints'."""
    if m.variables is None:
        return V
    before = _chosen_speeds(m.base, t, m.variables.base_coordinates(q), V)
    return State(m, t, q, np.zeros(m.n_u)).speed_map.after(before)


def sensitivities(
    m: Mechanism, duration: Any, initial: JointValues | None, speeds: JointValues | None, parameters: Sequence[str] | None,
    initial_values: Sequence[str], outputs: Any, output: Any, rtol: float | None, events: Any = None,
    restitution: str | None = None,
) -> Sensitivities:  # fmt: skip
    """See `Mechanism.sensitivities`."""
    run = Sensitive(m, parameters, initial_values, outputs, events, restitution)
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
