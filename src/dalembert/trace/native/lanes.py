"""How LLVM's text spells numbers for W states side by side: plain scalars for W = 1, vectors of W otherwise."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property


def double_bits(x: float) -> str:
    """A double in LLVM's exact hexadecimal form."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


@dataclass(frozen=True)
class Lanes:
    """Type names and constants for `count` lanes, in arrays whose elements have as many, or `of` lanes."""

    count: int
    of: int = 0

    @property
    def stride(self) -> int:
        """Doubles from one element of an array to the next."""
        return self.of or self.count

    @property
    def several(self) -> bool:
        """Whether a register holds several elements of an array, as in a loop over each of them."""
        return self.count > self.stride

    @cached_property
    def real(self) -> str:
        return self._of("double")

    @cached_property
    def integer(self) -> str:
        return self._of("i64")

    @cached_property
    def mask(self) -> str:
        return self._of("i1")

    @cached_property
    def suffix(self) -> str:
        """The ending of an intrinsic's name for this type."""
        return "f64" if self.count == 1 else f"v{self.count}f64"

    @cached_property
    def alignment(self) -> int:
        """Alignment in bytes of every element of an array that itself is aligned to 64."""
        size = 8 * self.count
        return min(size & -size, 64)

    def constant(self, x: float) -> str:
        return double_bits(x) if self.count == 1 else f"splat (double {double_bits(x)})"

    def integer_constant(self, k: int) -> str:
        return str(k) if self.count == 1 else f"splat (i64 {k})"

    def truth(self, value: bool) -> str:
        return f"{value}".lower() if self.count == 1 else f"splat (i1 {int(value)})"

    def _of(self, scalar: str) -> str:
        return scalar if self.count == 1 else f"<{self.count} x {scalar}>"
