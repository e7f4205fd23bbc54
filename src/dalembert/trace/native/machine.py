"""The processor this program runs on, as LLVM sees it. llvmlite is imported on first use, not with the package."""

from __future__ import annotations

import ctypes
import platform
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

LIBM = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "pow")
"""Functions of the C library that compiled code may call, each under the symbol `dalembert_<name>`."""


@dataclass(frozen=True)
class Host:
    """A target: processor name and LLVM's feature string. Two hosts that are equal can share machine code."""

    cpu: str
    features: str

    @property
    def lanes(self) -> int:
        """Doubles in one vector register."""
        have = set(self.features.split(","))
        return 8 if "+avx512f" in have else 4 if "+avx2" in have else 2


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


@cache
def host() -> Host:
    """The machine we are on."""
    binding = llvm()
    return Host(binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())


def native_lanes() -> int:
    """How many states to work on at once: 8 with AVX-512, 4 with AVX2, else 2."""
    return host().lanes


def target_machine(target: Host | None = None) -> Any:
    """LLVM's code generator for the target. At level 1: as fast code as at 2 and 3, in a quarter less time."""
    binding = llvm()
    chosen = target or host()
    triple = binding.Target.from_default_triple()
    near = {"reloc": "pic", "codemodel": "small"} if constants_near() else {}
    return triple.create_target_machine(cpu=chosen.cpu, features=chosen.features, opt=1, jit=True, **near)


def constants_near() -> bool:
    """Whether code reaches its constants by their distance, one short instruction each; whoever loads it keeps them together.

    Elsewhere LLVM takes two long ones, since it must expect them anywhere.
    """
    return sys.platform.startswith("linux") and platform.machine() == "x86_64"


def toolchain() -> str:
    """Everything besides the source that machine code depends on."""
    import llvmlite

    version = ".".join(map(str, llvm().llvm_version_info))
    return f"llvmlite {llvmlite.__version__}, LLVM {version}, {sys.platform}, {host().cpu}, {host().features}"


def _c_library() -> ctypes.CDLL:
    """The C library with the mathematical functions: its own file on Linux with glibc, else part of the process."""
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    try:
        return ctypes.CDLL("libm.so.6" if sys.platform.startswith("linux") else None)
    except OSError:
        return ctypes.CDLL(None)
