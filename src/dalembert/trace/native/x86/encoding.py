"""Instructions as bytes: VEX encoding of the few that straight-line arithmetic needs, on one double (xmm) or on four (ymm)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

RAX, RCX, RDX, RSP, RSI, RDI, R8, R9, R10, R11 = 0, 1, 2, 4, 6, 7, 8, 9, 10, 11

_ARITHMETIC = {"add": 0x58, "mul": 0x59, "sub": 0x5C, "div": 0x5E}
_FUSED = {"fmadd": 0x08, "fmsub": 0x0A, "fnmadd": 0x0C, "fnmsub": 0x0E}
"""a b + c, a b − c, c − a b, −a b − c."""
_FORMS = {132: 0x90, 213: 0xA0, 231: 0xB0}
"""Which operands are multiplied: 1 and 3 with 2 added, 2 and 1 with 3, 2 and 3 with 1. The first is overwritten, the third may be in
memory."""

_MAP_0F, _MAP_0F38 = 1, 2
_PP_66, _PP_F2 = 1, 3


@dataclass(frozen=True)
class Memory:
    """The address `base + offset`."""

    base: int
    offset: int


@dataclass(frozen=True)
class Constant:
    """A number behind the code, by its place there."""

    index: int
    base: int = 0


Operand = int | Memory | Constant
"""A vector register by its number, or memory."""


class Encoder:
    """Collects the bytes of one function."""

    def __init__(self, lanes: int) -> None:
        self.code, self._taken = bytearray(), bytearray()
        self._wide = lanes > 1
        self._length = 4 if self._wide else 0
        self._packed = _PP_66 if self._wide else _PP_F2
        self._constants: list[tuple[int, int]] = []

    # -- arithmetic -------------------------------------------------------------------------------------------------------
    def operate(self, op: str, target: int, a: int, b: Operand) -> None:
        """target = a op b."""
        if op == "xor":
            self._vex(_MAP_0F, _PP_66, 0, 0x57, target, a, b)
        else:
            self._vex(_MAP_0F, self._packed, 0, _ARITHMETIC[op], target, a, b)

    def fuse(self, op: str, form: int, first: int, second: int, third: Operand) -> None:
        opcode = _FORMS[form] + _FUSED[op] + (not self._wide)
        self._vex(_MAP_0F38, _PP_66, 128, opcode, first, second, third)

    def sqrt(self, target: int, a: int) -> None:
        self._vex(_MAP_0F, self._packed, 0, 0x51, target, 0 if self._wide else a, a)

    # -- moving -----------------------------------------------------------------------------------------------------------
    def copy(self, target: int, a: int) -> None:
        self._vex(_MAP_0F, _PP_66, 0, 0x28, target, 0, a)

    def load(self, target: int, at: Operand) -> None:
        self._vex(_MAP_0F, self._packed, 0, 0x10, target, 0, at)

    def load_uniform(self, target: int, at: Operand) -> None:
        """One double into all lanes."""
        if self._wide:
            self._vex(_MAP_0F38, _PP_66, 0, 0x19, target, 0, at)
        else:
            self.load(target, at)

    def store(self, source: int, at: Memory) -> None:
        self._vex(_MAP_0F, self._packed, 0, 0x11, source, 0, at)

    # -- a function's frame -----------------------------------------------------------------------------------------------
    def take_pointer(self, target: int, k: int) -> None:
        """The k-th of the parameters that come on the stack: mov target, [rsp + 8 (k + 1)], before anything else."""
        self._taken += bytes([0x48 | (target >> 3) << 2, 0x8B, 0x44 | (target & 7) << 3, 0x24, 8 * (k + 1)])

    def finished(self, local: int, constants: list[float]) -> bytes:
        """The function: `local` bytes of aligned memory set aside at the stack pointer, the code, the return; then the constants."""
        opened, closed = bytes(self._taken), b""
        if local:  # push rbp; mov rbp, rsp; and rsp, −32; sub rsp, local … leave
            opened += bytes.fromhex("55 4889e5 4883e4e0 4881ec") + struct.pack("<i", -(-local // 32) * 32)
            closed = b"\xc9"
        if self._wide:
            closed += bytes.fromhex("c5f877")  # vzeroupper
        closed += b"\xc3"
        padding = bytes(-(len(opened) + len(self.code) + len(closed)) % 8)
        behind = len(self.code) + len(closed) + len(padding)
        for at, index in self._constants:
            self.code[at : at + 4] = struct.pack("<i", behind + 8 * index - (at + 4))
        return opened + bytes(self.code) + closed + padding + struct.pack(f"<{len(constants)}d", *constants)

    def _vex(self, table: int, prefix: int, w: int, opcode: int, reg: int, second: int, third: Operand) -> None:
        code, low = self.code, (~second & 15) << 3 | self._length | prefix
        high = third if isinstance(third, int) else third.base
        if high < 8 and table == _MAP_0F and not w:
            code += bytes([0xC5, (reg < 8) << 7 | low, opcode])
        else:
            code += bytes([0xC4, (reg < 8) << 7 | 64 | (high < 8) << 5 | table, w | low, opcode])
        if isinstance(third, int):
            code.append(0xC0 | (reg & 7) << 3 | third & 7)
        else:
            self._modrm(reg, third)

    def _modrm(self, reg: int, at: Memory | Constant) -> None:
        code, field = self.code, (reg & 7) << 3
        if isinstance(at, Constant):
            code.append(field | 5)
            self._constants.append((len(code), at.index))
            code += b"\0\0\0\0"
            return
        base, offset = at.base & 7, at.offset
        short = -128 <= offset < 128
        mode = 0 if not offset else 0x40 if short else 0x80
        code.append(mode | field | base)
        if base == RSP:
            code.append(0x24)
        if offset:
            code += offset.to_bytes(1 if short else 4, "little", signed=True)
