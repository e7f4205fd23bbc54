"""WebAssembly in a real engine, that of the browser: compiled modules called as a `Library` is."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.trace.native import Module
from dalembert.trace.native.wasm import WasmModule, link
from dalembert.view.bundle import joined

CALL = """async ({code, heap, calls}) => {
    const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const made = await WebAssembly.instantiate(bytes(code), {Math: MATHEMATICS});
    const {memory, ...functions} = made.instance.exports;
    const results = [];
    for (const {name, given} of calls) {
        let at = heap;
        const places = given.map((x) => {
            if (typeof x !== "string") return Number.isInteger(x[0]) && x[1] === "int" ? BigInt(x[0]) : x[0];
            const content = bytes(x), place = at;
            at += 64 * Math.ceil(content.length / 64);
            const missing = at - memory.buffer.byteLength;
            if (missing > 0) memory.grow(Math.ceil(missing / 65536));
            new Uint8Array(memory.buffer, place, content.length).set(content);
            return place;
        });
        const status = functions["k." + name](...places);
        const left = (place, size) => [...new Uint8Array(memory.buffer, place, size)].map((b) => String.fromCharCode(b)).join("");
        const arrays = given.map((x, i) => (typeof x === "string" ? btoa(left(places[i], bytes(x).length)) : null));
        results.push([status === undefined ? null : Number(status), arrays]);
    }
    return results;
}"""
"""Arrays go in as the bytes they are made of, one behind the other on the heap, and come back as they were left."""


class Engine:
    """The browser's engine. `library(module)` links a module and offers its functions."""

    def __init__(self, browser: Any) -> None:
        self.page = browser.new_page()
        mathematics = joined(("live/mathematics",))
        self.page.evaluate(
            f"() => {{ {mathematics}\nglobalThis.MATHEMATICS = MATHEMATICS; globalThis.call = {CALL}; }}"
        )

    def library(self, module: Module) -> EngineLibrary:
        return EngineLibrary(self.page, module, link(module.object_code()))


class EngineLibrary:
    """Functions by name, each `f(*arrays and numbers)` → status; arrays are changed in place."""

    def __init__(self, page: Any, module: Module, linked: WasmModule) -> None:
        self.page, self.module, self.linked = page, module, linked

    def __getattr__(self, name: str) -> Any:
        kinds = next(s.parameters for s in self.module.signatures if s.name == name)

        def call(*arguments: Any) -> int | None:
            (status,) = self.many(name, [arguments], kinds)
            return status

        return call

    def many(self, name: str, every: Sequence[Sequence[Any]], kinds: Sequence[str] | None = None) -> list[int | None]:
        """One call after the other in one instance."""
        taken = kinds or next(s.parameters for s in self.module.signatures if s.name == name)
        calls = [{"name": name, "given": [_packed(kind, x) for kind, x in zip(taken, given)]} for given in every]
        code = base64.b64encode(self.linked.code).decode()
        found = self.page.evaluate("given => call(given)", {"code": code, "heap": self.linked.heap, "calls": calls})
        for given, (_, contents) in zip(every, found):
            for x, content in zip(given, contents):
                if content is not None:
                    x[...] = np.frombuffer(base64.b64decode(content), dtype=x.dtype).reshape(x.shape)
        return [status for status, _ in found]


def _packed(kind: str, x: Any) -> Any:
    if kind == "pointer":
        return base64.b64encode(np.ascontiguousarray(x).tobytes()).decode()
    return [int(x) if kind == "int" else float(x), kind]
