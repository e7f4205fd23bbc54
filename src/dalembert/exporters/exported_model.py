"""A mechanism to be taken along: its programs for another machine, everything that was settled before its march, and its variables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.assembly.assemble import off_at
from dalembert.elements.signals import signal_names
from dalembert.errors import ArgumentError
from dalembert.exporters.state_changes import emit_changes
from dalembert.kernels.rhs.loop_closing import LoopClosing
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.motion.motion import Motion
from dalembert.parts.names import unknown
from dalembert.recursive.sparse import along_paths
from dalembert.simulation.error_sizes import coordinate_units, speed_units
from dalembert.simulation.march.program import Program
from dalembert.simulation.time_stepping.stepping_program import SteppingProgram
from dalembert.trace.native import Module, Signature
from dalembert.trace.native.module import Prefixed
from dalembert.trace.native.target import C99
from dalembert.view.live.live_model import LiveModel, live_model
from dalembert.view.live.live_program import CLOSING, other_row_choices
from dalembert.view.live.package import ROUGH, first_inputs, first_memory, start_displacements
from dalembert.view.live.shown import Shown

UNITS: dict[str, dict[str, int]] = {
    "rad": {"rad": 1}, "m": {"m": 1}, "1": {}, "rad/s": {"rad": 1, "s": -1}, "m/s": {"m": 1, "s": -1}, "1/s": {"s": -1},
    "rad/s2": {"rad": 1, "s": -2}, "m/s2": {"m": 1, "s": -2}, "1/s2": {"s": -2}, "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2}, "s": {"s": 1}, "W": {"kg": 1, "m": 2, "s": -3},
    "A": {"A": 1}, "V": {"kg": 1, "m": 2, "s": -3, "A": -1}, "Pa": {"kg": 1, "m": -1, "s": -2}, "kg": {"kg": 1},
    "N.m.s": {"kg": 1, "m": 2, "s": -1},
}  # fmt: skip
"""Units by name, as powers of SI's."""
TRIED_DIGITS = 4
"""Digits of the displacements from which loops are closed where the start itself does not lead there."""
Kind = Literal["state", "derivative", "input", "parameter", "output", "indicator"]


