"""Compiling LLVM text to machine code."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dalembert.trace.native.machine import code_generator, llvm
from dalembert.trace.native.target import Target

PIPELINE = 2
"""Number of this way from text to machine code: another one whenever passes or levels change, so that older code is not found."""


def object_code(text: str, optimised: Collection[str], target: Target) -> bytes:
    """The object file of a module. Only the functions named in `optimised` go through LLVM's optimiser.

    Straight-line code gains nothing there and would take longer.
    """
    generator = code_generator(target)
    return bytes(generator.emit_object(_parsed(text, optimised, generator)))


def assembly(text: str, optimised: Collection[str], target: Target) -> str:
    """The same as readable assembly, also for a processor that is not at hand."""
    generator = code_generator(target)
    return str(generator.emit_assembly(_parsed(text, optimised, generator)))


def _parsed(text: str, optimised: Collection[str], generator: Any) -> Any:
    binding = llvm()
    # before the text: where an alignment is left open, reading decides it, by the size that pointers have in the target
    head = f'target datalayout = "{generator.target_data}"\ntarget triple = "{generator.triple}"\n'
    module = binding.parse_assembly(head + text, binding.create_context())
    module.verify()
    if optimised:
        options = binding.create_pipeline_tuning_options(speed_level=2)
        builder = binding.create_pass_builder(generator, options)
        passes = builder.getFunctionPassManager()
        for name in optimised:
            passes.run(module.get_function(name), builder)
    return module
