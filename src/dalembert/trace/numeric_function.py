"""Expressions as a function of numbers: walked a few times, then written and compiled as Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from dalembert.trace.expr import Expr
from dalembert.trace.graph import Walk

WORTH_COMPILING = 10
"""Evaluations after which writing and compiling a function costs less than walking the graph again and again."""


class NumericFunction:
    """The outputs, by name, as a list of arrays and floats, of arguments that are numbers or sequences of numbers.

    Nan where a function in it is outside its domain, as in machine code. Arguments without a symbol are left out of `inputs` by
    the caller.
    """

    def __init__(self, inputs: Mapping[str, Expr | list[Expr]], outputs: Mapping[str, Any]):
        self._inputs, self._outputs = inputs, outputs
        self._calls = 0

    def __call__(self, *values: Any) -> list[Any]:
        self._calls += 1
        if self._calls <= WORTH_COMPILING:
            return self._walked(values)
        try:
            found = self._compiled(*values)
        except (ValueError, ArithmeticError):
            return self._walked(values)
        return list(found) if len(self._outputs) > 1 else [found]

    def _walked(self, values: tuple[Any, ...]) -> list[Any]:
        known: dict[Expr, Any] = {}
        for x, v in zip(self._inputs.values(), values):
            if isinstance(x, Expr):
                known[x] = v
            else:
                known.update(zip(x, v))
        found: list[Any] = self._walk(known)
        return found

    @cached_property
    def _walk(self) -> Walk:
        return Walk(list(self._outputs.values()))

    @cached_property
    def _compiled(self) -> Callable[..., Any]:
        from dalembert.trace.text import python_function

        return python_function("values", dict(self._inputs), dict(self._outputs))