@dataclass(frozen=True, eq=False)
class ExportedProgram(Program):
    """A `Program` whose module also closes loops, and computes outputs, accelerations and reactions of a state."""

    shown: Shown | None = None
    changes: bool = False
    """Whether it computes how rates and outputs change along a direction."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What the writing of the module found out: places and sizes."""

    @property
    def assembles(self) -> bool:
        return False  # with places of its own, below

    def _slope(self, module: Module) -> tuple[Signature, int]:
        slope, work = super()._slope(module)
        self.notes["slope"], self.notes["work"] = slope, work
        return slope, work

    def _module(self) -> Module:
        module = super()._module()
        if self.shown is not None:
            slope, work = self.notes["slope"], self.notes["work"]
            work = self.shown.emit(module, slope, self.rhs, self.input_layout, work)
            self.notes["work"] = max(work, *(self._emit_kernel(module, name) for name in self._kernels))
            if self.changes:
                needed = emit_changes(module, slope, self.rhs, self.input_layout, self.shown, work)
                self.notes["work"] = max(self.notes["work"], needed)
        if self._closes is not None:
            closing = LoopClosing(self._closes, Prefixed(module, CLOSING) if self.prefix else module)
            closing.emit()
            self.notes["start"], self.notes["still"] = closing.places, closing.still
        return module

    @property
    def _closes(self) -> RangeSpaceRightHandSide | None:
        """Equations whose rows close loops at a start."""
        return self.rhs if isinstance(self.rhs, RangeSpaceRightHandSide) else None

    @property
    def prefix(self) -> str:
        """What names of functions that close loops begin with."""
        return "" if self._closes is self.rhs else CLOSING

    @property
    def _kernels(self) -> list[str]:
        """Quantities of a state that are offered besides; inverse dynamics where no loops take part of the load."""
        tree = not self.catalogue.mechanism.constraint_rows
        return ["mass_matrix", *(["inverse_dynamics"] if tree else [])]

    def _emit_kernel(self, module: Module, name: str) -> int:
        """`name(t, q, u, x, P, y, work)`; returns the working memory that it needs."""
        rhs = self.rhs
        if name == "mass_matrix" and isinstance(rhs, RangeSpaceRightHandSide) and not self.prefix:
            return self._emit_mass_matrix(module, rhs)
        code, work = getattr(self.catalogue, name).emit(Prefixed(module, f"{name}_"), 1)
        with module.function(name, **KERNEL) as f:
            f.call(code, *(getattr(f, argument) for argument in NAMES))
        return int(work)

    def _emit_mass_matrix(self, module: Module, rhs: RangeSpaceRightHandSide) -> int:
        """The same from A of the equations, which is there anyway."""
        m, at = rhs.m, rhs.places["A"]
        dynamics, pairs = module.block(rhs.blocks["dynamics"]), along_paths(m)
        places = [module.int_table([pair[k] for pair in pairs]) for k in (0, 1)]
        with module.function("mass_matrix", **KERNEL) as f:
            rates = f.array(max(1, m.n_q))
            f.call(dynamics, f.t, f.q, f.u, f.x, f.P, rates, f.work)
            f.y.clear(m.n_u * m.n_u)
            with f.loop(len(pairs)) as k:
                i, j = places[0][k], places[1][k]
                f.y[i * m.n_u + j] = f.work[i * m.n_u + j + at]
                f.y[j * m.n_u + i] = f.work[i * m.n_u + j + at]
        return rhs.places["end"]

    @property
    def scratch(self) -> int:
        """Working memory of its march."""
        found = re.search(r"ret i64 (\d+)", self.module.text.definition("k.work_size"))
        assert found is not None
        return int(found[1])

    @cached_property
    def module(self) -> Module:
        """The code, with `notes` filled."""
        return self._module()


@dataclass(frozen=True, eq=False)
class ExportedSteppingProgram(ExportedProgram, SteppingProgram):
    """The same by time stepping, where laws take part."""

    @cached_property
    def _closes(self) -> RangeSpaceRightHandSide | None:
        return RangeSpaceRightHandSide(self.mechanism, self.kept.keep) if self.mechanism.constraint_rows else None


@dataclass(frozen=True)
class Variable:
    """One number of the exported model, by name."""

    name: str
    kind: Kind
    place: int
    """Place among those of its kind."""
    unit: str = ""
    start: float = 0.0
    about: str = ""
    range: tuple[float | None, float | None] = (None, None)
    derivative_of: int | None = None
    """Place of the state whose rate it is."""


