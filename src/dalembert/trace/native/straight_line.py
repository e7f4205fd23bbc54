"""A `Block` as LLVM functions: one if it is short, or a chain of them with a work array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.trace.expr import Expr
from dalembert.trace.native.block import Block, Output
from dalembert.trace.native.interpolation import table_value
from dalembert.trace.native.llvm_text import (
    ARITHMETIC,
    CONDITIONS,
    FUNCTIONS,
    LOGIC,
    FunctionText,
    Lanes,
    ModuleText,
    choose,
)
from dalembert.trace.native.schedule import Chunk, Schedule, Stage, result_by_result, schedule
from dalembert.trace.native.sincos import sincos_group
from dalembert.trace.ops import COS, NOT, SELECT, SIN
from dalembert.trace.table import TableOp

LARGEST_FUNCTION = 700
"""Operations per LLVM function: above, LLVM takes longer per operation, and what waits in local memory goes over a page (4 kB),
where writing delays reading at the same distance from another page's beginning."""


def emit_block(
    module: ModuleText, block: Block, lanes: int, width: int, symbol: str, largest: int = LARGEST_FUNCTION
) -> None:
    """Add the block to the module as the function `symbol`.

    With more lanes than the `width` of a register, each of its functions does one part of them after the other. As a rule a function
    ends with waiting for itself: meanwhile the processor begins the next part.
    """
    part = Lanes(width, lanes) if lanes > width else Lanes(lanes)
    nodes = result_by_result([out.value for out in block.outputs], block.inputs)
    _define(module, block, _written(module, block, nodes, part, largest), part, symbol)


def _parameters(block: Block) -> str:
    return ", ".join(f"ptr %p{k}" for k in range(len(block.arrays)))


def _define(module: ModuleText, block: Block, pieces: Sequence[_Writer], part: Lanes, symbol: str) -> None:
    """The pieces one after the other, each on one part of the lanes after the other."""
    lanes, taken = part.stride, _parameters(block)
    if len(pieces) == 1 and lanes == part.count:
        module.define(symbol, pieces[0].function(f"define void @{symbol}({taken})"))
        return
    for k, writer in enumerate(pieces):
        name = f"{symbol}.{k}"
        module.define(name, writer.function(f"define internal void @{name}({taken}, ptr %work)"))
    lines = [f"define void @{symbol}({taken}) noinline nounwind {{"]
    passed = []
    for start in range(0, lanes, part.count):
        work = f"%work.{start}" if pieces[0].slot_count else "null"
        if pieces[0].slot_count:
            lines.append(f"{work} = alloca [{pieces[0].slot_count * part.count} x double], align 64")
        moved = [f"%a{start}.{k}" if start and not a.uniform else f"%p{k}" for k, a in enumerate(block.arrays)]
        lines += [
            f"{name} = getelementptr double, ptr %p{k}, i64 {start}" for k, name in enumerate(moved) if name != f"%p{k}"
        ]
        passed.append(", ".join(f"ptr {name}" for name in [*moved, work]))
    lines += [f"call void @{symbol}.{k}({arguments})" for k in range(len(pieces)) for arguments in passed]
    module.define(symbol, "\n".join([*lines, "ret void", "}"]))


def _written(module: ModuleText, block: Block, nodes: list[Expr], part: Lanes, largest: int) -> list[_Writer]:
    """The functions of the block, one after the other, as LLVM takes them."""
    early = block.early(read_before=False)
    late = block.late(early)
    plan = schedule(nodes, [out.value for out in late], largest)
    if plan.whole:
        early = block.early(read_before=True)
        writer = _Writer(module, block, part, plan, early)
        writer.compute(plan.chunks[0])
        writer.store(block.late(early))
        return [writer]
    pieces = []
    for chunk in plan.chunks:
        pieces.append(_Writer(module, block, part, plan, early))
        pieces[-1].compute(chunk)
    for start in range(0, len(late), largest):
        pieces.append(_Writer(module, block, part, plan, early))
        pieces[-1].values.inputs = {}  # from now on arrays may be overwritten: everything comes from the work array
        pieces[-1].store(late[start : start + largest])
    return pieces


