"""Kernels as loops over the bodies, for mechanisms of any size.

`run(t, q, u, x, P, y, work)` does, in order: parameter-dependent constants; prescribed motion; forces; then the algorithm's sweeps.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from dalembert.kernels import motion
from dalembert.kernels.algorithm import Algorithm, Sweeps, joint_columns
from dalembert.kernels.classes import N_CONSTANTS, Classes, classify
from dalembert.kernels.given import GivenState, in_records
from dalembert.kernels.records import Record
from dalembert.kernels.straight import NAMES, block, known_symbols
from dalembert.kernels.sweeps import Step
from dalembert.kinematics.loads import loads
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive.links import Link, links
from dalembert.trace import Expr, free_symbols, symbol, tracing
from dalembert.trace.native import Block, Module, Output, Pointer, Signature
from dalembert.vectors import cross


class Outlined:
    """An algorithm on a mechanism, ready to be emitted for any number of lanes."""

    def __init__(self, m: Mechanism, algorithm: Algorithm):
        self.m, self.algorithm = m, algorithm
        self.links: tuple[Link, ...] = links(m)
        self.parameters: dict[Expr, int] = {symbol(name): i for i, name in enumerate(m.parameters)}
        self.prescribed = any(law is not None for j in m.joints for law in j.law.q)

    # -- memory -------------------------------------------------------------------------------------------------------
    @cached_property
    def record(self) -> Record:
        fields = dict(self.algorithm.fields(self.m))
        if self.algorithm.loaded and self.m.forces:
            fields |= motion.FIELDS | {"load": 12}
        return Record(fields)

    @cached_property
    def _traced(self) -> tuple[list[list[Block]], int]:
        """Blocks by sweep and class, and the size of a record."""
        made: list[list[Block]] = [[] for _ in self.sweeps]
        size = self.record.size
        with tracing():
            for body in self.classes.classes:
                step = Step(body, self.record)
                for s, (trace, _) in enumerate(self.sweeps):
                    trace(step)
                    made[s].append(step.block(f"sweep{s}_class{len(made[s])}", self.parameters))
                size = max(size, step.keeper.next)
        return made, size

    @property
    def stride(self) -> int:
        return self._traced[1]

    @cached_property
    def places(self) -> dict[str, int]:
        """Where things begin in the working memory, in elements; `end` is its size."""
        m, n = self.m, self.m.n_bodies
        sizes = {
            "records": n * self.stride,
            "C": n * N_CONSTANTS if self.parameters else 0,
            "q": sum(j.joint.n_q for j in m.joints) if self.prescribed else 0,
            "u": sum(j.joint.n_u for j in m.joints) if self.prescribed else 0,
            "d": sum(j.joint.n_u for j in m.joints) if self.prescribed else 0,
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
        placed = self.algorithm.sweeps[0][0] is motion.world
        return self.algorithm.sweeps if placed or not self._forced else [(motion.world, False), *self.algorithm.sweeps]

    def given(self, stride: int) -> GivenState:
        """The mechanism as its forces see it: the bodies' motion in records `stride` apart."""
        return GivenState(self.m, in_records(self.links, self.record, stride))

    @cached_property
    def classes(self) -> Classes:
        if not self._forced:
            return classify(self.m, self.links, lambda k: (False, False))
        with tracing():
            found = loads(self.given(stride=1000), gravity=False)
        driven = [any(_some(values[i]) for i in j.free) for j, values in zip(self.m.joints, found.joint)]
        return classify(self.m, self.links, lambda k: (found.loaded(k + 1), driven[k]))

    def _force_outputs(self) -> list[Output]:
        """The mechanism's forces on each link, in link axes about its origin, then on its joint's free speeds."""
        given = self.given(self.stride)
        applied = loads(given, gravity=False)
        start, _ = self.record.fields["load"]
        out: list[Output] = []
        for k, (link, j) in enumerate(zip(self.links, self.m.joints)):
            at = k * self.stride + start
            if applied.loaded(k + 1):
                R_B = given.poses[k + 1].R
                R, arm = R_B @ link.frame.rotation, R_B @ (self.m.bodies[k].com - link.frame.position)
                n, f = applied.moment[k], applied.force[k]
                out += [Output(x, "work", at + i) for i, x in enumerate([*(R.T @ (n + cross(arm, f))), *(R.T @ f)])]
            if any(_some(applied.joint[k][i]) for i in j.free):
                out += [Output(applied.joint[k][i], "work", at + 6 + n) for n, i in enumerate(j.free)]
        return out

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
        """Straight-line code on the kernel's own arguments; symbols r… are places in the working memory."""
        known = known_symbols(self.m)
        for s in free_symbols([o.value for o in outputs]):
            if s not in known:
                known[s] = ("work", int(s.name[1:]))
        return block(name, known, outputs)

    # -- code ---------------------------------------------------------------------------------------------------------
    def emit(self, module: Module, lanes: int) -> Signature:
        """Add the kernel to a module; returns its `run`."""
        m, places, stride = self.m, self.places, self.stride
        blocks, _ = self._traced
        with tracing():
            first = self.block("prepare", self._preparation())
            forces = self.block("forces", self._force_outputs()) if self._forced else None
        prepare = module.block(first, lanes) if first.outputs else None
        apply = module.block(forces, lanes) if forces else None
        steps = [module.function_table([module.block(b, lanes) for b in sweep]) for sweep in blocks]
        constants = module.real_table([0.0 if type(x) is Expr else x for x in self.classes.table.ravel().tolist()])
        q_at, u_at = self._joint_places()
        parents = [max(link.parent - 1, 0) * stride for link in self.links]
        outputs = self.algorithm.output_at(m)
        x_at = joint_columns(m)
        table = module.int_table(
            np.column_stack([self.classes.of_body, parents, q_at, u_at, x_at, outputs]).ravel().tolist()
        )
        parameters: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
        with module.function("run", lanes=lanes, **parameters) as f:
            arguments = [getattr(f, name) for name in NAMES]
            if prepare:
                f.call(prepare, *arguments)
            if self.algorithm.sums:
                with f.loop(self.algorithm.n_output(m)) as i:
                    f.y[i] = 0.0
            q, u = (f.work + places["q"], f.work + places["u"]) if self.prescribed else (f.q, f.u)
            for s, (_, backward) in enumerate(self.sweeps):
                if apply and s == 1:
                    f.call(apply, *arguments)
                with f.countdown(m.n_bodies) if backward else f.loop(m.n_bodies) as k:
                    row = k * 6
                    f.call(
                        steps[s][table[row]],
                        constants + k * N_CONSTANTS,
                        f.work + (k * N_CONSTANTS + places["C"]),
                        q + table[row + 2],
                        u + table[row + 3],
                        f.work + (table[row + 3] + places["d"]),
                        f.x + table[row + 4],
                        f.work + k * stride,
                        f.work + table[row + 1],
                        f.y + table[row + 5],
                        f.P,
                    )
            if self.algorithm.finish:
                self.algorithm.finish(self, module, f)
        return f.signature

    def _joint_places(self) -> tuple[list[int], list[int]]:
        """Where each joint's coordinates and speeds begin."""
        m = self.m
        if not self.prescribed:
            return [next(iter(j.q_at), 0) or 0 for j in m.joints], [next(iter(j.u_at), 0) or 0 for j in m.joints]
        n_q, n_u = ([getattr(j.joint, n) for j in m.joints] for n in ("n_q", "n_u"))
        return [0, *np.cumsum(n_q)[:-1].tolist()], [0, *np.cumsum(n_u)[:-1].tolist()]


def _some(x: Any) -> bool:
    return type(x) is Expr or x != 0.0
