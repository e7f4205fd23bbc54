"""Values that change while driver code runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.errors import TraceError
from dalembert.trace.native.driver.driver_values import Bool, DriverValue, Int
from dalembert.trace.native.driver.reals import Real
from dalembert.trace.native.llvm_text import FunctionText

_TYPES: dict[type, type[DriverValue]] = {bool: Bool, int: Int, float: Real}


class Variables:
    """Attributes that can be read and assigned, each of the type of its first value. LLVM keeps them in registers."""

    _body: FunctionText
    _lanes: int
    _places: dict[str, tuple[type[DriverValue], str]]

    def __init__(self, body: FunctionText, initial: Mapping[str, Any]) -> None:
        places: dict[str, tuple[type[DriverValue], str]] = {}
        object.__setattr__(self, "_body", body)
        object.__setattr__(self, "_lanes", body.lanes.count)
        object.__setattr__(self, "_places", places)
        for name, value in initial.items():
            kind = type(value) if isinstance(value, DriverValue) else _TYPES.get(type(value))
            if kind is None:
                raise TraceError(f"variable {name!r} cannot begin as {value!r}: give an int, a float or a bool")
            places[name] = (kind, body.allocate(kind.kind(body), 8))
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        kind, place = self._place(name)
        if kind is Real and self._lanes != self._body.lanes.count:
            raise TraceError(
                f"in a loop over each element, the variable {name!r} cannot be reached: read it before the loop"
            )
        return kind(self._body, self._body.let(f"load {kind.kind(self._body)}, ptr {place}"))

    def __setattr__(self, name: str, value: Any) -> None:
        kind, place = self._place(name)
        operand = kind.operand(self._body, value)
        self._body.lines.append(f"store {kind.kind(self._body)} {operand}, ptr {place}")

    def _place(self, name: str) -> tuple[type[DriverValue], str]:
        try:
            return self._places[name]
        except KeyError:
            raise AttributeError(f"no variable {name!r}; there are: {', '.join(self._places)}") from None
