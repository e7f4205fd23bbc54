"""A mechanism to be taken along: its programs for another machine, everything that was settled before its march, and its variables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from dalembert.constraints.assembly.assemble import off_at
from dalembert.errors import ArgumentError
from dalembert.kernels.rhs.loop_closing import LoopClosing
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.runtime.straight import KERNEL, NAMES
from dalembert.motion.motion import Motion
from dalembert.parts.names import unknown
from dalembert.simulation.error_sizes import coordinate_units, speed_units
from dalembert.simulation.march.memory import fill_inputs, fill_memory
from dalembert.simulation.march.program import Program
from dalembert.trace.native import Module, Signature
from dalembert.trace.native.module import Prefixed
from dalembert.trace.native.target import C99
from dalembert.view.live.live_model import LiveModel, live_model
from dalembert.view.live.live_program import other_row_choices
from dalembert.view.live.package import ROUGH, start_displacements
from dalembert.view.live.shown import Shown

Kind = Literal["state", "derivative", "input", "parameter", "output", "indicator"]


@dataclass(frozen=True, eq=False)
class ExportedProgram(Program):
    """A `Program` whose module also closes loops, and computes outputs, accelerations and reactions of a state."""

    shown: Shown | None = None
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
        if isinstance(self.rhs, RangeSpaceRightHandSide):
            closing = LoopClosing(self.rhs, module)
            closing.emit()
            self.notes["start"], self.notes["still"] = closing.places, closing.still
        return module

    @property
    def _kernels(self) -> list[str]:
        """Quantities of a state that are offered besides; inverse dynamics where no loops take part of the load."""
        tree = not self.catalogue.mechanism.constraint_rows
        return ["mass_matrix", *(["inverse_dynamics"] if tree else [])]

    def _emit_kernel(self, module: Module, name: str) -> int:
        """`name(t, q, u, x, P, y, work)`; returns the working memory that it needs."""
        code, work = getattr(self.catalogue, name).emit(Prefixed(module, f"{name}_"), 1)
        with module.function(name, **KERNEL) as f:
            f.call(code, *(getattr(f, argument) for argument in NAMES))
        return int(work)

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

    def __post_init__(self) -> None:
        why = refusal(self.motion)
        if why:
            raise ArgumentError(f"export: {why}")
        m = self.live.mechanism
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
        return Shown(self.live.mechanism.kernels, tuple(self.reactions))

    @cached_property
    def programs(self) -> list[ExportedProgram]:
        """The program, and others with further sets of rows where rows may have to be chosen anew."""
        live = self.live
        when, directions = [e.when for e in live.events], [e.direction for e in live.events]
        first = ExportedProgram(
            live.mechanism.kernels,
            live.options.method,
            1,
            when,
            directions,
            live.kept,
            for_target=C99,
            shown=self.shown,
        )
        others = [replace(live.kept, rows=rows) for rows in other_row_choices(live)]
        made = [first, *(replace(first, kept=kept, shown=None, notes={}) for kept in others)]
        for program in made:
            _ = program.module
        return made

    @property
    def memory(self) -> np.ndarray:
        """The integrator's memory at the start."""
        live, program = self.live, self.programs[0]
        made = np.zeros((program.layout.size, 1))
        fill_memory(made, program, live.mechanism, live.options, np.concatenate([live.q, live.u]), live.options.atol)
        return made[:, 0]

    @property
    def inputs(self) -> list[np.ndarray]:
        """What each program's equations are given, at the start."""
        found = []
        for program in self.programs:
            made = np.zeros((program.input_layout.size, 1))
            fill_inputs(made, program, np.array([*self.live.mechanism.parameters.values()], dtype=float))
            found.append(made[:, 0])
        return found

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
        return {"start": start, "tried": start_displacements(m)}

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
                f"der({v.name})", "derivative", v.place, _rate(v.unit), 0.0, f"rate of {v.about}", (None, None), v.place
            )
            for v in list(made)
        ]
        made += [
            Variable(f"force.{name}", "input", i, _force(u_units[i]), 0.0, f'generalized force on the speed "{name}"')
            for i, name in enumerate(m.speeds)
        ]
        made += [
            Variable(name, "parameter", i, "", float(x), "", ranges.get(name, (None, None)))
            for i, (name, x) in enumerate(m.parameters.items())
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
    if motion.mechanism is not None and motion.mechanism.elements:
        named = ", ".join(f'"{name}"' for name in motion.mechanism.elements)
        why = f"element {named} has states of its own, which exported code does not know yet"
    if not why and motion.mechanism is not None and motion.mechanism.laws:
        named = ", ".join(f'"{name}"' for name in motion.mechanism.laws)
        why = f"law {named} hits, sticks or slips, which exported code does not know yet; export m.without_laws().simulate(…)"
    if not why and any(e.actions for e in live_model(motion).events):
        why = "its events act on the mechanism, which exported code does not do; leave the events' actions out"
    return why


def _rate(unit: str) -> str:
    rates = {"rad": "rad/s", "m": "m/s", "1": "1/s", "rad/s": "rad/s2", "m/s": "m/s2", "1/s": "1/s2"}
    return rates.get(unit, "")


def _force(unit: str) -> str:
    """Unit of the force that does work on a speed."""
    return {"rad/s": "N.m", "m/s": "N"}.get(unit, "")
