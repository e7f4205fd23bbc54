"""What a compiled function takes and gives back."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["pointer", "real", "int"]

C_TYPES: dict[str, Any] = {"pointer": ctypes.c_void_p, "real": ctypes.c_double, "int": ctypes.c_int64}


@dataclass(frozen=True)
class Signature:
    """Name and kinds of parameters; `status` if the function returns an integer, else it returns nothing.

    Python passes one double for a real, compiled code passes all lanes: if these differ there are two entries.
    """

    name: str
    parameters: tuple[Kind, ...]
    status: bool = False
    lanes: int = 1

    @property
    def symbol(self) -> str:
        """The name in machine code, entry for Python. The prefix keeps clear of the C library's names."""
        return f"k.{self.name}"

    @property
    def inner_symbol(self) -> str:
        """The entry for compiled code."""
        return f"{self.symbol}.lanes" if self.lanes > 1 and "real" in self.parameters else self.symbol

    @property
    def c_type(self) -> Any:
        result = ctypes.c_int64 if self.status else None
        return ctypes.CFUNCTYPE(result, *(C_TYPES[kind] for kind in self.parameters))
