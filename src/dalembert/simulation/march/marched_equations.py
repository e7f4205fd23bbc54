"""What every integrator is written against: compiled ẏ = f(t, y), y = (q, u, z), with its inputs, its projection and its memory.

The states z of elements stand behind the speeds. Equations read them where they read parameters: whoever calls compiled code of a state
puts them there first (`put_states`).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.rhs.right_hand_side import RightHandSide
from dalembert.kernels.runtime.straight import block, extra_input, known_symbols
from dalembert.mechanism import Mechanism
from dalembert.simulation.march.callback import external_forces
from dalembert.simulation.march.memory import Layout
from dalembert.trace import Expr, symbols
from dalembert.trace.native import FunctionBuilder, Module, Output, Pointer, Real, Signature, UniformPointer


@dataclass(frozen=True, eq=False)
class MarchedEquations:
    """The mechanism's equations in a module under construction, for `lanes` states at once."""

    module: Module
    lanes: int
    catalogue: Catalogue
    rhs: RightHandSide
    layout: Layout
    input_layout: Layout
    slope: Signature
    """`slope(t, y, dy, inputs, work)`: dy = f(t, y)."""
    project: Signature | None
    """`project(t, y, inputs, work)`: back onto what must hold exactly; None where nothing must."""
    work: int
    """Elements of working memory that `slope` uses; a method's own scratch follows."""
    project_wide: Signature | None = None
    wide_lanes: int = 1
    """`project` on several states, one in each of these lanes."""
    pivots: Signature | None = None
    """`pivots(t, y, out, inputs)`: what is divided by where chosen speeds give the others; to be measured by `input_layout.lengths`."""
    beside: int = 0
    """How many further numbers are integrated with coordinates and speeds: first z, the states of elements."""
    further: Signature | None = None
    """`further(t, y, inputs, x)`: generalized forces added to those of a controller."""
    written: dict[str, Any] = field(default_factory=dict)
    """What an integrator has put into the module already, by name."""

    @property
    def mechanism(self) -> Mechanism:
        return self.rhs.m

    @property
    def n_q(self) -> int:
        return self.mechanism.n_q

    @property
    def n_u(self) -> int:
        """How many speeds are integrated."""
        return self.rhs.n_speeds

    @property
    def n(self) -> int:
        return self.n_q + self.n_u + self.beside

    @property
    def n_state(self) -> int:
        """Numbers of (q, w, z), behind which lies what else is integrated."""
        return self.n_q + self.n_u + self.mechanism.n_z

    @property
    def n_dependent(self) -> int:
        """How many speeds are solved for where speeds are chosen."""
        at = self.input_layout.parts["lengths"]
        return int(at.stop - at.start)

    @property
    def pivot_at(self) -> int | None:
        """Where in its working memory `slope` leaves the smallest pivot of the constraints, if it does."""
        return self.rhs.pivot_at

    def function(self, name: str, **parameters: Any) -> AbstractContextManager[FunctionBuilder]:
        """A function `name(memory, inputs, work, …)` with a status."""
        every: dict[str, Any] = dict.fromkeys(("memory", "inputs", "work"), Pointer)
        return self.module.function(name, lanes=self.lanes, status=True, public=False, **every, **parameters)

    def evaluate(self, f: FunctionBuilder, t: Any, y: Pointer, dy: Pointer) -> None:
        """Write the call dy = f(t, y); `t` is a value."""
        p = self.layout.of(f.memory)
        p.time[0] = t
        f.call(self.slope, p.time, y, dy, f.inputs, f.work)

    def forces(self, f: FunctionBuilder, t: Pointer, y: Pointer) -> Pointer:
        """Generalized forces from outside at a state, for integrators that do not go by the slope alone."""
        x: Pointer = self.input_layout.of(f.inputs).x
        if self.further is None:
            return x
        every: Pointer = f.array(max(1, self.n_u))
        for i in f.each(self.n_u):
            every[i] = x[i]
        f.call(self.further, t, y, f.inputs, every)
        return every

    def pivot(self, f: FunctionBuilder) -> Real:
        """The smallest pivot of the constraints at the state last evaluated."""
        return f.work[self.pivot_at]

    def projected(self, f: FunctionBuilder, t: Any, y: Pointer) -> None:
        """Write the call that brings y back to unit Euler parameters, and onto the constraints; `t` is a value."""
        if self.project is not None:
            p = self.layout.of(f.memory)
            p.time[0] = t
            f.call(self.project, p.time, y, f.inputs, f.work)


def layout_of_inputs(m: Mechanism, n_scales: int = 0, n_lengths: int = 0, **more: int) -> Layout:
    """Inputs of the equations besides the state: generalized forces of a controller, parameters, scales of the constraints' rows,
    lengths of the rows that dependent speeds are solved from, and who to call for opaque forces.
    Kernels of constraints expect the scales right behind the parameters."""
    return Layout(x=m.n_u, P=len(m.parameters), scales=n_scales, lengths=n_lengths, handler=1, **more)


