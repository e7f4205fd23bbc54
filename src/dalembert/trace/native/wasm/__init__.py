"""WebAssembly: the object file that LLVM makes for `WASM32`, linked into a module that a browser instantiates."""

from dalembert.trace.native.wasm.link import WasmModule, link

__all__ = ["WasmModule", "link"]
