"""Which values stay in the sixteen vector registers.

Straight-line code knows its future: when a register is needed, the value whose next use is farthest makes room (Belady's rule). Inputs,
and results that are stored already, can be read again; anything else is put aside on the stack.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dalembert.trace.native.x86.encoding import RSP, Constant, Encoder, Memory, Operand

REGISTERS = 16
NEVER = 1 << 30
_NEAR = 12
"""A value in memory that is used again within so many instructions is worth a register."""


class Registers:
    """Where every value is at the present instruction. Encodes instructions, and what they need to have their operands at hand."""

    def __init__(
        self,
        code: Encoder,
        lanes: int,
        uses: Sequence[Sequence[int]],
        home: dict[int, Memory | Constant],
        uniform: Collection[int],
    ) -> None:
        """`uses`: the positions of the instructions that use each value, ascending; `home`: where values are in memory, those in
        `uniform` once for all lanes."""
        self.code, self._bytes = code, 8 * lanes
        self.home, self._uniform = home, uniform if lanes > 1 else ()
        self.slots = 0
        """How many places on the stack were needed."""
        self._uses, self._done = uses, [0] * len(uses)
        self._register: dict[int, int] = {}
        self._free = list(reversed(range(REGISTERS)))
        self._slot: dict[int, int] = {}
        self._free_slots: list[int] = []

    # -- instructions -----------------------------------------------------------------------------------------------------
    def execute(self, op: str, value: int, operands: tuple[int, ...], now: int) -> None:
        """Encode the instruction at position `now`."""
        in_memory = self._gather(op, operands, now)
        ending = {a for a in operands if self._use(a, 1) == NEVER}
        write = self._plain if len(operands) < 3 else self._fused
        target = write(op, operands, in_memory, ending)
        for x in set(operands):
            self._done[x] += 1
            if x in ending:
                self._release(x)
        self._register[value] = target

    def _plain(self, op: str, operands: tuple[int, ...], in_memory: int, ending: Collection[int]) -> int:
        a, b = operands[0], operands[-1]
        if a == in_memory:
            a, b = b, a
        left, right = self._register[a], self._operand(b, in_memory)
        for x in ending:
            self._leave(x)
        target = self._room(operands)
        if op == "sqrt":
            self.code.sqrt(target, left)
        else:
            self.code.operate(op, target, left, right)
        return target

    def _fused(self, op: str, operands: tuple[int, ...], in_memory: int, ending: Collection[int]) -> int:
        """Over an operand that is used for the last time, if there is one, else over a copy."""
        a, b, c = operands
        first, second, third, form = _form(a, b, c, in_memory, ending)
        factor, other = self._register[second], self._operand(third, in_memory)
        if first in ending:
            target = self._register.pop(first)
        else:
            target = self._room(operands)
            self.code.copy(target, self._register[first])
        self.code.fuse(op, form, target, factor, other)
        return target

    def _gather(self, op: str, operands: tuple[int, ...], now: int) -> int:
        """Have the operands in registers; but one, which is returned, may stay in memory if it is not soon used again."""
        outside = [a for a in operands if a not in self._register]
        if not outside:
            return -1
        stays, latest = -1, now + _NEAR
        if len(set(operands)) == len(operands):
            for a in operands if op in _ANY_ORDER else operands[1:] if op in _LAST else ():
                if a in outside and a not in self._uniform and self._use(a, 1) > latest:
                    stays, latest = a, self._use(a, 1)
        for a in outside:
            if a != stays:
                self.fetch(a, operands)
        return stays

    def _operand(self, value: int, in_memory: int) -> Operand:
        return self.home[value] if value == in_memory else self._register[value]

    # -- values -----------------------------------------------------------------------------------------------------------
    def fetch(self, value: int, keep: Collection[int] = ()) -> int:
        """The register that the value is in, or is brought into; what is in `keep` stays where it is."""
        found = self._register.get(value)
        if found is None:
            found = self._room(keep)
            bring = self.code.load_uniform if value in self._uniform else self.code.load
            bring(found, self.home[value])
            self._register[value] = found
        return found

    def lend(self, keep: Collection[int]) -> int:
        """A register for a moment."""
        register = self._room(keep)
        self._free.append(register)
        return register

    def settle(self, value: int, at: Memory | None) -> None:
        """The value's results are stored, and it can be read again there; if it is not used any more, that is all."""
        if self._use(value, 0) == NEVER:
            self._release(value)
        elif at is not None:
            self.home[value] = at

    def needs(self, value: int) -> bool:
        return self._use(value, 0) != NEVER

    def unsettle(self, value: int) -> None:
        """The value's place in memory is about to be written."""
        self.fetch(value)
        del self.home[value]

    def _use(self, value: int, k: int) -> int:
        """The position of the next use (k = 0), or of the one after."""
        uses, k = self._uses[value], self._done[value] + k
        return uses[k] if k < len(uses) else NEVER

    def _leave(self, value: int) -> None:
        """Its register, if it has one, is free."""
        register = self._register.pop(value, -1)
        if register >= 0:
            self._free.append(register)

    def _release(self, value: int) -> None:
        """So is its place on the stack."""
        self._leave(value)
        slot = self._slot.pop(value, -1)
        if slot >= 0:
            self._free_slots.append(slot)

    def _room(self, keep: Collection[int]) -> int:
        if not self._free:
            value = max((v for v in self._register if v not in keep), key=self._next_use)
            if value not in self.home:
                self._put_aside(value)
            self._free.append(self._register.pop(value))
        return self._free.pop()

    def _next_use(self, value: int) -> int:
        return self._use(value, 0)

    def _put_aside(self, value: int) -> None:
        if not self._free_slots:
            self._free_slots.append(self.slots)
            self.slots += 1
        slot = self._slot[value] = self._free_slots.pop()
        at = self.home[value] = Memory(RSP, slot * self._bytes)
        self.code.store(self._register[value], at)


_ANY_ORDER = frozenset({"add", "mul", "fmadd", "fmsub", "fnmadd", "fnmsub"})
"""Any operand may be in memory."""
_LAST = frozenset({"sub", "div"})
"""The second may."""


def _form(a: int, b: int, c: int, in_memory: int, ending: Collection[int]) -> tuple[int, int, int, int]:
    """How to write a b + c: the operands in the instruction's order, the last in memory if one is, and its form. The first, which it
    overwrites, is one used for the last time if possible."""
    if in_memory == c:
        return (b, a, c, 213) if b in ending and a not in ending else (a, b, c, 213)
    if in_memory == a:
        a, b = b, a
    if c in ending or (in_memory != b and a not in ending and b not in ending):
        return c, a, b, 231
    if in_memory == b:
        return (a, c, b, 132) if a in ending else (c, a, b, 231)
    return (a, b, c, 213) if a in ending else (b, a, c, 213)