def emit_slope(
    module: Module,
    catalogue: Catalogue,
    rhs: RightHandSide,
    lanes: int,
    input_layout: Layout,
    further: Signature | None = None,
) -> tuple[Signature, int]:
    """`slope(t, y, dy, inputs, work)` and the working memory it needs. `further(t, y, inputs, x)` adds generalized forces to x."""
    m, z_at = rhs.m, rhs.m.n_q + rhs.n_speeds
    run, work = rhs.emit_slope(module, lanes)
    state_rates = rhs.emit_state_rates(module, lanes)
    called = external_forces(module) if catalogue.opaque is not None else None
    own = m.n_u if called is not None or further is not None else 0
    parameters: dict[str, Any] = dict.fromkeys(("t", "y", "dy", "inputs", "work"), Pointer)
    with module.function("slope", lanes=lanes, public=False, **parameters) as f:
        p = input_layout.of(f.inputs)
        put_states(f, m, f.y + z_at, p.P)
        x = f.work + work if own else p.x
        if called is not None:
            f.call(called, p.handler, f.t, f.y, x)
        if own:
            with f.loop(m.n_u) as i:
                x[i] = x[i] + p.x[i] if called is not None else p.x[i]
        if further is not None:
            f.call(further, f.t, f.y, f.inputs, x)
        f.call(run, f.t, f.y, f.y + m.n_q, x, p.P, f.dy, f.work)
        if state_rates is not None:
            f.call(state_rates, f.t, f.y, f.y + m.n_q, x, p.P, f.dy + z_at, f.work)
    return f.signature, work + own


def put_states(f: FunctionBuilder, m: Mechanism, z: Pointer, P: Pointer) -> None:
    """Write what puts states of elements where equations read them."""
    for i in range(m.n_z):
        P[m.states_at + i] = z[i]


def emit_projection(module: Module, rhs: RightHandSide, lanes: int, input_layout: Layout) -> Signature | None:
    """`project(t, y, inputs, work)`, where constraints, or a joint's coordinates among themselves, must satisfy a condition."""
    project = rhs.emit_projection(module, lanes)
    if project is None:
        return None
    parameters: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "work"), Pointer)
    with module.function("projected", lanes=lanes, public=False, **parameters) as f:
        p, scratch = input_layout.of(f.inputs), f.work + rhs.rates_at
        put_states(f, rhs.m, f.y + (rhs.m.n_q + rhs.n_speeds), p.P)
        f.call(project, f.t, f.y, f.y + rhs.m.n_q, p.x, p.P, scratch, f.work)
    return f.signature


def emit_values(
    module: Module, m: Mechanism, name: str, values: list[Any], lanes: int, input_layout: Layout, n_speeds: int = 0
) -> Signature:
    """`name(t, y, out, inputs)`: expressions of the state, such as the functions whose zeros are events."""
    known = known_symbols(m) | {s: ("x", i) for i, s in enumerate(controller_forces(m))}
    known |= {s: ("u", i) for i, s in enumerate(symbols("#w.", range(n_speeds)))}
    outputs = [Output(x, "y", i) for i, x in enumerate(values)]
    code = module.block(block(f"{name}_values", known, outputs), lanes)
    parameters: dict[str, Any] = dict.fromkeys(("t", "y", "out", "inputs"), Pointer)
    with module.function(name, lanes=lanes, public=False, **parameters) as f:
        p, nothing = input_layout.of(f.inputs), f.array(1)
        put_states(f, m, f.y + (m.n_q + n_speeds), p.P)
        f.call(code, f.t, f.y, f.y + m.n_q, p.x, p.P, f.out, nothing)
    return f.signature


def controller_forces(m: Mechanism) -> list[Expr]:
    """Symbols of the generalized forces that a controller holds."""
    return list(extra_input(m.speeds))


def wide_scratch(e: MarchedEquations) -> int:
    """Working memory in doubles, behind that of the equations."""
    return e.wide_lanes * (e.n + e.input_layout.size + 1 + e.work)


def emit_wide(e: MarchedEquations, polynomial: Any) -> Signature:
    """`dense_wide(memory, inputs, work, times, out)`: rows of `out` at as many times as there are lanes, all within the last step.

    `polynomial(p, i, x)` is component i of the dense output at the part x of the step.
    """
    assert e.project_wide is not None
    everything: dict[str, Any] = dict.fromkeys(("memory", "inputs", "work", "times", "out"), UniformPointer)
    with e.module.function("dense_wide", lanes=e.wide_lanes, public=False, **everything) as f:
        p = e.layout.of(f.memory)
        size = e.input_layout.size
        y = (f.work + e.work).lanes
        inputs, time = y + e.n, y + e.n + size
        time[0] = f.times.rows(1)[0]
        x = (time[0] - p.t_old[0]) / (p.t[0] - p.t_old[0])
        with f.loop(e.n) as i:
            y[i] = polynomial(p, i, x)
        with f.loop(size) as i:
            inputs[i] = f.inputs[i]
        f.call(e.project_wide, time, y, inputs, time + 1)
        write_rows(f, e.n, y, f.out.rows(e.n))
    return f.signature


def write_rows(f: FunctionBuilder, n: int, y: Pointer, rows: Any) -> None:
    """A state per lane into a row per state, in squares of lanes × lanes as far as they go."""
    lanes = f.signature.lanes
    if lanes == 1:
        for i in f.each(n):
            rows.pointer[i] = y[i]
        return
    whole = n - n % lanes
    with f.loop(0, whole, lanes) as i:
        rows.write_square(i, [y[i + lane] for lane in range(lanes)])
    for k in range(whole, n):
        rows[k] = y[k]
