"""Kernels as loops over the bodies, for mechanisms of any size.

`run(t, q, u, x, P, y, work)` does, in order: parameter-dependent constants; prescribed motion; sines and cosines; then the algorithm's
sweeps, and forces after the first of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kernels.runtime.straight import NAMES, block, known_symbols
from dalembert.kernels.tree import body_motion
from dalembert.kernels.tree.algorithm import Algorithm, Sweeps, joint_columns
from dalembert.kernels.tree.body_classes import N_CONSTANTS, Classes, classify
from dalembert.kernels.tree.body_records import Record
from dalembert.kernels.tree.force_loads import Applied, BodyReferences, applied
from dalembert.kernels.tree.force_loops import Loops, Place, Unit, repeated
from dalembert.kernels.tree.sines_ahead import Ahead, Turns, padded, phase, without_phase
from dalembert.kernels.tree.sweeps import Step
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive.grouping import grouped
from dalembert.recursive.links import Link, links
from dalembert.trace import Expr, free_symbols, symbol, tracing
from dalembert.trace.native import Block, FunctionBuilder, Int, Module, Output, Pointer, Signature
from dalembert.trace.native.driver.constant_tables import FunctionTable, IntTable, RealTable


@dataclass(frozen=True)
class Parts:
    """Straight-line code: preparation, sines and cosines, forces, and for every sweep a block per class of bodies."""

    prepare: Block | None
    ahead: Ahead | None
    forces: Loops | None
    sweeps: list[list[Block]]

    def compiled(self, module: Module, lanes: int, name: str) -> Code:
        """The same as functions of a module."""

        def add(block: Block) -> Signature:
            return module.block(block, lanes, f"{name}_{block.name}")

        sweeps = []
        for blocks in self.sweeps:
            used = set().union(*(b.used for b in blocks))
            arrays = [a for a in blocks[0].arrays if a.name in used]
            table = module.function_table([add(b.taking(arrays)) for b in blocks])
            sweeps.append(SweepCode(table, tuple(a.name for a in arrays)))
        prepare = add(self.prepare) if self.prepare else None
        ahead = self.ahead.compiled(module, lanes, name) if self.ahead else None
        return Code(prepare, ahead, self.forces.compiled(module, lanes, name) if self.forces else None, sweeps)


@dataclass(frozen=True)
class SweepCode:
    """A function for each class of bodies, and the arrays they take: only what some of them use, so that all stay in registers."""

    functions: FunctionTable
    arrays: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    prepare: Signature | None
    ahead: Signature | None
    forces: Signature | None
    sweeps: list[SweepCode]


@dataclass(frozen=True)
class Traced:
    """The steps of all classes: blocks by sweep and class, the size of each class's record, and its angles taken ahead."""

    sweeps: list[list[Block]]
    sizes: list[int]
    angles: list[list[int]]


N_PLACES = 10
"""Integers that a loop looks up for each body."""


@dataclass(frozen=True)
class Tables:
    """What a loop looks up for each body: its constants, its class, and where its values lie."""

    constants: RealTable
    places: IntTable
    memory: dict[str, int]
    prescribed: bool

    def arguments(self, f: FunctionBuilder, k: Int, d: str = "") -> dict[str, Any]:
        """The class of body k and the arrays its steps take, by name; with `d`, those of the directions of the same values."""
        row = k * N_PLACES
        kind, r_at, parent, q_at, u_at, x_at, y_at, h_at, g_at, s_at = (self.places[row + i] for i in range(N_PLACES))
        q, u, x, y, P, work = (getattr(f, d + name) for name in ("q", "u", "x", "y", "P", "work"))
        if self.prescribed:
            q, u = work + self.memory["q"], work + self.memory["u"]
        arrays = {
            "C": work + (k * N_CONSTANTS + self.memory["C"]),
            "q": q + q_at,
            "u": u + u_at,
            "d": work + (u_at + self.memory["d"]),
            "x": x + x_at,
            "r": work + r_at,
            "p": work + parent,
            "h": work + (h_at + self.memory["handed"]),
            "g": work + (g_at + self.memory["handed"]),
            "s": work + (s_at + self.memory["turns"]),
            "y": y + y_at,
            "P": P,
        }
        return {"kind": kind, "K": self.constants + k * N_CONSTANTS} | {d + name: at for name, at in arrays.items()}