@dataclass(frozen=True, eq=False)
class ExportedModel:
    """Programs, start and variables of one mechanism, from a motion of it."""

    motion: Motion
    reactions: Sequence[str] = ()
    """Joints whose reactions are among the outputs."""
    differentiated: bool = False
    """Whether derivatives along directions are wanted, where there are any."""

    def __post_init__(self) -> None:
        why = refusal(self.motion)
        if why:
            raise ArgumentError(f"export: {why}")
        m = self.live.mechanism
        if self.reactions and self.live.stepping:
            raise ArgumentError("export: by time stepping there are no reactions between steps; leave out reactions")
        for joint in self.reactions:
            if joint not in m.joint_number and joint not in m.constraint_rows:
                raise unknown(joint, "joint", [*m.joint_number, *m.constraint_rows], "export")

    @cached_property
    def live(self) -> LiveModel:
        """Everything that was settled before the march."""
        return live_model(self.motion)

    @property
    def name(self) -> str:
        return self.live.mechanism.name

    @cached_property
    def shown(self) -> Shown:
        m = self.live.mechanism
        signals = [name for name in signal_names(m.elements) if name not in m.states]
        return Shown(m.kernels, tuple(self.reactions), signals=signals)

    @cached_property
    def programs(self) -> list[ExportedProgram]:
        """The program, and others with further sets of rows where rows may have to be chosen anew."""
        live = self.live
        when, directions = [e.when for e in live.events], [e.direction for e in live.events]
        kind = ExportedSteppingProgram if live.stepping else ExportedProgram
        first = kind(
            live.mechanism.kernels,
            live.options.method,
            1,
            when,
            directions,
            live.kept,
            for_target=C99,
            shown=self.shown,
            changes=self.changes,
        )
        others = [] if live.stepping else [replace(live.kept, rows=rows) for rows in other_row_choices(live)]
        made = [first, *(replace(first, kept=kept, shown=None, changes=False, notes={}) for kept in others)]
        for program in made:
            _ = program.module
        return made

    @property
    def changes(self) -> bool:
        """Whether rates and outputs have derivatives that are written: not of impulses, nor of reactions that are not unique, nor where
        rows may be chosen anew."""
        unique = not self.live.kept.keep.others or not self.reactions
        return self.differentiated and not self.live.stepping and unique

    @property
    def memory(self) -> np.ndarray:
        """The integrator's memory at the start."""
        return first_memory(self.live, self.programs[0])

    @property
    def inputs(self) -> list[np.ndarray]:
        """What each program's equations are given, at the start."""
        return [first_inputs(self.live, program) for program in self.programs]

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters by name, without the states of elements that stand among them."""
        m = self.live.mechanism
        return {name: float(x) for name, x in m.parameters.items() if name not in m.states}

    @cached_property
    def reference(self) -> Motion:
        """The motion as exported code marches it: stepped, where Python went from event to event."""
        live, motion = self.live, self.motion
        if not live.stepping or motion.record["options"]["method"] == live.options.method.name:
            return motion
        given, o = motion.record["given"], live.options
        base = (
            live.mechanism
            if motion.mechanism is None
            else motion.mechanism.with_parameters(**motion.record["parameters"])
        )
        return base.simulate(
            o.end - o.start, given["initial"], given["speeds"], method=o.method.name, step=o.step, start=o.start, restitution="newton",
            output=np.asarray(motion.t),
        )  # fmt: skip

    @cached_property
    def closing(self) -> dict[str, np.ndarray]:
        """What assembly reads: tolerance, steps, sizes, scales of rows beside, and displacements that are tried."""
        live, m = self.live, self.live.mechanism
        places = self.programs[0].notes["start"]
        start = np.zeros(places["end"])
        start[places["tolerance"]] = max(m.scales.closed, ROUGH * off_at(m, live.q, live.options.start))
        start[places["steps"] : places["sizes"]] = m.scales.speeds
        start[places["sizes"] : places["free"]] = m.scales.sizes[m.n_q :]
        still = [float(live.kept.sizes[k]) for k in self.programs[0].notes["still"]]
        start[places["still"] : places["still"] + len(still)] = still
        tried = np.array([[float(f"{x:.{TRIED_DIGITS}g}") for x in row] for row in start_displacements(m)])
        return {"start": start, "tried": tried}

    @cached_property
    def variables(self) -> list[Variable]:
        """All of them, in the order of their value references."""
        live, m = self.live, self.live.mechanism
        (q, u), ranges = live.unassembled, m.plan.ranges
        q_units, u_units = coordinate_units(m), speed_units(m)
        made = [
            Variable(f"q.{name}", "state", i, q_units[i], float(q[i]), f'coordinate "{name}"')
            for i, name in enumerate(m.coordinates)
        ]
        made += [
            Variable(f"u.{name}", "state", m.n_q + i, u_units[i], float(u[i]), f'speed "{name}"')
            for i, name in enumerate(m.speeds)
        ]
        made += [
            Variable(
                f"z.{name}", "state", m.n_q + m.n_u + i, _unit(m.state_units[i]), float(live.z[i]), f'state "{name}"'
            )
            for i, name in enumerate(m.states)
        ]
        made += [
            Variable(
                f"der({v.name})", "derivative", v.place, _rate(v.unit), 0.0, f"rate of {v.about}", (None, None), v.place
            )
            for v in ([] if live.stepping else list(made))
        ]
        made += [
            Variable(f"force.{name}", "input", i, _force(u_units[i]), 0.0, f'generalized force on the speed "{name}"')
            for i, name in enumerate(m.speeds)
        ]
        made += [
            Variable(name, "parameter", i, "", float(x), "", ranges.get(name, (None, None)))
            for i, (name, x) in enumerate(self.parameters.items())
        ]
        made += self._outputs()
        return made + [
            Variable(f"indicator.{e.name}", "indicator", i, "", 0.0, f'its zeros are the event "{e.name}"')
            for i, e in enumerate(live.events)
        ]

    def _outputs(self) -> list[Variable]:
        m, made, parts = self.live.mechanism, [], self.shown.layout.parts

        def add(name: str, place: int, unit: str, about: str) -> None:
            made.append(Variable(name, "output", place, unit, 0.0, about))

        for k, body in enumerate(m.bodies):
            at = parts["pose"].start + 18 * k
            for i in range(3):
                add(f"position.{body.name}[{i + 1}]", at + 9 + i, "m", f'origin of body "{body.name}", world axes')
            for i in range(9):
                add(
                    f"rotation.{body.name}[{i // 3 + 1},{i % 3 + 1}]",
                    at + i,
                    "1",
                    f'rotation of body "{body.name}", body to world',
                )
        add("energy.kinetic", parts["energy"].start, "J", "kinetic energy")
        add("energy.potential", parts["energy"].start + 1, "J", "potential energy")
        if m.elements:
            add("energy.stored", parts["stored"].start, "J", "energy stored in elements")
        for name in self.shown.signals:
            owner, _, what = name.partition(".")
            unit = _unit(m.elements[owner].element.unit_of(what))
            add(f"signal.{name}", parts[f"signal {name}"].start, unit, f'output "{what}" of element "{owner}"')
        for name, at in parts.items():
            if name.startswith("output "):
                title, n = name.removeprefix("output "), at.stop - at.start
                for i in range(n):
                    add(f"output.{title}" + (f"[{i + 1}]" if n > 1 else ""), at.start + i, "", f'output "{title}"')
        for k, joint in enumerate(self.reactions):
            at = parts["reactions"].start + 6 * k
            for i in range(6):
                what, unit = ("force", "N") if i < 3 else ("torque", "N.m")
                add(
                    f"reaction.{joint}.{what}[{i % 3 + 1}]",
                    at + i,
                    unit,
                    f'{what} of joint "{joint}" on its child, world axes',
                )
        return made


def refusal(motion: Motion) -> str:
    """Why a mechanism cannot be taken along, in words; nothing where it can."""
    from dalembert.view.live.live_model import refusal as refused

    why = refused(motion)
    if not why and motion.record["options"].get("stabilise", "projection") != "projection":
        why = "it was marched without projection, and exported code projects; leave out stabilise"
    m = motion.mechanism
    if not why and m is not None and m.laws and any(e.holds for e in m.law_table.elements):
        latch = next(e.law for e in m.law_table.elements if e.holds)
        why = f'law "{latch}" holds where it is switched on, which exported code does not do'
    if not why and any(e.actions for e in live_model(motion).events):
        why = "its events act on the mechanism, which exported code does not do; leave the events' actions out"
    return why


def _unit(unit: str) -> str:
    """A unit as the Functional Mock-up Interface writes it; none where it is not among those that are described."""
    written = unit.replace(" ", ".").replace("²", "2")
    return written if written in UNITS else ""


def _rate(unit: str) -> str:
    rates = {
        "rad": "rad/s",
        "m": "m/s",
        "1": "1/s",
        "rad/s": "rad/s2",
        "m/s": "m/s2",
        "1/s": "1/s2",
        "J": "W",
        "N.m.s": "N.m",
    }
    return rates.get(unit, "")


def _force(unit: str) -> str:
    """Unit of the force that does work on a speed."""
    return {"rad/s": "N.m", "m/s": "N"}.get(unit, "")
