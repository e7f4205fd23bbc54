"""Everything that the page shows of a state, in compiled code: poses, energies, outputs, gaps, reactions, deflections.

One function computes it over many samples. What cannot be traced (an output that is a Python function of its own) is left out, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import TraceError
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import RightHandSide
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.straight import KERNEL, NAMES, block, extra_input, known_symbols
from dalembert.kernels.tree.body_motion import N_MOTION
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.motion.joint_wrenches import joint_wrenches
from dalembert.simulation.march.marched_equations import put_states
from dalembert.simulation.march.memory import Layout
from dalembert.trace import tracing
from dalembert.trace.graph import flatten
from dalembert.trace.native import Int, Module, Output, Pointer, Signature
from dalembert.trace.native.module import Prefixed
from dalembert.view.drawing.wires import Wire

LEAST = 1e-12
"""Damping by which, of all multipliers that fit, the least are found where rows are redundant."""
_FAILURES = (TraceError, TypeError, ValueError, ArithmeticError, AttributeError)


@dataclass(frozen=True, eq=False)
class Shown:
    """What is shown of a mechanism: the joints whose reactions are, its wires, and points of elastic bodies whose ways are drawn."""

    catalogue: Catalogue
    reactions: Sequence[str] = ()
    wires: Sequence[Wire] = ()
    ways: Sequence[Any] = ()
    further: Mapping[str, Callable[[State], Any]] = field(default_factory=dict)
    """Formulas of the design view, by name."""
    signals: Sequence[str] = ()
    """Outputs of elements that are computed, by name."""
    accelerations: bool = False
    """Whether α and a of every body are computed."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Outputs that cannot be traced, and why."""

    @property
    def mechanism(self) -> Mechanism:
        return self.catalogue.mechanism

    @cached_property
    def formulas(self) -> dict[str, Callable[[State], Any]]:
        """Quantities of a state, by name; those of one output each begin with "output "."""
        m = self.mechanism
        made: dict[str, Callable[[State], Any]] = {
            "stored": lambda s: [sum((s.signal(f"{name}.stored") for name in m.elements), 0.0)],
            "prescribed": lambda s: [s.joint_q[k - 1][i] for k, i in m.prescribed.values()],
        }
        for name, output in m.plan.outputs.items():
            made[f"output {name}"] = lambda s, output=output: s.settled(output.value(s))  # type: ignore[misc]
        for name in self.signals:
            made[f"signal {name}"] = lambda s, name=name: [s.signal(name)]  # type: ignore[misc]
        of = m.rows
        for name, d in m.constraint_rows.items():
            if of.holonomic[of.of_owner(name)].all():
                made[f"gap {name}"] = lambda s, d=d: list(d.constraint.residual(s))  # type: ignore[misc]
        for i, w in enumerate(self.wires):
            made[f"wire {i}"] = lambda s, w=w: _deflected(s, w)  # type: ignore[misc]
        for i, p in enumerate(self.ways):
            made[f"way {i}"] = lambda s, p=p: s.position(p)  # type: ignore[misc]
        return made | dict(self.further)

    @cached_property
    def traced(self) -> dict[str, list[Any]]:
        """The formulas' values on symbols."""
        with tracing():
            s, found = self.mechanism.symbolic_state(), {}
            for name, formula in self.formulas.items():
                try:
                    found[name] = list(flatten(formula(s)))
                except _FAILURES as problem:
                    self.left_out[name.removeprefix("output ")] = str(problem)
            return found

    @cached_property
    def layout(self) -> Layout:
        """Where each quantity stands in the row of a sample."""
        sizes = {"pose": N_MOTION * self.mechanism.n_bodies, "energy": 2}
        sizes |= {name: len(values) for name, values in self.traced.items()}
        accelerations = 6 * self.mechanism.n_bodies if self.accelerations else 0
        return Layout(**sizes, reactions=6 * len(self.reactions), accelerations=accelerations)

    def emit(self, module: Module, slope: Signature, rhs: RightHandSide, inputs: Layout, work: int) -> int:
        """Add `samples(count, times, rows, inputs, out, work)`: rows of (q, u, z) become rows of everything. Returns the memory it
        needs behind `work`, which is that of the slope."""
        m, at = self.mechanism, self.layout.parts
        pose, pose_work = self.catalogue.body_motion.emit(Prefixed(module, "pose_"), 1)
        energy, energy_work = self.catalogue.energies.emit(Prefixed(module, "energy_"), 1)
        values = self._emit_values(module)
        wanted = self.reactions or self.accelerations
        reactions = self._emit_reactions(module, slope, rhs, inputs) if wanted else None
        n_q, n = m.n_q, m.n_q + m.n_u + m.n_z
        with module.function(
            "samples", count=Int, times=Pointer, rows=Pointer, inputs=Pointer, out=Pointer, work=Pointer
        ) as f:
            p = inputs.of(f.inputs)
            with f.loop(f.count) as k:
                t, q, row = f.times + k, f.rows + k * n, f.out + k * self.layout.size
                u = q + n_q
                put_states(f, m, u + m.n_u, p.P)
                f.call(pose, t, q, u, p.x, p.P, row + at["pose"].start, f.work)
                f.call(energy, t, q, u, p.x, p.P, row + at["energy"].start, f.work)
                if values is not None:
                    f.call(values, t, q, u, p.x, p.P, row + (at["energy"].start + 2), f.work)
                if reactions is not None:
                    f.call(reactions, t, q, f.inputs, row + at["reactions"].start, f.work)
        more = n + sum(len(x) for x in (m.rows, m.speeds))
        return max(work + more, pose_work, energy_work, rhs.projection_work) + 1

    def _emit_values(self, module: Module) -> Signature | None:
        every = [x for values in self.traced.values() for x in values]
        if not every:
            return None
        with tracing():
            s = self.mechanism.symbolic_state()
            again = [x for name in self.traced for x in flatten(self.formulas[name](s))]
            outputs = [Output(x, "y", i) for i, x in enumerate(again)]
            return module.block(block("shown_values", known_symbols(self.mechanism), outputs))

    def _emit_reactions(self, module: Module, slope: Signature, rhs: RightHandSide, inputs: Layout) -> Signature:
        """`reactions(t, y, inputs, out, work)`: rates and multipliers first, then what every joint transmits, and accelerations."""
        m = self.mechanism
        n, rows = m.n_u, len(m.rows)
        with tracing():
            s, given = m.symbolic_state(), extra_input(range(n + rows))
            wrenches = joint_wrenches(s, self.reactions, given[:n], given[n:])
            known = known_symbols(m) | {x: ("x", i) for i, x in enumerate(given)}
            moved = s.accelerations(given[:n])[1 : m.n_bodies + 1] if self.accelerations else []
            every = [*flatten(wrenches), *(x for k in moved for x in (*k.w, *k.v))]
            outputs = [Output(x, "y", i) for i, x in enumerate(every)]
            code = module.block(block("joint_wrenches", known, outputs))
        least = _emit_least(module, rhs) if isinstance(rhs, RangeSpaceRightHandSide) and rhs.keep.others else None
        parameters: dict[str, Any] = dict.fromkeys(("t", "y", "inputs", "out", "work"), Pointer)
        with module.function("reactions", public=False, **parameters) as f:
            p, dy, found = inputs.of(f.inputs), f.array(m.n_q + n + m.n_z), f.array(max(1, n + rows))
            found.clear(n + rows)
            udot = dy + m.n_q
            if least is None:
                f.call(slope, f.t, f.y, dy, f.inputs, f.work)
            else:
                f.call(least, f.t, f.y, f.y + m.n_q, p.x, p.P, dy, f.work)
            with f.loop(n) as i:
                found[i] = udot[i]
            if isinstance(rhs, RangeSpaceRightHandSide):
                of = rhs if least is None else rhs.closing
                for place, row in enumerate(of.pattern.rows):
                    found[n + row] = f.work[of.places["r"] + place]
            f.call(code, f.t, f.y, f.y + m.n_q, found, p.P, f.out, f.work)
        return f.signature


