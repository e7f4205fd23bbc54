"""LLVM as this program uses it: text compiled to machine code. llvmlite is imported on first use, not with the package."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.trace.native.target import Target

LIBM = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "pow", "fmod")
"""Functions of the C library that compiled code may call, each under the symbol `dalembert_<name>`."""


@cache
def llvm() -> Any:
    """llvmlite's binding, set up for this machine and with the C library's functions made known to it."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    library = _c_library()
    for name in LIBM:
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        binding.add_symbol(f"dalembert_{name}", address)
    return binding


def code_generator(target: Target) -> Any:
    """LLVM's code generator for the target. At level 1: as fast code as at 2 and 3, in a quarter less time."""
    binding = llvm() if target.in_process else _every_target()
    found = binding.Target.from_triple(target.triple) if target.triple else binding.Target.from_default_triple()
    return found.create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=1,
        reloc=target.relocation,
        codemodel=target.code_model,
        jit=target.in_process,
    )


@cache
def _every_target() -> Any:
    """llvmlite's binding, set up for all machines that it has code generators for."""
    binding = llvm()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding


def toolchain() -> str:
    """The compiler: what machine code depends on besides its source and its target."""
    import llvmlite

    version = ".".join(map(str, llvm().llvm_version_info))
    return f"llvmlite {llvmlite.__version__}, LLVM {version}"


def _c_library() -> ctypes.CDLL:
    """The C library with the mathematical functions: its own file on Linux with glibc, else part of the process."""
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    try:
        return ctypes.CDLL("libm.so.6" if sys.platform.startswith("linux") else None)
    except OSError:
        return ctypes.CDLL(None)


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
