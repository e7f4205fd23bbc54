"""A module in which every new function's name gets a prefix, so that the code of several kernels can live in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from dalembert.trace.native import Block, Calls, Module, Signature
from dalembert.trace.native.driver.constant_tables import FunctionTable, IntTable, RealTable
from dalembert.trace.native.driver.driver_values import DriverValue
from dalembert.trace.native.driver.function import FunctionBuilder
from dalembert.trace.native.driver.signature import Kind
from dalembert.trace.native.straight_line import LARGEST_FUNCTION


class Prefixed(Module):
    """Writes into `module`, which keeps everything."""

    def __init__(self, module: Module, prefix: str):
        self._module, self._prefix = module, prefix
        self.target = module.target

    def block(
        self, block: Block, lanes: int = 1, name: str | None = None, largest: int = LARGEST_FUNCTION
    ) -> Signature:
        return self._module.block(block, lanes, self._prefix + (name or block.name), largest)

    @contextmanager
    def function(
        self, name: str, /, lanes: int = 1, status: bool = False, public: bool = True, **parameters: type[DriverValue]
    ) -> Iterator[FunctionBuilder]:
        with self._module.function(self._prefix + name, lanes, status, public, **parameters) as f:
            yield f

    def external(self, name: str, parameters: Sequence[Kind], among: Calls) -> Signature:
        return self._module.external(name, parameters, among)

    def int_table(self, values: Sequence[int]) -> IntTable:
        return self._module.int_table(values)

    def real_table(self, values: Sequence[float]) -> RealTable:
        return self._module.real_table(values)

    def function_table(self, functions: Sequence[Signature]) -> FunctionTable:
        return self._module.function_table(functions)