class _Writer:
    """Writes one LLVM function of a block. Results in `early` are stored as soon as they are known."""

    def __init__(
        self, module: ModuleText, block: Block, lanes: Lanes, plan: Schedule, early: Mapping[Expr, Sequence[Output]]
    ) -> None:
        self.body = FunctionText(module, lanes)
        self.lanes, self.early, self.slot_count = lanes, early, plan.slot_count
        self.read_from: dict[tuple[str, int], list[Expr]] = {}
        for s, place in block.inputs.items():
            self.read_from.setdefault(place, []).append(s)
        self.pointers = {a.name: f"%p{k}" for k, a in enumerate(block.arrays)}
        self.values = _Values(self.body, block, self.pointers, plan.slots)

    def function(self, head: str) -> str:
        # aligned, so that no vector in local memory lies across two cache lines
        aligned = ' "stackrealign"' if self.lanes.count > 1 else ""
        lines = [
            f"{head} noinline nounwind{aligned} {{",
            *self.body.allocations,
            *self.body.lines,
            "ret void",
            "}",
        ]
        return "\n".join(lines)

    def compute(self, chunk: Chunk) -> None:
        for stage in chunk.stages():
            self._write_nodes(stage.nodes)
            self._write_angles(stage)
        for e, slot in chunk.saved.items():
            address = self.body.element("%work", slot * self.lanes.count)
            self.body.lines.append(
                f"store {self.lanes.real} {self.values[e]}, ptr {address}, align {self.lanes.alignment}"
            )

    def store(self, outputs: Sequence[Output]) -> None:
        body, real, values = self.body, self.lanes.real, self.values
        names = [values[out.value] for out in outputs]  # every load is done before the first store
        for name, out in zip(names, outputs, strict=True):
            address = body.element(self.pointers[out.array], out.index * self.lanes.stride)
            if out.add:
                before = body.let(f"load {real}, ptr {address}, align 8")
                name = body.let(f"fadd {real} {before}, {name}")
            body.lines.append(f"store {real} {name}, ptr {address}, align 8")

    def _store_at_once(self, e: Expr) -> None:
        outputs = self.early.get(e, ())
        for out in outputs:
            for s in self.read_from.get(out.place, ()):
                self.values.fetch(s)
        self.store(outputs)

    def _write_nodes(self, nodes: Sequence[Expr]) -> None:
        body, real, values, lines, fresh = self.body, self.lanes.real, self.values, self.body.lines, self.body.fresh
        for e in nodes:
            arithmetic = ARITHMETIC.get(e.op)
            if arithmetic:
                a, b = e.args
                left, right = values[a], values[b]
                values[e] = name = fresh()
                lines.append(f"{name} = {arithmetic} {real} {left}, {right}")
            elif e.op in FUNCTIONS:
                values[e] = FUNCTIONS[e.op](body, *[values[a] for a in e.args])
            elif isinstance(e.op, TableOp):
                values[e] = table_value(body, e.op, values[e.args[0]])
            elif e.op is SELECT:
                condition, yes, no = e.args
                values[e] = choose(body, values.truth(condition), values[yes], values[no])
            else:
                values.truths[e] = self._condition(e)
            if e in self.early:
                self._store_at_once(e)

    def _condition(self, e: Expr) -> str:
        body, values, mask = self.body, self.values, self.lanes.mask
        if e.op in CONDITIONS:
            a, b = (values[x] for x in e.args)
            return body.let(f"{CONDITIONS[e.op]} {self.lanes.real} {a}, {b}")
        truths = [values.truth(x) for x in e.args]
        if e.op is NOT:
            return body.let(f"xor {mask} {truths[0]}, {self.lanes.truth(True)}")
        return body.let(f"{LOGIC[e.op]} {mask} {truths[0]}, {truths[1]}")

    def _write_angles(self, stage: Stage) -> None:
        if stage.angles:
            arguments = [self.values[x] for x in stage.angles]
            for x, (sine, cosine) in zip(stage.angles, sincos_group(self.body, arguments), strict=True):
                self.values.sines[x], self.values.cosines[x] = sine, cosine
            for e in stage.turned:
                self._store_at_once(e)


class _Values(dict[Any, str]):
    """The name under which each scalar is known; constants, inputs and saved values come in when first asked for."""

    def __init__(self, body: FunctionText, block: Block, pointers: dict[str, str], slots: dict[Expr, int]) -> None:
        self.body, self.lanes, self.inputs, self.pointers, self.slots = body, body.lanes, block.inputs, pointers, slots
        self.uniform = {a.name for a in block.arrays if a.uniform}
        self.truths: dict[Expr, str] = {}
        self.sines: dict[Any, str] = {}
        self.cosines: dict[Any, str] = {}

    def __missing__(self, x: Any) -> str:
        if type(x) is not Expr:
            name = self.lanes.constant(float(x))
            if x == 0:
                return name  # 0 and −0 are one key
        elif x in self.inputs:
            name = self._input(*self.inputs[x])
        elif x in self.truths:
            mask, real = self.lanes.mask, self.lanes.real
            name = self.body.let(f"uitofp {mask} {self.truths[x]} to {real}")
        elif x.op is SIN and x.args[0] in self.sines:
            name = self.sines[x.args[0]]
        elif x.op is COS and x.args[0] in self.cosines:
            name = self.cosines[x.args[0]]
        else:
            address = self.body.element("%work", self.slots[x] * self.lanes.count)
            name = self.body.let(f"load {self.lanes.real}, ptr {address}, align {self.lanes.alignment}")
        self[x] = name
        return name

    def fetch(self, x: Expr) -> None:
        """Bring it in now: its place is about to be written."""
        if x not in self:
            self[x] = self.__missing__(x)

    def truth(self, x: Any) -> str:
        """The value as a condition."""
        if type(x) is not Expr:
            return self.lanes.truth(bool(x))
        if x not in self.truths:
            zero = self.lanes.constant(0.0)
            self.truths[x] = self.body.let(f"fcmp une {self.lanes.real} {self[x]}, {zero}")
        return self.truths[x]

    def _input(self, array: str, index: int) -> str:
        if array in self.uniform:
            address = self.body.element(self.pointers[array], index)
            return self.body.broadcast(self.body.let(f"load double, ptr {address}, align 8"))
        address = self.body.element(self.pointers[array], index * self.lanes.stride)
        return self.body.let(f"load {self.lanes.real}, ptr {address}, align 8")