def _emit_least(module: Module, rhs: RangeSpaceRightHandSide) -> Signature:
    """`least(t, q, u, x, P, y, work)`: rates, and of all multipliers that fit the least, by the rows' reference norms."""
    rows, m = rhs.closing, rhs.m
    code = module.block(rows.blocks["dynamics"], name="dynamics_of_all")
    solver = RowSolver(m, rows.pattern, module, rhs.places_of_norms())
    with module.function("least", public=False, **KERNEL) as f:
        f.call(code, *(getattr(f, name) for name in NAMES))
        part, udot = {name: f.work + at for name, at in rows.places.items()}, f.y + m.n_q
        kept = f.array(rows.n_rows)
        kept.clear(rows.n_rows)
        solver.factorise_damped(f, part, f.P + len(m.parameters), f.real(LEAST))
        with f.loop(m.n_u) as i:
            udot[i] = part["f"][i]
        solver.tree.solve(f, part["A"], udot, 1)
        with f.loop(2):  # the second time makes up for the damping
            with f.loop(rows.n_rows) as k:
                part["r"][k] = solver.row_times(f, part["B"], k, udot) - part["gamma"][k]
            solver.correct(f, part)
            with f.loop(m.n_u) as i:
                udot[i] = udot[i] - part["d"][i]
            with f.loop(rows.n_rows) as k:
                kept[k] = kept[k] + part["r"][k]
        with f.loop(rows.n_rows) as k:
            part["r"][k] = kept[k]
    return f.signature


def _deflected(s: State, w: Wire) -> list[Any]:
    """Φq + ½ qᵀGq of every point of a wire, in body axes."""
    q = s.modal_q(w.body)
    return [x for node in w.nodes for x in node.Phi @ q + 0.5 * np.tensordot(q, np.tensordot(q, node.G, 1), 1)]