class SweepKernel:
    """An algorithm on a mechanism, ready to be emitted for any number of lanes.

    A `lasting` one leaves everything that its steps read in the working memory, for tangents that come after it. Otherwise memory is
    used again as soon as it can be, so that large mechanisms stay in the processor's cache.
    """

    def __init__(self, m: Mechanism, algorithm: Algorithm, lasting: bool = False):
        self.m, self.algorithm, self.lasting = m, algorithm, lasting
        self.links: tuple[Link, ...] = grouped(links(m)) if algorithm.grouped else links(m)
        self.phased = self.links
        """Links with their phases, which `links` are without where sines and cosines are taken ahead."""
        if not lasting:
            self.links = tuple(without_phase(link) for link in self.links)
        self.parameters: dict[Expr, int] = {symbol(name): i for i, name in enumerate(m.parameters)}
        self.prescribed = any(law is not None for j in m.joints for law in j.law.q)

    # -- memory -------------------------------------------------------------------------------------------------------
    @cached_property
    def record(self) -> Record:
        fields = dict(self.algorithm.fields(self.m))
        if self.algorithm.loaded and self.m.forces:
            fields |= body_motion.FIELDS | {"load": 12}
        if self.lasting:
            return Record(fields | dict(self.algorithm.passed), columns=self.algorithm.columns)
        return Record(fields, self.algorithm.late, self.algorithm.columns)

    @cached_property
    def handed(self) -> Record:
        """What children pass backward, in memory that other bodies use before and after."""
        return Record(dict(self.algorithm.passed))

    @cached_property
    def _traced(self) -> Traced:
        sweeps: list[list[Block]] = [[] for _ in self.sweeps]
        sizes, angles = [], []
        with tracing():
            for body in self.classes.classes:
                turns = None if self.lasting else Turns(self._turns)
                step = Step(body, self.record, None if self.lasting else self.handed, turns)
                for s, (trace, _) in enumerate(self.sweeps):
                    trace(step)
                    sweeps[s].append(step.block(f"sweep{s}_class{len(sweeps[s])}", self.parameters))
                sizes.append(step.keeper.end)
                angles.append(turns.angles if turns else [])
        return Traced(sweeps, sizes, angles)

    @cached_property
    def record_at(self) -> list[int]:
        """Where each body's record begins in the working memory."""
        sizes = [self._traced.sizes[kind] for kind in self.classes.of_body]
        return [0, *np.cumsum(sizes)[:-1].tolist()]

    @property
    def column_at(self) -> list[int]:
        """Where each free speed's column begins in the working memory."""
        record = self.record
        return [
            self.record_at[k] + record.size + i * record.column_size
            for k, j in enumerate(self.m.joints)
            for i in range(len(j.columns))
        ]

    @cached_property
    def _turns(self) -> int:
        """Room for one sine, or one cosine, of every coordinate."""
        return padded(sum(j.joint.n_q for j in self.m.joints))

    @cached_property
    def _handed_places(self) -> tuple[list[int], list[int], int]:
        """Where each body finds what its children handed to it, where it hands on itself, and how much memory that takes.

        A place is taken when the first child hands something to it, and is free again after the body's own step.
        """
        own, of_parent = [0] * self.m.n_bodies, [0] * self.m.n_bodies
        taken: dict[int, int] = {}
        free: list[int] = []
        end = 0
        for k in reversed(range(self.m.n_bodies)):
            parent = self.links[k].parent - 1
            if parent >= 0:
                if parent not in taken:
                    if not free:
                        free.append(end)
                        end += self.handed.size
                    taken[parent] = free.pop()
                of_parent[k] = taken[parent]
            if k in taken:
                own[k] = taken.pop(k)
                free.append(own[k])
        return own, of_parent, end

    @cached_property
    def places(self) -> dict[str, int]:
        """Where things begin in the working memory, in elements; `end` is its size."""
        m, n = self.m, self.m.n_bodies
        sizes = {
            "records": sum(self._traced.sizes[kind] for kind in self.classes.of_body),
            "C": n * N_CONSTANTS if self.parameters else 0,
            "q": sum(j.joint.n_q for j in m.joints) if self.prescribed else 0,
            "u": sum(j.joint.n_u for j in m.joints) if self.prescribed else 0,
            "d": sum(j.joint.n_u for j in m.joints) if self.prescribed else 0,
            "handed": 0 if self.lasting else self._handed_places[2],
            "turns": 0 if self.lasting else 2 * self._turns,
        }
        starts = np.concatenate([[0], np.cumsum(list(sizes.values()))])
        return dict(zip([*sizes, "end"], (int(x) for x in starts)))

    # -- forces -------------------------------------------------------------------------------------------------------
    @property
    def _forced(self) -> bool:
        return "load" in self.record.fields

    @property
    def sweeps(self) -> Sweeps:
        """The algorithm's, after one that places all bodies in the world where forces must know."""
        placed = self.algorithm.sweeps[0][0] is body_motion.world
        return (
            self.algorithm.sweeps
            if placed or not self._forced
            else [(body_motion.world, False), *self.algorithm.sweeps]
        )

    @cached_property
    def applied(self) -> list[Applied]:
        """What each of the mechanism's forces does."""
        with tracing():
            state = self.m.symbolic_state()
            return [applied(self.m, self.links, self.record, state, name) for name in self.m.forces]

    @cached_property
    def classes(self) -> Classes:
        acted_on = [a for force in self.applied for a in force.to] if self._forced else []
        bodies, joints = ({k for k, i in acted_on if (i >= 6) == on_joint} for on_joint in (False, True))
        return classify(self.m, self.links, lambda k: (k in bodies, k in joints))

    def unit(self, values: list[Any], to: list[Place], references: BodyReferences) -> Unit:
        """Values to be added, made of the state and of the bodies referenced."""

        def source(s: Expr) -> Place:
            if s not in references.places:
                return self._known[s]
            k, i = references.places[s]
            return "work", self.record_at[k] + i

        read = {s: source(s) for s in free_symbols(values) if s not in references.constants}
        referenced = [s for s in references.places if s in read]
        others = sorted((s for s in read if s not in references.places), key=lambda s: read[s])
        return Unit(values, to, {s: read[s] for s in (*referenced, *others)}, references.constants)

    @cached_property
    def _known(self) -> dict[Expr, Place]:
        return known_symbols(self.m)

    def _forces(self) -> Loops:
        """The mechanism's forces on each link, in link axes about its origin, then on its joint's free speeds."""
        start, _ = self.record.fields["load"]
        to = [[("work", self.record_at[k] + start + i) for k, i in force.to] for force in self.applied]
        units = [self.unit(force.values, places, force.references) for force, places in zip(self.applied, to) if places]
        read = [at + start + i for at, kind in zip(self.record_at, self.classes.of_body) for i in self._loads_of(kind)]
        return Loops("forces", repeated(units), read)

    def _loads_of(self, kind: int) -> list[int]:
        """The elements of `load` that steps of a class read: all must be there, also those that no force writes."""
        body = self.classes.classes[kind]
        free = len(body.link.source.free)
        return [*range(6 * body.loaded), *range(6, 6 + free * body.driven)]

    # -- preparation, once per state ----------------------------------------------------------------------------------
    def _preparation(self) -> list[Output]:
        """Constants that depend on parameters, and prescribed motion."""
        out: list[Output] = []
        table = self.classes.table
        if table.dtype == object:
            at = self.places["C"]
            out += [Output(x, "work", at + i) for i, x in enumerate(table.ravel()) if type(x) is Expr]
        if self.prescribed:
            state: State = self.m.symbolic_state()
            values = (state.joint_q, state.joint_u, state.joint_udot(np.zeros(self.m.n_u)))
            for name, joints in zip("qud", values):
                flat = [x for joint in joints for x in joint]
                out += [Output(x, "work", self.places[name] + i) for i, x in enumerate(flat)]
        return out

    def block(self, name: str, outputs: list[Output]) -> Block:
        """Straight-line code on the kernel's own arguments; symbols #r… are places in the working memory."""
        known = known_symbols(self.m)
        for s in free_symbols([o.value for o in outputs]):
            if s not in known:
                known[s] = ("work", int(s.name[2:]))
        return block(name, known, outputs)

    # -- code ---------------------------------------------------------------------------------------------------------
    @cached_property
    def parts(self) -> Parts:
        """All straight-line code of the kernel."""
        with tracing():
            prepare = self.block("prepare", self._preparation())
            forces = self._forces() if self._forced else None
            return Parts(prepare if prepare.outputs else None, self._ahead(), forces, self._traced.sweeps)

    def _ahead(self) -> Ahead | None:
        """The angles of all bodies."""
        coordinates, phases = [], []
        for k, (kind, first) in enumerate(zip(self.classes.of_body, self._joint_places()[0])):
            for i in self._traced.angles[kind]:
                coordinates.append(first + i)
                phases.append(phase(self.phased[k], self.links[k]))
        return Ahead(coordinates, phases) if coordinates else None

    def _turn_places(self) -> list[int]:
        """Where each body's sines begin."""
        counts = [len(self._traced.angles[kind]) for kind in self.classes.of_body]
        return [0, *np.cumsum(counts)[:-1].tolist()]

    def emit(self, module: Module, lanes: int, name: str = "run") -> Signature:
        """Add the kernel to a module."""
        code = self.parts.compiled(module, lanes, name)
        parameters: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
        tables = self.tables(module)
        with module.function(name, lanes=lanes, **parameters) as f:
            self.drive(f, code, f.y, [getattr(f, a) for a in NAMES], lambda k: tables.arguments(f, k))
            if self.algorithm.finish:
                self.algorithm.finish(self, module, f)
        return f.signature

    def drive(
        self, f: FunctionBuilder, code: Code, y: Pointer, arguments: list[Any], of_body: Callable[[Int], dict[str, Any]]
    ) -> None:
        """The kernel's course: preparation, sweeps, and the forces after the first sweep, which places the bodies."""
        if code.prepare:
            f.call(code.prepare, *arguments)
        if code.ahead:
            sines = f.work + self.places["turns"]
            f.call(code.ahead, f.work + self.places["q"] if self.prescribed else f.q, sines, sines + self._turns)
        if self.algorithm.sums:
            y.clear(self.algorithm.n_output(self.m))
        for s, (_, backward) in enumerate(self.sweeps):
            if code.forces and s == 1:
                f.call(code.forces, *arguments)
            with f.countdown(self.m.n_bodies) if backward else f.loop(self.m.n_bodies) as k:
                arrays, sweep = of_body(k), code.sweeps[s]
                f.call(sweep.functions[arrays["kind"]], *(arrays[name] for name in sweep.arrays))

    def tables(self, module: Module) -> Tables:
        """Constants and places of all bodies, put into the module."""
        q_at, u_at = self._joint_places()
        at = self.record_at
        parents = [at[max(link.parent - 1, 0)] for link in self.links]
        own, of_parent, _ = self._handed_places
        columns = [
            self.classes.of_body, at, parents, q_at, u_at, joint_columns(self.m), self.algorithm.output_at(self.m),
            own, of_parent, self._turn_places(),
        ]  # fmt: skip
        return Tables(
            module.real_table([0.0 if type(x) is Expr else x for x in self.classes.table.ravel().tolist()]),
            module.int_table(np.column_stack(columns).ravel().tolist()),
            self.places,
            self.prescribed,
        )

    def _joint_places(self) -> tuple[list[int], list[int]]:
        """Where each joint's coordinates and speeds begin."""
        m = self.m
        if not self.prescribed:
            return [next(iter(j.q_at), 0) or 0 for j in m.joints], [next(iter(j.u_at), 0) or 0 for j in m.joints]
        n_q, n_u = ([getattr(j.joint, n) for j in m.joints] for n in ("n_q", "n_u"))
        return [0, *np.cumsum(n_q)[:-1].tolist()], [0, *np.cumsum(n_u)[:-1].tolist()]
