"""From LLVM text to machine code."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dalembert.trace.native.machine import Host, llvm, target_machine


def object_code(text: str, optimised: Collection[str]) -> bytes:
    """The object file of a module. Only the functions named in `optimised` go through LLVM's optimiser.

    Straight-line code gains nothing there and would take longer.
    """
    machine = target_machine()
    return bytes(machine.emit_object(_parsed(text, optimised, machine)))


def assembly(text: str, optimised: Collection[str], target: Host | None = None) -> str:
    """The same as readable assembly, also for another processor than this one."""
    machine = target_machine(target)
    return str(machine.emit_assembly(_parsed(text, optimised, machine)))


def _parsed(text: str, optimised: Collection[str], machine: Any) -> Any:
    binding = llvm()
    module = binding.parse_assembly(text, binding.create_context())
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    if optimised:
        options = binding.create_pipeline_tuning_options(speed_level=2)
        builder = binding.create_pass_builder(machine, options)
        passes = builder.getFunctionPassManager()
        for name in optimised:
            passes.run(module.get_function(name), builder)
    return module
