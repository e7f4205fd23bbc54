"""A block of arithmetic as the machine code of one function, by the calling convention of System V."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

from dalembert.trace.expr import Expr
from dalembert.trace.native.block import Block, Output
from dalembert.trace.native.lanes import Lanes
from dalembert.trace.native.machine import constants_near, host
from dalembert.trace.native.x86 import encoding
from dalembert.trace.native.x86.arithmetic import OPERATIONS, SIGN, Fusing
from dalembert.trace.native.x86.encoding import Constant, Encoder, Memory
from dalembert.trace.native.x86.ordering import ordered
from dalembert.trace.native.x86.registers import Registers

LONG = 500
"""Operations from which on code is long."""

_POINTERS = [encoding.RDI, encoding.RSI, encoding.RDX, encoding.RCX, encoding.R8, encoding.R9]
_MORE_POINTERS = [encoding.RAX, encoding.R10, encoding.R11]
"""For parameters that come on the stack."""


@cache
def available() -> bool:
    """Whether this machine runs such code, and does not have twice the registers, which LLVM would fill."""
    return constants_near() and {"+avx2", "+fma", "-avx512f"} <= set(host().features.split(","))


def takes(block: Block, nodes: Sequence[Expr], lanes: int) -> bool:
    """Whether the block can be written here: arithmetic only, on few arrays, with one more for sines and cosines."""
    return (
        available()
        and lanes in (1, 4)
        and len(block.arrays) < len(_POINTERS) + len(_MORE_POINTERS)
        and all(e.op in OPERATIONS for e in nodes)
    )


def machine_code(block: Block, nodes: Sequence[Expr], lanes: Lanes) -> bytes:
    """The bytes of `void f(double *arrays…)`, which computes the nodes, given result by result.

    So they are computed, if they are few; of many the order in which they were traced keeps together what belongs together. Lanes
    have work enough for the processor not to wait: there, long code is left in that order.
    """
    long = len(nodes) > LONG
    order = sorted(nodes, key=lambda e: e.serial) if long else nodes
    return _Function(block, order, lanes, not long or lanes.count == 1).finished()


class _Function:
    def __init__(self, block: Block, nodes: Sequence[Expr], lanes: Lanes, reordered: bool) -> None:
        self.block, self.lanes = block, lanes
        fusing = Fusing(nodes, [out.value for out in block.outputs], block.inputs)
        self.made = fusing.made
        self.early = defaultdict[int, list[Output]](list)
        self.late: list[tuple[int, Output]] = []
        self._divide_outputs(fusing)
        written = self.made.instructions
        self.instructions = ordered(written, self.made.count) if reordered else written
        self.code = Encoder(lanes.count)
        self.apart = {a.name: 8 if a.uniform else 8 * lanes.stride for a in block.arrays}
        """Bytes from one element to the next."""
        self.base = self._pointers()
        self.constants: list[float] = []
        self.read_from = defaultdict[tuple[str, int], list[int]](list)
        self.registers = Registers(self.code, lanes.count, self._uses(), *self._sources())

    def finished(self) -> bytes:
        for now, (op, value, operands) in enumerate(self.instructions):
            self.registers.execute(op, value, operands, now)
            if value in self.early:
                self._store_at_once(value)
        self._store_late()
        return self.code.finished(self.registers.slots * 8 * self.lanes.count, self.constants)

    # -- what is known before the first instruction -----------------------------------------------------------------------
    def _divide_outputs(self, fusing: Fusing) -> None:
        """What can be stored as soon as it is computed, by value, and what at the end only."""
        computed = {value for _, value, _ in fusing.made.instructions}
        at_once = {out.place for outputs in self.block.early(read_before=True).values() for out in outputs}
        for out in self.block.outputs:
            value = fusing.value(out.value)
            if value in computed and out.place in at_once:
                self.early[value].append(out)
            else:
                self.late.append((value, out))

    def _pointers(self) -> dict[str, int]:
        """The register of each array's address."""
        names = [a.name for a in self.block.arrays]
        base = dict(zip(names, _POINTERS))
        for k, (name, register) in enumerate(zip(names[len(_POINTERS) :], _MORE_POINTERS)):
            self.code.take_pointer(register, k)
            base[name] = register
        return base

    def _uses(self) -> list[list[int]]:
        """The positions at which each value is used."""
        uses: list[list[int]] = [[] for _ in range(self.made.count)]
        for now, (_, _, operands) in enumerate(self.instructions):
            for a in set(operands):
                uses[a].append(now)
        for value in {value for value, _ in self.late}:
            uses[value].append(len(self.instructions))
        return uses

    def _sources(self) -> tuple[dict[int, Memory | Constant], set[int]]:
        """Where sources are in memory, and which of them once for all lanes."""
        home: dict[int, Memory | Constant] = {}
        uniform: set[int] = set()
        uniform_arrays = {a.name for a in self.block.arrays if a.uniform}
        for x, value in self.made.sources.items():
            if isinstance(x, Expr):
                place = self.block.inputs[x]
                self.read_from[place].append(value)
                home[value] = self._at(place)
            else:
                home[value] = Constant(len(self.constants))
                self.constants.append(-0.0 if x is SIGN else float(x))
            if not isinstance(x, Expr) or place[0] in uniform_arrays:
                uniform.add(value)
        return home, uniform

    def _at(self, place: tuple[str, int]) -> Memory:
        array, index = place
        return Memory(self.base[array], index * self.apart[array])

    # -- results ----------------------------------------------------------------------------------------------------------
    def _store_at_once(self, value: int) -> None:
        registers, found = self.registers, None
        for out in self.early[value]:
            for source in self.read_from.get(out.place, ()):
                if registers.needs(source) and source in registers.home:
                    registers.unsettle(source)
            at = self._at(out.place)
            if out.add:
                self._add(value, at)
            else:
                self.code.store(registers.fetch(value), at)
                found = at
        registers.settle(value, found)

    def _add(self, value: int, at: Memory) -> None:
        registers = self.registers
        register = registers.fetch(value)
        total = registers.lend([value])
        self.code.operate("add", total, register, at)
        self.code.store(total, at)

    def _store_late(self) -> None:
        """Everything is read before the first of them is written."""
        registers = self.registers
        sources = {value for values in self.read_from.values() for value in values}
        for value in dict.fromkeys(value for value, _ in self.late):
            if value in sources and value in registers.home:
                registers.unsettle(value)
        for value, out in self.late:
            if out.add:
                self._add(value, self._at(out.place))
            else:
                self.code.store(registers.fetch(value), self._at(out.place))
