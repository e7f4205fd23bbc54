"""Numbers, names and vectors as WebAssembly writes them: integers in groups of seven bits, least first (LEB128)."""

from __future__ import annotations

from collections.abc import Sequence

PADDED = 5
"""Bytes of a number that is left to the linker: room for 32 bits."""


class Reader:
    """Reads one part of a file from its beginning to its end."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    @property
    def more(self) -> bool:
        """Whether anything is left."""
        return self.at < len(self.data)

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            group = self.byte()
            value |= (group & 127) << shift
            shift += 7
            if group < 128:
                return value

    def signed(self) -> int:
        start = self.at
        value = self.unsigned()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) else value

    def content(self) -> bytes:
        """Bytes behind their number."""
        size = self.unsigned()
        self.at += size
        return self.data[self.at - size : self.at]

    def name(self) -> str:
        return self.content().decode("utf-8")


def unsigned(n: int) -> bytes:
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def signed(n: int) -> bytes:
    out = bytearray()
    while not -64 <= n < 64:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n & 127])


def padded(n: int) -> bytes:
    """A number of 32 bits in the room that the linker has for it, signed or not."""
    groups = [(n >> (7 * k)) & 127 for k in range(PADDED)]
    return bytes([*(g | 128 for g in groups[:-1]), groups[-1]])


def name(text: str) -> bytes:
    return content(text.encode("utf-8"))


def content(data: bytes) -> bytes:
    return unsigned(len(data)) + data


def vector(items: Sequence[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)
